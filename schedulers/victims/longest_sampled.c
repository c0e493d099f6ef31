/* SPDX-License-Identifier: MIT */

/*
 * Longest victim (longest.c) among a few workers: of `samples` others, drawn uniformly and
 * independently, the one whose last attempt to steal is longest ago. With as many samples as there
 * are others, all are looked at. Sources: Cforall actors chapter, section "Victim Selection", which
 * names a search with less impact on caches as future work; Mitzenmacher, "The power of two choices
 * in randomized load balancing", 2001, for how far two choices go.
 *
 * Each timestamp has a cache line of its own: an attempt reads `samples` lines, and invalidates
 * only the thief's. Each thief writes its own timestamp alone; others read it as a hint, relaxed.
 * Of equal ones the first drawn is taken.
 */

#include "schedulers/victims/victims.h"

#include "schedulers/victims/thieves.h"

enum option { SAMPLES };

static const struct al_option options[] = {
    [SAMPLES] = {"samples", AL_OPTION_UINT, "2", 1, 64, NULL,
                 "workers of which the one that stole longest ago is the victim"},
    {0},
};

struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 stamp;
};

static int longest_sampled_init(struct al_runtime *system, struct al_error *error)
{
    int code = al_thieves_new(system, system->n_workers, sizeof(struct thief), error);
    struct thief *thieves = system->victim_state;
    uint64_t now = al_stamp(system);
    for (uint32_t i = 0; i < system->n_workers && code == 0; i++)
        al_u64_store_relaxed(&thieves[i].stamp, now);
    return code;
}

static uint32_t longest_sampled_pick(struct al_worker *thief)
{
    const struct al_runtime *system = thief->system;
    struct thief *thieves = system->victim_state;
    uint32_t n = system->n_workers;
    uint64_t samples = system->victim.values[SAMPLES].uint;
    bool all = samples >= n - 1;
    al_u64_store_relaxed(&thieves[thief->id].stamp, al_stamp(system));
    uint32_t oldest = AL_NO_WORKER;
    uint64_t oldest_stamp = UINT64_MAX;
    for (uint32_t i = 1; i <= (all ? n - 1 : samples); i++) {
        uint32_t id = all ? (thief->id + i) % n : al_thief_any(thief);
        uint64_t stamp = al_u64_load_relaxed(&thieves[id].stamp);
        if (stamp < oldest_stamp) {
            oldest = id;
            oldest_stamp = stamp;
        }
    }
    return oldest;
}

const struct al_victim_ops al_victim_longest_sampled = {
    .plugin = {"longest-sampled", "of a few workers, the one whose last attempt is longest ago",
               options},
    .init = longest_sampled_init,
    .fini = al_thieves_free,
    .pick = longest_sampled_pick,
};
