/* SPDX-License-Identifier: MIT */

/*
 * The others in turn. Source: the Mercury text "Revised work stealing", algorithm try_steal_spark
 * and its field victim_counter, to which a round adds an `offset` that the text does not define.
 * Here a fruitless attempt moves the counter on by one; a fruitful one leaves it, since where there
 * was work there may be more. Whoever wakes a worker may set its counter (MR_sleep,
 * ACTION_STEAL_SPARK): that is `aim`.
 *
 * With counter=own each thief has a counter of its own, so that thieves share nothing. The text
 * does not know "if this policy works better or worse" than what it replaced: one counter for all,
 * protected by a lock. That is counter=shared, where each attempt takes the next worker, whoever
 * makes it. (There the lock was held while stealing, too, because it protected the array of
 * deques.)
 */

#include "schedulers/victims/victims.h"

#include "schedulers/victims/thieves.h"

enum option { COUNTER };

enum counter { COUNTER_OWN, COUNTER_SHARED };

static const char *const counter_choices[] = {"own", "shared", NULL}; /* enum counter */

static const struct al_option options[] = {
    [COUNTER] = {"counter", AL_OPTION_ENUM, "own", 0, 0, counter_choices,
                 "whose turn it is: a counter for each thief, or one for all, behind a lock"},
    {0},
};

/* With counter=shared all thieves use the first element. */
struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock; /* of counter=shared */
    uint32_t next;
};

static bool is_shared(const struct al_worker *thief)
{
    return thief->system->victim.values[COUNTER].uint == COUNTER_SHARED;
}

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
    struct thief *thieves = thief->system->victim_state;
    return is_shared(thief) ? thieves : &thieves[thief->id];
}

static void set(struct al_worker *thief, uint32_t next)
{
    struct thief *state = state_of(thief);
    if (!is_shared(thief)) {
        state->next = next;
        return;
    }
    al_spinlock_lock(&state->lock);
    state->next = next;
    al_spinlock_unlock(&state->lock);
}

static uint32_t round_robin_pick(struct al_worker *thief)
{
    struct thief *state = state_of(thief);
    if (!is_shared(thief))
        return state->next;
    al_spinlock_lock(&state->lock);
    uint32_t victim = state->next != thief->id ? state->next : after(thief, state->next);
    state->next = victim + 1 < thief->system->n_workers ? victim + 1 : 0;
    al_spinlock_unlock(&state->lock);
    return victim;
}

/* The shared counter has moved on already. */
static void round_robin_learn(struct al_worker *thief, uint32_t victim, bool fruitful)
{
    if (is_shared(thief)) {
        if (fruitful)
            set(thief, victim);
    } else if (!fruitful) {
        set(thief, after(thief, victim));
    }
}

static void round_robin_aim(struct al_worker *thief, uint32_t victim)
{
    if (victim != thief->id)
        set(thief, victim);
}

const struct al_victim_ops al_victim_round_robin = {
    .plugin = {"round-robin", "the others in turn; again the same one while it has work", options},
    .init = round_robin_init,
    .fini = al_thieves_free,
    .pick = round_robin_pick,
    .learn = round_robin_learn,
    .aim = round_robin_aim,
};
