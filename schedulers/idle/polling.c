/* SPDX-License-Identifier: MIT */

/*
 * CAF's three polling intervals: looks without sleep, then looks with a short sleep after each,
 * then looks with a long sleep, for ever. Sources: CAF manual, section "Work Stealing"; the
 * defaults of CAF's configuration; CAF 0.17.6, caf/policy/work_stealing.hpp.
 *
 * The manual and the code differ in what the attempts of the first two intervals count. In the code
 * they are looks at the worker's own queue, and every so many of them include an attempt to steal,
 * the first among them; in the manual each is an attempt to steal. The option `counting` chooses;
 * the code is the default.
 *
 * A long sleep ends early when another thread gives the worker an actor (external_enqueue), as in
 * the code: the sleeper announces itself, then looks at its queue once more; the other pushes, then
 * looks for the announcement. A fence stands between the two steps of each, so one sees the other.
 */

#include "schedulers/idle/idles.h"

#include <errno.h>
#include <string.h>

#include "core/plugin/scheduler.h"

enum option {
    AGGRESSIVE,
    AGGRESSIVE_STEAL,
    MODERATE,
    MODERATE_STEAL,
    MODERATE_US,
    RELAXED_STEAL,
    RELAXED_US,
    COUNTING
};

enum counting { COUNTING_POLLS, COUNTING_STEALS };

static const char *const counting_choices[] = {"polls", "steals", NULL}; /* enum counting */

static const struct al_option options[] = {
    [AGGRESSIVE] = {"aggressive_attempts", AL_OPTION_UINT, "100", 0, 1e9, NULL,
                    "looks without sleep"},
    [AGGRESSIVE_STEAL] = {"aggressive_steal", AL_OPTION_UINT, "10", 1, 1e9, NULL,
                          "every n-th of these tries to steal"},
    [MODERATE] = {"moderate_attempts", AL_OPTION_UINT, "500", 0, 1e9, NULL,
                  "looks with a short sleep"},
    [MODERATE_STEAL] = {"moderate_steal", AL_OPTION_UINT, "5", 1, 1e9, NULL,
                        "every n-th of these tries to steal"},
    [MODERATE_US] = {"moderate_sleep", AL_OPTION_UINT, "50", 0, 1e9, NULL,
                     "short sleep, microseconds"},
    [RELAXED_STEAL] = {"relaxed_steal", AL_OPTION_UINT, "1", 1, 1e9, NULL,
                       "after these, every n-th look tries to steal"},
    [RELAXED_US] = {"relaxed_sleep", AL_OPTION_UINT, "10000", 0, 1e9, NULL,
                    "long sleep, microseconds; an actor from outside ends it"},
    [COUNTING] =
        {"counting", AL_OPTION_ENUM, "polls", 0, 0, counting_choices,
         "the attempts are looks, some of which steal (CAF's code), or steals (its manual)"},
    {0},
};

enum state { AWAKE, ASLEEP };

struct sleeper {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 state; /* enum state */
};

static int polling_init(struct al_runtime *system, struct al_error *error)
{
    size_t bytes = system->n_workers * sizeof(struct sleeper);
    struct sleeper *sleepers = al_aligned_alloc(_Alignof(struct sleeper), bytes);
    if (sleepers == NULL)
        return al_error_set(error, -ENOMEM, "no memory for %u sleepers", system->n_workers);
    memset(sleepers, 0, bytes); /* all AWAKE */
    system->idle_state = sleepers;
    return 0;
}

static void polling_fini(struct al_runtime *system)
{
    al_free(system->idle_state);
}

static bool polling_steals(const struct al_worker *self, uint64_t misses)
{
    const union al_value *values = self->system->idle.values;
    if (values[COUNTING].uint == COUNTING_STEALS)
        return true;
    if (misses < values[AGGRESSIVE].uint)
        return misses % values[AGGRESSIVE_STEAL].uint == 0;
    misses -= values[AGGRESSIVE].uint;
    if (misses < values[MODERATE].uint)
        return misses % values[MODERATE_STEAL].uint == 0;
    misses -= values[MODERATE].uint;
    return misses % values[RELAXED_STEAL].uint == 0;
}

static void sleep_relaxed(struct al_worker *self, uint64_t ns)
{
    const struct al_runtime *system = self->system;
    struct sleeper *sleeper = &((struct sleeper *)system->idle_state)[self->id];
    /* relaxed, here and in polling_nudge: the fences order them, and the word publishes nothing */
    al_u32_store_relaxed(&sleeper->state, ASLEEP);
    /* Partner: the fence in polling_nudge. Without it the look could come before the announcement,
     * and the worker would sleep its whole time beside new work. */
    al_fence_seq_cst();
    if (system->ops->length(self) == 0 && !al_runtime_over(system)) {
        al_trace_asleep(self);
        al_park_for(&sleeper->state, ASLEEP, al_idle_most(self, ns));
        al_trace_awake(self, AL_TRACE_SLEEP);
    }
    al_u32_store_relaxed(&sleeper->state, AWAKE);
}

static uint64_t polling_wait(struct al_worker *self, uint64_t misses, uint64_t alike)
{
    const union al_value *values = self->system->idle.values;
    if (misses <= values[AGGRESSIVE].uint) {
        uint64_t left = values[AGGRESSIVE].uint - misses;
        return al_pause_unchanged(alike < left ? alike : left);
    }
    if (misses <= values[AGGRESSIVE].uint + values[MODERATE].uint)
        al_idle_sleep(self, values[MODERATE_US].uint * 1000);
    else
        sleep_relaxed(self, values[RELAXED_US].uint * 1000);
    return 0;
}

static void polling_nudge(struct al_runtime *system, uint32_t id)
{
    struct sleeper *sleepers = system->idle_state;
    uint32_t first = id == AL_EVERYONE ? 0 : id;
    uint32_t end = id == AL_EVERYONE ? system->n_workers : id + 1;
    al_fence_seq_cst(); /* partner: the fence in sleep_relaxed */
    for (uint32_t i = first; i < end; i++) {
        uint32_t expected = ASLEEP;
        if (al_u32_load_relaxed(&sleepers[i].state) == ASLEEP &&
            al_u32_cas_relaxed(&sleepers[i].state, &expected, AWAKE)) {
            al_unpark(&sleepers[i].state, 1);
            al_woke(1);
        }
    }
}

const struct al_idle_ops al_idle_polling = {
    .plugin = {"polling", "CAF's three intervals: looks without, with short and with long sleeps",
               options},
    .longest_sleep = "relaxed_sleep",
    .init = polling_init,
    .fini = polling_fini,
    .wait = polling_wait,
    .steals = polling_steals,
    .nudge = polling_nudge,
};
