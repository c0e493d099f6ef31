/* SPDX-License-Identifier: MIT */
#ifndef AL_VICTIM_H
#define AL_VICTIM_H

/*
 * The plug-in interface of victim heuristics: "whom do I try now?" A heuristic knows nothing of
 * queues; it goes by the workers' approximate lengths (ops->length), their place in the topology,
 * and what it keeps itself in system->victim_state.
 */

#include "core/observe/trace.h"
#include "core/option.h"
#include "core/worker.h"

struct al_victim_ops {
    struct al_plugin plugin;
    bool declines; /* pick may name nobody although there is another worker */

    /* Optional. Called by the starting thread before any worker runs, and before the strategy's
     * init. Its options are in system->victim.values. 0, or a negative errno with a line in error.
     * May block. */
    int (*init)(struct al_runtime *system, struct al_error *error);

    /* Optional. Called by the starting thread after all workers have ended. May block. */
    void (*fini)(struct al_runtime *system);

    /* The victim of this attempt: another worker's number, or AL_NO_WORKER. NULL: never steal.
     * Called by the thief on its own thread, once per attempt, and only where there are at least
     * two workers. Must not block. */
    uint32_t (*pick)(struct al_worker *thief);

    /* Optional. Whether the attempt on the victim that pick named took anything. Called by the
     * thief on its own thread. Must not block. */
    void (*learn)(struct al_worker *thief, uint32_t victim, bool fruitful);

    /* Optional. The search is over: after looks that failed the worker has found work, by stealing
     * or not. (If the first attempt is fruitful, only learn is called.) Called by the thief on its
     * own thread. Must not block. */
    void (*rest)(struct al_worker *thief);

    /* Optional. The next pick should be this victim, which is known to have work. Called by the
     * thief on its own thread. Must not block. */
    void (*aim)(struct al_worker *thief, uint32_t victim);
};

/* End the program if no heuristic may name this victim. Any thread. */
void al_victim_check(const struct al_worker *thief, uint32_t victim);

/* Count an attempt to steal, whose victim no heuristic names. Owner only. */
static inline void al_victim_attempt(struct al_worker *thief)
{
    AL_COUNT(thief, steal_attempts, 1);
    if (thief->trace != NULL)
        al_trace_attempt(thief);
}

/* The victim of one attempt to steal, which is counted. Owner only. */
static inline uint32_t al_victim_pick(const struct al_victim_ops *victim, struct al_worker *thief)
{
    al_victim_attempt(thief);
    uint32_t id = victim->pick(thief);
    if (AL_CHECKS || AL_SYNC_TESTED)
        al_victim_check(thief, id);
    return id;
}

/* Report the outcome: call exactly one of these three, once. Owner only. */

/* The thief took this many queues with this many messages. Also counts the level of locality at
 * which the victim is. */
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
