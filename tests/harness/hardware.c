/* SPDX-License-Identifier: MIT */

/*
 * Hardware counters: sums, turns, refusals and failing reads on a made-up kernel, and the software
 * events of the real one, which need no PMU. Where that permits no events at all, env says so.
 */

#include "benchmarks/harness/measure/hardware.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/envelope.h"
#include "core/sync/sync.h"
#include "tests/support/fake_root.h"
#include "tests/support/tap.h"

/* A kernel whose counters show what the test says. */
struct fake {
    int open_errors[AL_HARDWARE_OPENED], read_errors[AL_HARDWARE_OPENED];
    struct al_hardware_reading readings[AL_HARDWARE_OPENED];
    uint64_t usage[AL_HARDWARE_EVENTS];
    int usage_error;
    int opened, closed, on, off;
};

enum { HANDLE = 100 }; /* of the first event */

static int fake_open(void *context, enum al_hardware_event event)
{
    struct fake *fake = context;
    fake->opened += fake->open_errors[event] == 0;
    return fake->open_errors[event] != 0 ? -fake->open_errors[event] : HANDLE + (int)event;
}

static void fake_count(void *context, bool on)
{
    struct fake *fake = context;
    fake->on += on;
    fake->off += !on;
}

static int fake_read(void *context, int handle, struct al_hardware_reading *reading)
{
    struct fake *fake = context;
    CHECK(fake->on == fake->off, "read while it counts");
    *reading = fake->readings[handle - HANDLE];
    return -fake->read_errors[handle - HANDLE];
}

static void fake_close(void *context, int handle)
{
    struct fake *fake = context;
    CHECK(handle >= HANDLE && handle < HANDLE + AL_HARDWARE_OPENED, "%d", handle);
    fake->closed++;
}

static int fake_usage(void *context, enum al_hardware_event event, uint64_t *value)
{
    struct fake *fake = context;
    *value = fake->usage[event];
    return -fake->usage_error;
}

static const struct al_hardware_ops fake_ops = {fake_open, fake_count, fake_read, fake_close,
                                                fake_usage};

/* A kernel that permits everything, with one worker's counts. */
static struct fake fake_new(void)
{
    return (struct fake){.readings = {{1000, 50, 50}, {2000, 50, 50}, {30, 50, 50}},
                         .usage = {[AL_HARDWARE_CONTEXT_SWITCHES] = 7}};
}

/* One iteration of the thread, in which `faults` page faults happen. */
static void iterate(struct fake *fake, struct al_hardware *hardware, uint32_t worker,
                    uint64_t faults)
{
    al_hardware_hooks.started(hardware, worker);
    al_hardware_hooks.begins(hardware, worker);
    fake->usage[AL_HARDWARE_PAGE_FAULTS] += faults;
    al_hardware_hooks.ended(hardware, worker);
}

/* Whether the record of so many workers is this; single quotes stand for double ones. */
static bool json_is(const struct al_hardware *hardware, uint32_t n_workers, const char *expected)
{
    json_t *json = al_hardware_json(hardware, n_workers);
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '"' ? '\'' : *c;
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("# %s\n", text);
    free(text);
    json_decref(json);
    return same;
}

#define COUNTS(cycles, instructions, misses, switches, faults)                                     \
    "{'cycles':" cycles ",'instructions':" instructions ",'cache_misses':" misses                  \
    ",'context_switches':" switches ",'page_faults':" faults ",'waited_ns':" switches              \
    ",'ran_ns':" switches "}"

static void test_sums(struct tap *tap)
{
    struct fake fake = fake_new();
    struct al_hardware *hardware = al_hardware_new(&fake_ops, &fake, 8, true);
    tap_ok(tap, json_is(hardware, 2, "null"), "no iteration: null");
    for (uint32_t i = 0; i < 3; i++) {
        iterate(&fake, hardware, 0, 1);
        iterate(&fake, hardware, 1, 10);
        iterate(&fake, hardware, AL_NO_WORKER, 100);
    }
    tap_ok(tap,
           json_is(hardware, 2,
                   "[" COUNTS("3000", "6000", "90", "0", "3") "," COUNTS(
                       "3000", "6000", "90", "0", "30") "," COUNTS("3000", "6000", "90", "0",
                                                                   "300") "]"),
           "sums over iterations: of each worker, then of the starting thread");
    tap_ok(tap, fake.opened == 27 && fake.closed == 27 && fake.on == 9 && fake.off == 9,
           "each counter is opened and closed in each iteration");
    al_hardware_free(hardware);
}

