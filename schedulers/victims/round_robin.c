/* SPDX-License-Identifier: MIT */

/*
 * The others in turn, each thief with a counter of its own, so that thieves share nothing. Source:
 * the Mercury text "Revised work stealing", algorithm try_steal_spark and its field victim_counter,
 * to which a round adds an `offset` that the text does not define. Here a fruitless attempt moves
 * the counter on by one; a fruitful one leaves it, since where there was work there may be more.
 * Whoever wakes a worker may set its counter (MR_sleep, ACTION_STEAL_SPARK): that is `aim`.
 */

#include "schedulers/victims/victims.h"

#include "schedulers/victims/thieves.h"

struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t next;
};

/* The worker after this one that is not the thief. */
static uint32_t after(const struct al_worker *thief, uint32_t id)
{
    uint32_t n = thief->system->n_workers;
    uint32_t next = id + 1 < n ? id + 1 : 0;
    if (next != thief->id)
        return next;
    return next + 1 < n ? next + 1 : 0;
}

/* Each thief starts at the worker after it, so that thieves that start together spread out. */
static int round_robin_init(struct al_runtime *system, struct al_error *error)
{
    int code = al_thieves_new(system, system->n_workers, sizeof(struct thief), error);
    struct thief *thieves = system->victim_state;
    for (uint32_t i = 0; i < system->n_workers && code == 0; i++)
        thieves[i].next = i + 1 < system->n_workers ? i + 1 : 0;
    return code;
}

static struct thief *state_of(const struct al_worker *thief)
{
    return &((struct thief *)thief->system->victim_state)[thief->id];
}

static uint32_t round_robin_pick(struct al_worker *thief)
{
    return state_of(thief)->next;
}

static void round_robin_learn(struct al_worker *thief, uint32_t victim, bool fruitful)
{
    if (!fruitful)
        state_of(thief)->next = after(thief, victim);
}

static void round_robin_aim(struct al_worker *thief, uint32_t victim)
{
    if (victim != thief->id)
        state_of(thief)->next = victim;
}

const struct al_victim_ops al_victim_round_robin = {
    .plugin = {"round-robin", "the others in turn; again the same one while it has work", NULL},
    .init = round_robin_init,
    .fini = al_thieves_free,
    .pick = round_robin_pick,
    .learn = round_robin_learn,
    .aim = round_robin_aim,
};
