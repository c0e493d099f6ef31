/* SPDX-License-Identifier: MIT */
#ifndef AL_STEAL_BACKOFF_H
#define AL_STEAL_BACKOFF_H

/*
 * Thieves that try less often the longer they fail: each attempt in vain doubles the time until the
 * next, up to a limit, and work of any kind ends it. Source: future work of the Cforall actors
 * chapter. The idle policy `backoff` lengthens the waits between looks; here a worker goes on
 * looking at its own queues, and only leaves those of others alone.
 *
 * In cycles, not in looks, because a look takes between some nanoseconds and, under a policy that
 * sleeps, some milliseconds.
 *
 * Concurrency: each worker has one of its own, which is zero at first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/sync/sync.h"

#define AL_STEAL_BACKOFF_OPTION                                                                    \
    {                                                                                              \
        "steal_backoff", AL_OPTION_UINT, "0", 0, 1e12, NULL,                                       \
            "after attempts to steal in vain wait twice as long each time, up to so many cycles; " \
            "0: off"                                                                               \
    }

/* After the first attempt in vain: a few misses of the cache, which is what it cost the victim. */
#define AL_STEAL_BACKOFF_FIRST_CYCLES 512

struct al_steal_backoff {
    uint64_t wait_cycles; /* 0: the last attempt was not in vain */
    uint64_t next;        /* by al_cycles */
};

/* Whether the time for another attempt has come. Owner only. */
static inline bool al_steal_backoff_due(const struct al_steal_backoff *backoff)
{
    /* The difference, since a worker that is not bound may meet a counter that is behind. */
    return backoff->wait_cycles == 0 || (int64_t)(al_cycles() - backoff->next) >= 0;
}

/* An attempt was in vain. Owner only. */
static inline void al_steal_backoff_failed(struct al_steal_backoff *backoff, uint64_t most_cycles)
{
    uint64_t wait = backoff->wait_cycles != 0 ? 2 * backoff->wait_cycles
                                              : AL_STEAL_BACKOFF_FIRST_CYCLES;
    backoff->wait_cycles = wait < most_cycles ? wait : most_cycles;
    backoff->next = al_cycles() + backoff->wait_cycles;
}

/* The worker has found work. Owner only. */
static inline void al_steal_backoff_rest(struct al_steal_backoff *backoff)
{
    backoff->wait_cycles = 0;
}

#endif