/* The sums of one worker's iterations with two kernels, as JSON. */
static bool sums_are(struct fake first, struct fake second, const char *expected)
{
    struct fake fake = first;
    struct al_hardware *hardware = al_hardware_new(&fake_ops, &fake, 1, true);
    iterate(&fake, hardware, 0, 0);
    iterate(&fake, hardware, AL_NO_WORKER, 0);
    CHECK(fake.opened == fake.closed, "%d opened, %d closed", fake.opened, fake.closed);
    fake = second;
    iterate(&fake, hardware, 0, 0);
    iterate(&fake, hardware, AL_NO_WORKER, 0);
    json_t *all = al_hardware_json(hardware, 1);
    char *text = json_dumps(json_array_get(all, 0), JSON_COMPACT | JSON_ENCODE_ANY);
    for (char *c = text; c != NULL && *c != '\0'; c++)
        *c = *c == '"' ? '\'' : *c;
    bool same = text == NULL ? strcmp(expected, "null") == 0 : strcmp(text, expected) == 0;
    if (!same)
        printf("# %s\n", text != NULL ? text : "null");
    free(text);
    json_decref(all);
    al_hardware_free(hardware);
    return same;
}

static void test_gaps(struct tap *tap)
{
    struct fake good = fake_new(), other = good;
    other.readings[AL_HARDWARE_INSTRUCTIONS] = (struct al_hardware_reading){1001, 300, 100};
    tap_ok(tap, sums_are(good, other, COUNTS("2000", "5003", "60", "0", "0")),
           "a counter that took turns is scaled to the whole time");
    other = good;
    other.readings[AL_HARDWARE_CYCLES] = (struct al_hardware_reading){0, 300, 0};
    tap_ok(tap, sums_are(good, other, COUNTS("null", "4000", "60", "0", "0")),
           "one that never ran in an iteration is not known");
    other = good;
    other.read_errors[AL_HARDWARE_CACHE_MISSES] = EIO;
    tap_ok(tap, sums_are(other, good, COUNTS("2000", "4000", "null", "0", "0")),
           "nor one that could not be read");
    other = good;
    other.open_errors[AL_HARDWARE_CACHE_MISSES] = ENOENT;
    tap_ok(tap, sums_are(other, other, COUNTS("2000", "4000", "null", "0", "0")),
           "nor one that the processor does not have; the others are");
    other = good;
    other.usage_error = EINVAL;
    tap_ok(tap, sums_are(other, good, COUNTS("2000", "4000", "60", "null", "null")),
           "nor what the kernel does not tell");
    for (int event = 0; event < AL_HARDWARE_OPENED; event++)
        other.open_errors[event] = EACCES;
    tap_ok(tap, sums_are(other, other, "null"), "nothing at all: null");
}

static void test_unfinished(struct tap *tap)
{
    struct fake fake = fake_new();
    struct al_hardware *hardware = al_hardware_new(&fake_ops, &fake, 1, true);
    iterate(&fake, hardware, 0, 5);
    iterate(&fake, hardware, AL_NO_WORKER, 0);
    fake.usage_error = EINVAL;
    iterate(&fake, hardware, 0, 6);
    uint64_t faults;
    tap_ok(tap, al_hardware_sum(hardware, 0, AL_HARDWARE_PAGE_FAULTS, &faults) && faults == 5,
           "an iteration that was interrupted counts in nothing");
    al_hardware_free(hardware);
}

