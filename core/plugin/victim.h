/* SPDX-License-Identifier: MIT */
#ifndef AL_VICTIM_H
#define AL_VICTIM_H

/*
 * The plug-in interface of victim heuristics: "whom do I try now?" A heuristic knows nothing of
 * queues; it goes by the workers' approximate lengths (ops->length), their place in the topology,
 * and what it keeps itself in system->victim_state. Listed in schedulers/registry.c.
 */

#include "core/observe/trace.h"
#include "core/option.h"
#include "core/worker.h"

struct al_victim_ops {
    struct al_plugin plugin;

    /* Optional. Called by the starting thread before any worker runs; options are in
     * system->victim.values. 0, or a negative errno with a line in error. */
    int (*init)(struct al_runtime *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. */
    void (*fini)(struct al_runtime *system);

    /* The victim of this attempt: another worker's id, or AL_NO_WORKER. The thief's own thread,
     * once per attempt; must not block. NULL: never steal. There are at least two workers. */
    uint32_t (*pick)(struct al_worker *thief);

    /* Optional. What came of the attempt on the victim that pick named. The thief's own thread. */
    void (*learn)(struct al_worker *thief, uint32_t victim, bool fruitful);

    /* Optional. The search is over: after looks that failed the worker has found work, by stealing or not. (If
     * the first attempt is fruitful, learn alone says so.) The thief's own thread. */
    void (*rest)(struct al_worker *thief);

    /* Optional. The next pick is to be this victim: somebody who knows says so. The thief's own thread. */
    void (*aim)(struct al_worker *thief, uint32_t victim);
};

/* End the program if no heuristic may name this victim. */
void al_victim_check(const struct al_worker *thief, uint32_t victim);

/* The victim of one attempt to steal, which is counted. Owner only. */
static inline uint32_t al_victim_pick(const struct al_victim_ops *victim, struct al_worker *thief)
{
    AL_COUNT(thief, steal_attempts, 1);
    if (thief->trace != NULL)
        al_trace_attempt(thief);
    uint32_t id = victim->pick(thief);
    if (AL_CHECKS || AL_SYNC_TESTED)
        al_victim_check(thief, id);
    return id;
}

/* Report the outcome: call exactly one of these three, once. Owner only. */

/* So many queues with so many messages were taken. Also counts the level of locality at which the victim is. */
void al_stole(struct al_worker *thief, uint32_t victim, uint32_t queues, uint64_t messages);

static inline void al_stole_no_candidate(struct al_worker *thief, uint32_t victim)
{
    AL_COUNT(thief, steals_no_candidate, 1);
    if (thief->trace != NULL)
        al_trace_attempted(thief, AL_TRACE_STEAL_NO, victim, 0, 0);
}

static inline void al_stole_lost_swap(struct al_worker *thief, uint32_t victim)
{
    AL_COUNT(thief, steals_lost_swap, 1);
    if (thief->trace != NULL)
        al_trace_attempted(thief, AL_TRACE_STEAL_LOST, victim, 0, 0);
}

static inline void al_victim_learn(const struct al_victim_ops *victim, struct al_worker *thief,
                                   uint32_t id, bool fruitful)
{
    if (victim->learn != NULL)
        victim->learn(thief, id, fruitful);
}

static inline void al_victim_rest(const struct al_victim_ops *victim, struct al_worker *thief)
{
    if (victim->rest != NULL)
        victim->rest(thief);
}

#endif
