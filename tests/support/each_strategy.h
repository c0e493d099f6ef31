/* SPDX-License-Identifier: MIT */
#ifndef AL_EACH_STRATEGY_H
#define AL_EACH_STRATEGY_H

/* What must hold with every strategy, on threads and on the virtual engine with many seeds: with
 * the strategy's own idle policy, and while workers sleep. */

#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

struct scene {
    const char *promise;
    uint64_t seeds;
    struct al_config *(*begin)(void); /* clears what a run leaves behind; its configuration */
    void (*run)(void *argument);
};

/* False: the policy is for other strategies. */
static inline bool play(const struct scene *scene, const char *scheduler, const char *idle)
{
    const struct al_choice choice = {scheduler, NULL, idle};
    struct al_setting settings[SHORT_SLEEPS_MOST];
    struct al_error error;
    for (uint64_t seed = 0; seed < scene->seeds; seed++) {
        struct al_config *config = scene->begin();
        if (al_choose(&choice, config, &error) != 0)
            return false;
        oversubscribe(config, settings, 0, 1 + (uint32_t)(seed % 4), seed);
        (void)run_seed(seed, scene->run, NULL);
    }
    return true;
}

/* A case for each strategy. */
static inline void play_with_each(struct tap *tap, const struct scene *scene)
{
    for (size_t i = 0; al_schedulers[i] != NULL; i++) {
        const char *name = al_schedulers[i]->name;
        (void)play(scene, name, NULL);
        bool sleeps = play(scene, name, "park");
        tap_ok(tap, true, "%s: %s%s", name, scene->promise,
               sleeps ? ", also while workers sleep" : "");
    }
}

#endif
