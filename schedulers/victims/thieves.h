/* SPDX-License-Identifier: MIT */
#ifndef AL_THIEVES_H
#define AL_THIEVES_H

/* The state that a heuristic keeps of each thief: one array in system->victim_state, whose elements
 * begin with _Alignas(2 * AL_CACHE_LINE_BYTES), since every thief writes its own in each
 * attempt. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/plugin/scheduler.h"

/* Make n elements of so many bytes, a multiple of their alignment, all zero. -ENOMEM with a line in
 * error. For init. */
static inline int al_thieves_new(struct al_runtime *system, size_t n, size_t bytes,
                                 struct al_error *error)
{
    size_t all = n * bytes;
    system->victim_state = al_aligned_alloc(2 * AL_CACHE_LINE_BYTES, all);
    if (system->victim_state == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the state of %u thieves",
                            system->n_workers);
    memset(system->victim_state, 0, all);
    return 0;
}

/* The operation fini. */
static inline void al_thieves_free(struct al_runtime *system)
{
    al_free(system->victim_state);
}

/* Any other worker, uniformly. The operation pick. */
static inline uint32_t al_thief_any(struct al_worker *thief)
{
    uint32_t id = al_random_below(&thief->random, thief->system->n_workers - 1);
    return id + (id >= thief->id);
}

#endif
