/* SPDX-License-Identifier: MIT */
#ifndef AL_THRIFT_H
#define AL_THRIFT_H

/*
 * Thieves that take only what is worth it: the options steal_least and steal_backoff. Ours, not the
 * chapter's.
 *
 * A stolen mailbox costs some misses of the cache, for the slot, the mailbox and the actors in it.
 * A few messages are worth that only if their owner does not come to them, because it is in a long
 * behaviour or delivers a large gulp. Each worker therefore counts the passes in which it found
 * work, and a thief that sees few messages remembers the count and the time. If it sees few again
 * after steal_patience cycles, and the count is the same, their owner has left them alone. That is
 * so although passes without work are not counted: the owner had work at the first look, and will
 * have ended the pass in which it takes it.
 *
 * Concurrency: passes is written by its worker and read by thieves; the rest is the worker's own.
 */

#include "core/sync/sync.h"
#include "schedulers/idle/steal_backoff.h"

struct al_watch {
    uint64_t since; /* by al_cycles of the thief; 0: nothing yet */
    uint32_t passes;
};

/* Of each worker. */
struct al_thrift {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 passes; /* that found work */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_steal_backoff backoff;
    struct al_watch *watches; /* as a thief: of each worker */
};

/* NULL: no memory. Called before any worker runs. */
struct al_thrift *al_thrift_new(uint32_t n_workers);
void al_thrift_free(struct al_thrift *thrift, uint32_t n_workers);

/* A pass that found work has ended. Its worker. */
static inline void al_thrift_passed(struct al_thrift *own)
{
    /* relaxed: a hint for thieves, which publishes nothing; no other thread writes it */
    al_u32_store_relaxed(&own->passes, al_u32_load_relaxed(&own->passes) + 1);
}

/* A thief sees few messages in a mailbox of a victim: whether their owner leaves them alone. */
static inline bool al_thrift_left_alone(struct al_watch *watch, const struct al_thrift *victim,
                                        uint64_t patience_cycles)
{
    uint32_t passes = al_u32_load_relaxed(&victim->passes); /* relaxed: a hint */
    uint64_t now = al_cycles();
    if (watch->since != 0 && watch->passes == passes)
        return now - watch->since > patience_cycles;
    *watch = (struct al_watch){.since = now, .passes = passes};
    return false;
}

#endif
