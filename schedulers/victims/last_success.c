/* SPDX-License-Identifier: MIT */

/*
 * The victim of the last fruitful attempt, since it is likely to have more. After a fruitless
 * attempt on it the thief forgets it and tries any other worker, uniformly, until an attempt is
 * fruitful again. Source: the OpenMP runtime of LLVM, td_deque_last_stolen
 * (openmp/runtime/src/kmp_tasking.cpp).
 */

#include "schedulers/victims/victims.h"

#include "schedulers/victims/thieves.h"

struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t last; /* or AL_NO_WORKER */
};

static int last_success_init(struct al_runtime *system, struct al_error *error)
{
    int code = al_thieves_new(system, system->n_workers, sizeof(struct thief), error);
    struct thief *thieves = system->victim_state;
    for (uint32_t i = 0; i < system->n_workers && code == 0; i++)
        thieves[i].last = AL_NO_WORKER;
    return code;
}

static struct thief *state_of(const struct al_worker *thief)
{
    return &((struct thief *)thief->system->victim_state)[thief->id];
}

static uint32_t last_success_pick(struct al_worker *thief)
{
    uint32_t last = state_of(thief)->last;
    return last != AL_NO_WORKER ? last : al_thief_any(thief);
}

static void last_success_learn(struct al_worker *thief, uint32_t victim, bool fruitful)
{
    state_of(thief)->last = fruitful ? victim : AL_NO_WORKER;
}

static void last_success_aim(struct al_worker *thief, uint32_t victim)
{
    if (victim != thief->id)
        state_of(thief)->last = victim;
}

const struct al_victim_ops al_victim_last_success = {
    .plugin = {"last-success", "the last victim that had work; if it has none now, any other",
               NULL},
    .init = last_success_init,
    .fini = al_thieves_free,
    .pick = last_success_pick,
    .learn = last_success_learn,
    .aim = last_success_aim,
};
