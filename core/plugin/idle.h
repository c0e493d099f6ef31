/* SPDX-License-Identifier: MIT */
#ifndef AL_IDLE_H
#define AL_IDLE_H

/*
 * The plug-in interface of idle policies: "I found nothing: spin, pause, sleep or park, and who wakes
 * me?" Listed in schedulers/registry.c.
 */

#include "core/option.h"
#include "core/worker.h"

struct al_idle_ops {
    struct al_plugin plugin;

    /* Optional. Called by the starting thread before any worker runs. */
    int (*init)(struct al_runtime *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. */
    void (*fini)(struct al_runtime *system);

    /* Called by a worker that has looked for work `misses` times in a row (1, 2, …) and found none,
     * after each look. Owner only. NULL: the strategy sleeps in its own way (policy `own`). */
    void (*wait)(struct al_worker *self, uint64_t misses);

    /* Optional. Whether a look that follows `misses` failed ones (0, 1, …) includes an attempt to
     * steal. NULL: the strategy decides. Owner only. */
    bool (*steals)(const struct al_worker *self, uint64_t misses);

    /*
     * Optional. Called after something has been made visible that worker `id` can run, or, with
     * AL_ANYONE, that whoever steals can run. If that worker, or any, sleeps, it wakes up; with
     * AL_EVERYONE all that sleep do. The promise: a worker either sees the work in its last look before it
     * sleeps, or is woken. Any thread.
     */
    void (*wake)(struct al_runtime *system, uint32_t id);

    /* Optional, for policies without wake whose sleeps end by themselves. Called after somebody else has given
     * work to worker `id`, or, with AL_EVERYONE, when the system is over: ends a long sleep early. No promise: what
     * it misses is found when the sleep ends. Any thread. */
    void (*nudge)(struct al_runtime *system, uint32_t id);
};

#endif