static void test_refused(struct tap *tap)
{
    struct fake fake = fake_new();
    for (int event = 0; event < AL_HARDWARE_OPENED; event++)
        fake.open_errors[event] = EACCES;
    struct al_hardware *hardware = al_hardware_new(&fake_ops, &fake, 1, true);
    iterate(&fake, hardware, 0, 5);
    iterate(&fake, hardware, AL_NO_WORKER, 6);
    tap_ok(tap,
           json_is(hardware, 1,
                   "[" COUNTS("null", "null", "null", "0", "5") "," COUNTS("null", "null", "null",
                                                                           "0", "6") "]") &&
               fake.on == 0,
           "without permission the kernel's own counts remain");
    al_hardware_free(hardware);
    fake = fake_new();
    hardware = al_hardware_new(&fake_ops, &fake, 1, false);
    iterate(&fake, hardware, 0, 0);
    tap_ok(tap, fake.opened == 0, "nothing is opened if that is not wanted");
    al_hardware_free(hardware);
    struct rlimit files = {100, 1000}; /* now, and how far a process may raise it */
    CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0, "the limit of open files");
    hardware = al_hardware_new(&fake_ops, &fake, 400, true);
    iterate(&fake, hardware, 0, 0);
    tap_ok(tap, fake.opened == 0, "nor if there cannot be so many open files");
    al_hardware_free(hardware);
    hardware = al_hardware_new(&fake_ops, &fake, 300, true);
    iterate(&fake, hardware, 0, 0);
    tap_ok(tap,
           fake.opened == 3 && getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur >= 3 * 301,
           "if there may be, the limit is raised");
    al_hardware_free(hardware);
}

/* Write to fresh pages, and sleep a few times. */
static void be_busy(size_t pages, int naps)
{
    size_t bytes = pages * AL_PAGE_BYTES;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED, "no memory");
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        ((volatile char *)memory)[i * AL_PAGE_BYTES] = 1;
    munmap(memory, bytes);
    for (int i = 0; i < naps; i++)
        al_sleep_ns(1000);
}

static void be_busy_elsewhere(void *argument)
{
    (void)argument;
    be_busy(500, 50);
}

/* What this thread has had so far, by the kernel. Sanitizers add faults of their own. */
struct so_far {
    int64_t faults, switches;
};

static struct so_far so_far(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0, "getrusage");
    return (struct so_far){usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw};
}

/* What a software event counts while this thread is busy, or a negative errno; and what it had. */
static int64_t counted(uint64_t config, bool in_kernel, struct so_far *had)
{
    const struct al_hardware_ops *ops = &al_hardware_linux;
    struct al_hardware_reading reading;
    int handle = al_hardware_open(PERF_TYPE_SOFTWARE, config, in_kernel);
    if (handle < 0)
        return handle;
    be_busy(50, 5); /* it does not count yet */
    struct so_far before = so_far();
    ops->count(NULL, true);
    be_busy(200, 20);
    ops->count(NULL, false);
    struct so_far after = so_far();
    *had = (struct so_far){after.faults - before.faults, after.switches - before.switches};
    be_busy(50, 5); /* nor any more */
    int code = ops->read(NULL, handle, &reading);
    CHECK(code == 0 && reading.running_ns > 0 && reading.running_ns == reading.enabled_ns,
          "a software event takes no turns");
    ops->close(NULL, handle);
    CHECK(ops->read(NULL, handle, &reading) == -EBADF, "it is not closed");
    return (int64_t)reading.value;
}

/* So many of 20 sleeps: one may end before its thread is switched away. */
enum { SWITCHES_LEAST = 15 };

/* The kernel's settings may deny events: a denied one must have a reason. */
static bool is_right(int64_t value, int64_t least, int64_t had)
{
    struct al_hardware_support support;
    printf("# %lld of %lld\n", (long long)value, (long long)had);
    if (value >= 0)
        return value >= least && value <= had && value > had - 20;
    al_hardware_support("", &support);
    return (value == -EACCES || value == -EPERM || value == -ENOSYS) && !support.all;
}

