/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_SEED_H
#define AL_RUN_SEED_H

/* A test that runs on threads, or with AL_VIRTUAL on the virtual engine. */

#include <stdint.h>

#ifdef AL_VIRTUAL
#include "core/engine/engine.h"
#include "tests/support/tap.h"

#define RUN_SEED_STEPS 20000000 /* more is a livelock */

/* Run the function in the interleaving that the seed chooses; returns the hash of what happened. */
static inline uint64_t run_seed(uint64_t seed, void (*function)(void *), void *argument)
{
    const struct al_engine_config config = {.seed = seed, .step_limit = RUN_SEED_STEPS};
    struct al_engine_result result;
    al_engine_run(&config, function, argument, &result);
    CHECK(result.end == AL_ENGINE_DONE, "%s", result.text);
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
