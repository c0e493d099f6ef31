/* SPDX-License-Identifier: MIT */
#ifndef SYSTEMATIC_WORKERS_H
#define SYSTEMATIC_WORKERS_H

/* A system whose threads a scenario runs, with as much of it as a protocol needs. */

#include <string.h>

#include "core/engine/check/scenario.h"
#include "core/plugin/idle.h"
#include "core/plugin/scheduler.h"
#include "core/plugin/victim.h"
#include "core/system_private.h"

/* n workers and the external one, all zero but for what links them. In set_up. */
static inline struct al_system *workers_new(unsigned n, const struct al_scheduler_ops *ops)
{
    struct al_system *system = al_aligned_alloc(_Alignof(struct al_system), sizeof *system);
    struct al_worker *workers = al_aligned_alloc(AL_PAGE_BYTES, (n + 1) * sizeof *workers);
    static const struct al_victim_ops no_victims = {.pick = NULL};
    memset(system, 0, sizeof *system);
    memset(workers, 0, (n + 1) * sizeof *workers);
    system->shown.n_workers = n;
    system->shown.workers = workers;
    system->shown.ops = ops;
    system->shown.victim_ops = &no_victims;
    for (unsigned i = 0; i <= n; i++) {
        workers[i].system = &system->shown;
        workers[i].id = i;
    }
    return system;
}

#endif
