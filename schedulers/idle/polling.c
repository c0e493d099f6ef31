/* SPDX-License-Identifier: MIT */

/*
 * CAF's three polling intervals: looks without sleep, then looks with a short sleep after each, then with
 * a long one, for ever; in each interval every so many looks include an attempt to steal, the first among
 * them. Source: CAF manual, section "Work Stealing", and the defaults of its configuration.
 */

#include "core/scheduler.h"

enum option {
    AGGRESSIVE,
    AGGRESSIVE_STEAL,
    MODERATE,
    MODERATE_STEAL,
    MODERATE_US,
    RELAXED_STEAL,
    RELAXED_US
};

static const struct al_option options[] = {
    [AGGRESSIVE] = {"aggressive_attempts", AL_OPTION_UINT, "100", 0, 1e9, NULL,
                    "looks without sleep"},
    [AGGRESSIVE_STEAL] = {"aggressive_steal", AL_OPTION_UINT, "10", 1, 1e9, NULL,
                          "of these, every n-th steals"},
    [MODERATE] = {"moderate_attempts", AL_OPTION_UINT, "500", 0, 1e9, NULL,
                  "looks with a short sleep"},
    [MODERATE_STEAL] = {"moderate_steal", AL_OPTION_UINT, "5", 1, 1e9, NULL,
                        "of these, every n-th steals"},
    [MODERATE_US] = {"moderate_sleep", AL_OPTION_UINT, "50", 0, 1e9, NULL,
                     "short sleep, microseconds"},
    [RELAXED_STEAL] = {"relaxed_steal", AL_OPTION_UINT, "1", 1, 1e9, NULL,
                       "after these, every n-th look steals"},
    [RELAXED_US] = {"relaxed_sleep", AL_OPTION_UINT, "10000", 0, 1e9, NULL,
                    "long sleep, microseconds"},
    {0},
};

static bool polling_steals(const struct al_worker *self, uint64_t misses)
{
    const union al_value *values = self->system->idle.values;
    if (misses < values[AGGRESSIVE].uint)
        return misses % values[AGGRESSIVE_STEAL].uint == 0;
    misses -= values[AGGRESSIVE].uint;
    if (misses < values[MODERATE].uint)
        return misses % values[MODERATE_STEAL].uint == 0;
    misses -= values[MODERATE].uint;
    return misses % values[RELAXED_STEAL].uint == 0;
}

static void polling_wait(struct al_worker *self, uint64_t misses)
{
    const union al_value *values = self->system->idle.values;
    if (misses <= values[AGGRESSIVE].uint)
        al_pause();
    else if (misses <= values[AGGRESSIVE].uint + values[MODERATE].uint)
        al_idle_sleep(self, values[MODERATE_US].uint * 1000);
    else
        al_idle_sleep(self, values[RELAXED_US].uint * 1000);
}

const struct al_idle_ops al_idle_polling = {
    .plugin = {"polling", "CAF's three intervals: looks without, with short and with long sleeps",
               options},
    .wait = polling_wait,
    .steals = polling_steals,
};
