/* SPDX-License-Identifier: MIT */
#ifndef AL_IDLE_H
#define AL_IDLE_H

/*
 * The plug-in interface of idle policies: "I found nothing: spin, pause, sleep or park, and who
 * wakes me?" A policy keeps its state in system->idle_state.
 */

#include "core/option.h"
#include "core/worker.h"

struct al_idle_ops {
    struct al_plugin plugin;

    /* Workers never sleep, unless they are more than the PUs. */
    bool always_runs;

    /* Optional. The option with the longest sleep, in microseconds, that does not end when there is
     * work for others to steal. */
    const char *longest_sleep;

    /* Optional. Called by the starting thread before any worker runs, and before the strategy's
     * init. Its options are in system->idle.values. 0, or a negative errno with a line in error.
     * May block. */
    int (*init)(struct al_runtime *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. May block. */
    void (*fini)(struct al_runtime *system);

    /* Called by a worker on its own thread after each look for work that failed, the misses-th (1,
     * 2, ...) in a row. The next `alike` looks would do the same as this one if nothing changes:
     * none of them tries to steal, say. Returns how many of them were left out
     * (al_pause_unchanged). May block: it is here that workers sleep. NULL: the strategy sleeps in
     * its own way. */
    uint64_t (*wait)(struct al_worker *self, uint64_t misses, uint64_t alike);

    /* Optional. Whether a look that follows `misses` failed ones (0, 1, ...) includes an attempt to
     * steal; NULL: the strategy decides. Called by a worker on its own thread. Must not block. */
    bool (*steals)(const struct al_worker *self, uint64_t misses);

    /* Optional; NULL: no worker needs to be woken. Called by al_idle_wake, on any thread, after
     * something has become visible that worker `id` can run: if that worker sleeps, it wakes up.
     * With AL_ANYONE one of those that sleep and are in use does (al_workers_in_use), with
     * AL_ANY_SLEEPER one of all that sleep, with AL_EVERYONE all do. The promise: a worker
     * either sees the work in its last look before it sleeps, or is woken: al_fence_wake and
     * al_fence_sleep (core/plugin/scheduler.h) stand between the steps of the two. Must not block,
     * but for a lock that is never held for long. */
    void (*wake)(struct al_runtime *system, uint32_t id);

    /* Optional, for policies without wake whose sleeps end by themselves. Called by al_idle_nudge,
     * on any thread, after somebody else has given work to worker `id`, or, with AL_EVERYONE, at
     * the end of the system: ends a long sleep early. No promise: work that it misses is found when
     * the sleep ends. Must not block, but for a lock that is never held for long. */
    void (*nudge)(struct al_runtime *system, uint32_t id);
};

#endif