/* Two iterations, in which another thread of the process is busy, too. */
static void test_thread(struct tap *tap, struct al_hardware *hardware)
{
    struct so_far had = {0};
    uint64_t faults = 0, switches = 0;
    for (int i = 0; i < 2; i++) {
        struct al_thread other;
        al_hardware_hooks.started(hardware, 0);
        be_busy(50, 5);
        struct so_far before = so_far();
        al_hardware_hooks.begins(hardware, 0);
        be_busy(200, 20);
        CHECK(al_thread_start(&other, be_busy_elsewhere, NULL) == 0, "no thread");
        al_thread_join(&other);
        al_hardware_hooks.ended(hardware, 0);
        struct so_far after = so_far();
        al_hardware_hooks.started(hardware, AL_NO_WORKER);
        al_hardware_hooks.begins(hardware, AL_NO_WORKER);
        al_hardware_hooks.ended(hardware, AL_NO_WORKER);
        had.faults += after.faults - before.faults;
        had.switches += after.switches - before.switches;
    }
    bool good = al_hardware_sum(hardware, 0, AL_HARDWARE_PAGE_FAULTS, &faults) &&
                al_hardware_sum(hardware, 0, AL_HARDWARE_CONTEXT_SWITCHES, &switches);
    printf("# %llu faults, %llu switches\n", (unsigned long long)faults,
           (unsigned long long)switches);
    tap_ok(tap,
           good && is_right((int64_t)faults, 400, had.faults) &&
               is_right((int64_t)switches, 2 * SWITCHES_LEAST, had.switches),
           "both of this thread alone, in two iterations");
}

static void test_real(struct tap *tap)
{
    struct so_far had = {0};
    int64_t value = counted(PERF_COUNT_SW_PAGE_FAULTS, false, &had);
    tap_ok(tap, is_right(value, 200, had.faults), "page faults, by perf events");
    value = counted(PERF_COUNT_SW_CONTEXT_SWITCHES, true, &had);
    tap_ok(tap, is_right(value, SWITCHES_LEAST, had.switches), "context switches, by perf events");
    struct al_hardware *hardware = al_hardware_new(&al_hardware_linux, NULL, 1, true);
    test_thread(tap, hardware);
    uint64_t cycles, instructions;
    struct al_hardware_support support;
    al_hardware_support("", &support);
    printf("# %s\n", support.text);
    bool good = al_hardware_sum(hardware, 0, AL_HARDWARE_CYCLES, &cycles) &&
                al_hardware_sum(hardware, 0, AL_HARDWARE_INSTRUCTIONS, &instructions);
    tap_ok(tap, good ? cycles > 10000 && instructions > 1000 : !support.all,
           "cycles and instructions, or a reason why not");
    al_hardware_free(hardware);
}

/* Whether the machine of the root is explained like this if opening fails with these errors. */
static bool explained(int cycles, int instructions, int misses, const char *text)
{
    struct al_hardware_support support;
    int errors[] = {cycles, instructions, misses};
    al_hardware_explain(root, errors, &support);
    bool all = cycles == 0 && instructions == 0 && misses == 0;
    if (strcmp(support.text, text) != 0 || support.all != all)
        printf("# %s\n", support.text);
    return strcmp(support.text, text) == 0 && support.all == all &&
           (support.advice == NULL) == (all || cycles == EMFILE);
}

static void test_reasons(struct tap *tap)
{
    root_make();
    tap_ok(tap, explained(ENOSYS, ENOSYS, ENOSYS, "none: the kernel was built without perf events"),
           "no perf events");
    root_put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    tap_ok(tap, explained(0, 0, 0, "cycles, instructions, cache misses"), "all");
    tap_ok(tap, explained(0, 0, ENOENT, "cycles, instructions"), "two of them");
    tap_ok(tap,
           explained(EPERM, EPERM, EPERM,
                     "none: a filter of system calls (seccomp) denies perf_event_open"),
           "denied although the kernel permits it");
    tap_ok(tap,
           explained(ENOSYS, ENOSYS, ENOSYS,
                     "none: a filter of system calls (seccomp) denies perf_event_open"),
           "or as if there were no such call");
    tap_ok(tap, explained(ENOENT, ENOENT, ENOENT, "none: no PMU that the kernel knows"), "no PMU");
    tap_ok(tap, explained(EMFILE, EMFILE, EMFILE, "none: Too many open files"), "anything else");
    root_put("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
    tap_ok(tap, explained(ENOENT, ENOENT, ENOENT, "none: no PMU in this guest"),
           "a guest without PMU");
    root_put("/proc/sys/kernel/perf_event_paranoid", "4\n");
    tap_ok(tap, explained(EACCES, EACCES, EACCES, "none: perf_event_paranoid is 4"),
           "denied by the kernel");
    root_remove();
}

int main(void)
{
    struct tap tap = {0};
    test_sums(&tap);
    test_gaps(&tap);
    test_unfinished(&tap);
    test_refused(&tap);
    test_real(&tap);
    test_reasons(&tap);
    return tap_done(&tap);
}
