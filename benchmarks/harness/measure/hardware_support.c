/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/hardware.h"

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/probe.h"

/* Up to this value of perf_event_paranoid, anybody may count what happens in user mode. */
#define PARANOID_MOST 2

/* The value of perf_event_paranoid, which may be negative; INT64_MAX: the kernel has no such
 * file, so it was built without perf events. */
static int64_t paranoid(const char *root)
{
    char *line = al_probe_line(al_path(root, "/proc/sys/kernel/perf_event_paranoid").text, "");
    int64_t value = line != NULL ? strtoll(line, NULL, 10) : INT64_MAX;
    free(line);
    return value;
}

static bool has_filter(const char *root)
{
    return al_probe_number(al_path(root, "/proc/self/status").text, "Seccomp:") == 2;
}

/* Whether the kernel knows the counters of the processor: on x86 as cpu (cpu_core and cpu_atom, if
 * its cores differ), on ARM as armv8_pmuv3_0 and the like. */
static bool has_pmu(const char *root)
{
    static const char *const patterns[] = {"cpu", "cpu_core", "armv*"};
    bool found = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        glob_t names;
        const char *folder = "/sys/bus/event_source/devices";
        found = glob(al_path(root, "%s/%s", folder, patterns[i]).text, 0, NULL, &names) == 0;
        globfree(&names);
    }
    return found;
}

static bool is_guest(const char *root)
{
    char *flags = al_probe_line(al_path(root, "/proc/cpuinfo").text, "flags");
    bool guest = flags != NULL && strstr(flags, "hypervisor") != NULL;
    free(flags);
    return guest;
}

/* What opening would give on a machine that is only described. */
static int expected_error(const char *root)
{
    if (paranoid(root) == INT64_MAX)
        return ENOSYS;
    if (paranoid(root) > PARANOID_MOST)
        return EACCES;
    if (has_filter(root))
        return EPERM;
    return has_pmu(root) ? 0 : ENOENT;
}

enum reason { NOT_BUILT, PARANOID, FILTERED, NO_PMU, GUEST_WITHOUT_PMU, OTHER };

static enum reason reason_of(const char *root, int error)
{
    if (paranoid(root) == INT64_MAX)
        return NOT_BUILT;
    if ((error == EACCES || error == EPERM) && paranoid(root) > PARANOID_MOST)
        return PARANOID;
    if (error == EACCES || error == EPERM || error == ENOSYS)
        return FILTERED;
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        return is_guest(root) ? GUEST_WITHOUT_PMU : NO_PMU;
    return OTHER;
}

/* Why none of them can be opened. */
static void explain_none(const char *root, int error, struct al_hardware_support *support)
{
    static const struct {
        const char *text, *advice;
    } reasons[] = {
        [NOT_BUILT] = {"the kernel was built without perf events",
                       "a kernel with CONFIG_PERF_EVENTS has them; until then records hold null"},
        [PARANOID] = {NULL, /* with its value */
                      "sysctl kernel.perf_event_paranoid=2 permits them to everybody, the "
                      "capability CAP_PERFMON to one program"},
        [FILTERED] = {"a filter of system calls (seccomp) denies perf_event_open",
                      "allow perf_event_open in the seccomp profile of the container"},
        [NO_PMU] = {"no PMU that the kernel knows", "records hold null for them"},
        [GUEST_WITHOUT_PMU] = {"no PMU in this guest",
                               "the host would have to pass its PMU on (KVM: pmu=on; in clouds "
                               "often whole machines only); until then records hold null"},
        [OTHER] = {NULL, NULL}, /* the error's own text */
    };
    enum reason reason = reason_of(root, error);
    support->advice = reasons[reason].advice;
    if (reason == PARANOID)
        snprintf(support->text, sizeof support->text, "none: perf_event_paranoid is %lld",
                 (long long)paranoid(root));
    else
        snprintf(support->text, sizeof support->text, "none: %s",
                 reason != OTHER ? reasons[reason].text : strerror(error));
}

void al_hardware_explain(const char *root, const int errors[], struct al_hardware_support *support)
{
    int failed = 0;
    size_t used = 0, n = 0;
    *support = (struct al_hardware_support){.all = false};
    for (int event = 0; event < AL_HARDWARE_OPENED; event++) {
        if (errors[event] != 0) {
            failed = errors[event];
            continue;
        }
        used += (size_t)snprintf(support->text + used, sizeof support->text - used, "%s%s",
                                 n++ > 0 ? ", " : "", al_hardware_names[event]);
    }
    for (char *c = support->text; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    support->all = n == AL_HARDWARE_OPENED;
    if (n == 0)
        explain_none(root, failed, support);
    else if (!support->all)
        support->advice = "records have null for the others, which this processor does not count";
}

void al_hardware_support(const char *root, struct al_hardware_support *support)
{
    int errors[AL_HARDWARE_OPENED];
    for (int event = 0; event < AL_HARDWARE_OPENED; event++) {
        int handle = -expected_error(root);
        if (root[0] == '\0')
            handle = al_hardware_linux.open(NULL, event);
        if (handle >= 0 && root[0] == '\0')
            al_hardware_linux.close(NULL, handle);
        errors[event] = handle < 0 ? -handle : 0;
    }
    al_hardware_explain(root, errors, support);
}
