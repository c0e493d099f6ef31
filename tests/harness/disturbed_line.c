/* SPDX-License-Identifier: MIT */

/* What is printed of a trial that was disturbed, on made-up machines. */

#include <string.h>

#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/show/run.h"
#include "core/plugin/idle.h"
#include "tests/support/fake_root.h"
#include "tests/support/tap.h"

#define SECOND UINT64_C(1000000000)

static const struct al_idle_ops sleeps = {.plugin = {"sleeps", "", NULL}};
static const struct al_idle_ops runs = {.plugin = {"runs", "", NULL}, .always_runs = true};

/* The kernel's counts of each thread: it waited and ran for so long. */
static int usage(void *context, enum al_hardware_event event, uint64_t *value)
{
    const uint64_t *ns = context;
    *value = event >= AL_HARDWARE_WAITED ? ns[event - AL_HARDWARE_WAITED] : 0;
    return 0;
}

/* Ticks of the PU, and how long the control group has been stopped, us. */
static void put(unsigned busy, unsigned steal, unsigned throttled_us)
{
    root_put("/proc/stat", "cpu0 %u 0 0 0 0 0 0 %u 0 0\nprocs_running 1\n", busy, steal);
    root_put("/proc/self/cgroup", "0::/job\n");
    root_put("/sys/fs/cgroup/job/cpu.stat", "throttled_usec %u\n", throttled_us);
}

struct machine {
    unsigned busy, steal, throttled_us; /* what it counts during the iteration */
    uint64_t waited_ns, ran_ns;
    const struct al_idle_ops *idle;
    bool oversubscribed;
};

/* Whether the line of one iteration of 10 s on the machine begins so; NULL: there is none. */
static bool is_told(struct machine machine, const char *expected)
{
    static const struct al_hardware_ops kernel = {.usage = usage};
    struct al_worker_report worker = {.pu = 0, .bound = 0};
    uint64_t time_ns = 10 * SECOND, ns[2] = {0};
    struct al_trial trial = {0};
    root_make();
    struct al_outcome outcome = {
        .time_ns = &time_ns,
        .n_times = 1,
        .report = {.n_workers = 1, .workers = &worker, .oversubscribed = machine.oversubscribed},
        .noise = al_noise_new(root),
        .hardware = al_hardware_new(&kernel, ns, 1, false),
    };
    outcome.report.idle.plugin = &machine.idle->plugin;
    put(0, 0, 5);
    al_noise_begin(outcome.noise);
    /* The starting thread's end is that of the iteration. */
    const uint32_t threads[] = {0, AL_NO_WORKER};
    for (size_t i = 0; i < 2; i++) {
        al_hardware_hooks.started(outcome.hardware, threads[i]);
        al_hardware_hooks.begins(outcome.hardware, threads[i]);
    }
    ns[0] = machine.waited_ns;
    ns[1] = machine.ran_ns;
    for (size_t i = 0; i < 2; i++)
        al_hardware_hooks.ended(outcome.hardware, threads[i]);
    put(machine.busy, machine.steal, machine.throttled_us + 5);
    al_noise_end(outcome.noise, &outcome.report);

    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    al_disturbed_print(&trial, &outcome, file);
    fclose(file);
    bool same = expected != NULL ? strncmp(text, expected, strlen(expected)) == 0 : length == 0;
    if (!same)
        printf("# %s\n", text);
    free(text);
    al_hardware_free(outcome.hardware);
    al_noise_free(outcome.noise);
    root_remove();
    return same;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, is_told((struct machine){.idle = &sleeps}, NULL),
           "workers that sleep may use no processor time");
    tap_ok(&tap,
           is_told((struct machine){.idle = &runs},
                   "disturbed: workers did not run for 10.0 s, though they never sleep ("),
           "those that never sleep must");
    tap_ok(&tap, is_told((struct machine){.idle = &runs, .oversubscribed = true}, NULL),
           "unless they are more than the PUs");
    tap_ok(&tap,
           is_told((struct machine){.idle = &sleeps, .throttled_us = 312000},
                   "disturbed: a CPU quota stopped its control group for 312 ms ("),
           "throttling by a quota");
    tap_ok(&tap,
           is_told((struct machine){.idle = &sleeps, .steal = 100},
                   "disturbed: the hypervisor gave its PUs to other machines for 1.00 s ("),
           "stealing");
    tap_ok(&tap,
           is_told((struct machine){.idle = &sleeps, .busy = 200, .waited_ns = 2 * SECOND},
                   "disturbed: other processes used its PUs for 2.00 s; workers waited for a PU "
                   "for 2.00 s ("),
           "other processes");
    tap_ok(&tap,
           is_told((struct machine){.idle = &sleeps, .waited_ns = 2 * SECOND}, /* in 10 s */
                   "disturbed: workers waited for a PU for 2.00 s ("),
           "a wait for the PU");
    tap_ok(
        &tap,
        is_told((struct machine){.idle = &sleeps, .waited_ns = 2 * SECOND, .ran_ns = SECOND},
                "disturbed: workers waited for a PU for 1.00 s (") &&
            is_told((struct machine){.idle = &sleeps, .waited_ns = SECOND, .ran_ns = SECOND}, NULL),
        "but for the starting thread");
    tap_ok(&tap, is_told((struct machine){.idle = &sleeps, .waited_ns = SECOND / 10}, NULL),
           "but not a short one");
    return tap_done(&tap);
}
