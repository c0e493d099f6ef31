/* SPDX-License-Identifier: MIT */

/* The kernel's side of the hardware counters: perf_event_open and getrusage. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "benchmarks/harness/measure/hardware.h"

int al_hardware_open(uint32_t type, uint64_t config, bool in_kernel)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = type,
        .config = config,
        .disabled = 1,
        /* What happens in user mode may be counted up to perf_event_paranoid = 2. */
        .exclude_kernel = !in_kernel,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return file >= 0 ? (int)file : -errno;
}

static int open_event(void *context, enum al_hardware_event event)
{
    static const uint64_t configs[AL_HARDWARE_OPENED] = {
        [AL_HARDWARE_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
        [AL_HARDWARE_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
        [AL_HARDWARE_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
    };
    (void)context;
    return al_hardware_open(PERF_TYPE_HARDWARE, configs[event], false);
}

/* One call for all of the thread's counters, so that they cover the same time. */
static void count(void *context, bool on)
{
    (void)context;
    prctl(on ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

static int read_event(void *context, int handle, struct al_hardware_reading *reading)
{
    (void)context;
    uint64_t values[3]; /* in the order of the kernel */
    ssize_t length = read(handle, values, sizeof values);
    if (length != sizeof values)
        return length < 0 ? -errno : -EIO;
    *reading = (struct al_hardware_reading){values[0], values[1], values[2]};
    return 0;
}

static void close_event(void *context, int handle)
{
    (void)context;
    close(handle);
}

/* The first two numbers of the file: how long the thread ran, and waited. The kernel may have been
 * built without it. */
static int schedstat(enum al_hardware_event event, uint64_t *ns)
{
    uint64_t ran, waited;
    char text[64];
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
        return -ENODATA;
    *ns = event == AL_HARDWARE_RAN ? ran : waited;
    return 0;
}

static int usage(void *context, enum al_hardware_event event, uint64_t *value)
{
    (void)context;
    if (event == AL_HARDWARE_WAITED || event == AL_HARDWARE_RAN)
        return schedstat(event, value);
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return -errno;
    *value = (uint64_t)(event == AL_HARDWARE_CONTEXT_SWITCHES ? usage.ru_nvcsw + usage.ru_nivcsw
                                                              : usage.ru_minflt + usage.ru_majflt);
    return 0;
}

const struct al_hardware_ops al_hardware_linux = {
    .open = open_event,
    .count = count,
    .read = read_event,
    .close = close_event,
    .usage = usage,
};
