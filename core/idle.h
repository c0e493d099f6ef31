/* SPDX-License-Identifier: MIT */
#ifndef AL_IDLE_H
#define AL_IDLE_H

/*
 * The plug-in interface of idle policies: "I found nothing: spin, pause, sleep?" Listed in
 * schedulers/registry.c.
 */

#include "core/option.h"
#include "core/worker.h"

struct al_idle_ops {
    struct al_plugin plugin;

    /* Optional. Called by the starting thread before any worker runs. */
    int (*init)(struct al_system *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. */
    void (*fini)(struct al_system *system);

    /* Required. Called by a worker that has looked for work `misses` times in a row (1, 2, …) and
     * found none, after each look. Owner only. */
    void (*wait)(struct al_worker *self, uint64_t misses);
};

#endif
