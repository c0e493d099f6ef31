/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_SEED_H
#define AL_RUN_SEED_H

/* A test that runs on threads, or with AL_VIRTUAL on the virtual engine. */

#include <stdint.h>

#ifdef AL_VIRTUAL
#include "core/engine/engine.h"

#define RUN_SEED_STEPS 20000000 /* more is a livelock */

/* Run the function in the interleaving that the seed chooses; returns the hash of what happened. */
static inline uint64_t run_seed(uint64_t seed, void (*function)(void *), void *argument)
{
    struct al_engine_result result;
    al_engine_run(&(struct al_engine_config){seed, AL_COROUTINE_FASTEST, RUN_SEED_STEPS}, function,
                  argument, &result);
    return result.hash;
}

#else

static inline uint64_t run_seed(uint64_t seed, void (*function)(void *), void *argument)
{
    (void)seed;
    function(argument);
    return 0;
}

#endif
#endif
