/* SPDX-License-Identifier: MIT */

/*
 * By topology: first the workers of the thief's lowest level (core/machine/locality.h) in random
 * order, then those of the next level that were not in it, and so on to the root; no worker twice
 * before all had their turn. A new search, or one after a fruitful attempt, starts at the nearest
 * again. Unlike `hierarchical` it looks at no lengths. Sources: the Mercury text "Revised work
 * stealing", further work ("prefer victims that are nearby in terms of memory topology"); LAS
 * paper, section III, on the hierarchical victim selection of Min et al.: "first try to steal from
 * the nearest neighbors and only upon failure move up".
 */

#include "schedulers/victims/victims.h"

#include "core/machine/locality.h"
#include "schedulers/victims/thieves.h"

struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t level;
    uint32_t n_tried; /* with the thief itself, as in the size of a level */
    uint64_t tried[]; /* a bit per worker */
};

/* Bytes of one thief's state, in whole pairs of cache lines. */
static size_t bytes_of(const struct al_runtime *system)
{
    size_t bytes = offsetof(struct thief, tried) +
                   (system->n_workers + 63u) / 64 * sizeof(uint64_t);
    return (bytes + _Alignof(struct thief) - 1) / _Alignof(struct thief) * _Alignof(struct thief);
}

static struct thief *state_of(const struct al_worker *thief)
{
    const struct al_runtime *system = thief->system;
    return (struct thief *)((char *)system->victim_state + thief->id * bytes_of(system));
}

static void mark(struct thief *state, uint32_t id)
{
    state->tried[id / 64] |= (uint64_t)1 << id % 64;
    state->n_tried++;
}

static void nearest_rest(struct al_worker *thief)
{
    struct thief *state = state_of(thief);
    if (state->n_tried == 1)
        return;
    memset(state, 0, bytes_of(thief->system));
    mark(state, thief->id);
}

static int nearest_init(struct al_runtime *system, struct al_error *error)
{
    int code = al_thieves_new(system, system->n_workers, bytes_of(system), error);
    for (uint32_t i = 0; i < system->n_workers && code == 0; i++)
        nearest_rest(&system->workers[i]);
    return code;
}

/* Each level contains those below it, so all workers that were tried are in the present one. */
static uint32_t nearest_pick(struct al_worker *thief)
{
    const struct al_locality *locality = thief->system->locality;
    struct thief *state = state_of(thief);
    if (state->n_tried == thief->system->n_workers)
        nearest_rest(thief);
    const struct al_level *level = al_locality_level(locality, thief->id, state->level);
    while (level->n == state->n_tried)
        level = al_locality_level(locality, thief->id, ++state->level);
    uint32_t skip = al_random_below(&thief->random, level->n - state->n_tried);
    const uint32_t *id = level->workers;
    for (;; id++) {
        if ((state->tried[*id / 64] >> *id % 64 & 1) == 0 && skip-- == 0)
            break;
    }
    mark(state, *id);
    return *id;
}

static void nearest_learn(struct al_worker *thief, uint32_t victim, bool fruitful)
{
    (void)victim;
    if (fruitful)
        nearest_rest(thief);
}

const struct al_victim_ops al_victim_nearest = {
    .plugin = {"nearest", "the nearest by topology first, in random order, none twice", NULL},
    .init = nearest_init,
    .fini = al_thieves_free,
    .pick = nearest_pick,
    .learn = nearest_learn,
    .rest = nearest_rest,
};
