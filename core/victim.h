/* SPDX-License-Identifier: MIT */
#ifndef AL_VICTIM_H
#define AL_VICTIM_H

/*
 * The plug-in interface of victim heuristics: "whom do I try now?" A heuristic knows nothing of
 * queues; it goes by the workers' approximate lengths (ops->length), their place in the topology,
 * and what it keeps itself in system->victim_state. Listed in schedulers/registry.c.
 */

#include "core/option.h"
#include "core/worker.h"

#define AL_NO_VICTIM UINT32_MAX

struct al_victim_ops {
    struct al_plugin plugin;

    /* Optional. Called by the starting thread before any worker runs; options are in
     * system->victim.values. 0, or a negative errno with a line in error. */
    int (*init)(struct al_system *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. */
    void (*fini)(struct al_system *system);

    /* The victim of this attempt: another worker's id, or AL_NO_VICTIM. The thief's own thread,
     * once per attempt; must not block. NULL: never steal. There are at least two workers. */
    uint32_t (*pick)(struct al_worker *thief);
};

/* The victim of one attempt to steal, which is counted. Owner only. */
static inline uint32_t al_victim_pick(const struct al_victim_ops *victim, struct al_worker *thief)
{
    AL_COUNT(thief, steal_attempts, 1);
    return victim->pick(thief);
}

#endif
