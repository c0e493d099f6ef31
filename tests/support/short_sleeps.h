/* SPDX-License-Identifier: MIT */
#ifndef AL_SHORT_SLEEPS_H
#define AL_SHORT_SLEEPS_H

/* Settings with which idle policies sleep soon, and not for long: what a test needs. */

#include "core/plugin/idle.h"
#include "core/system.h"

#define SHORT_SLEEPS_MOST 5

/* Write those that the policy knows to `settings`; returns how many. */
static inline size_t short_sleeps(const struct al_idle_ops *idle,
                                  struct al_setting settings[SHORT_SLEEPS_MOST])
{
    static const struct al_setting shorter[SHORT_SLEEPS_MOST] = {
        {"aggressive_attempts", "30"}, {"moderate_attempts", "20"}, {"relaxed_sleep", "200"},
        {"backoff_sleep", "100"},      {"park_spin", "3"},
    };
    size_t n = 0, index;
    for (size_t i = 0; i < SHORT_SLEEPS_MOST; i++)
        if (al_option_matches(&idle->plugin, shorter[i].key, &index))
            settings[n++] = shorter[i];
    return n;
}

/* Complete a configuration whose plug-ins are chosen: with n settings, in an array with room for
 * those of short sleeps, and more workers than PUs, which are not pinned. */
static inline void oversubscribe(struct al_config *config, struct al_setting *settings, size_t n,
                                 uint32_t workers, uint64_t seed)
{
    config->settings = settings;
    config->n_settings = n + short_sleeps(config->idle, settings + n);
    config->workers = workers;
    config->seed = seed;
    config->oversubscribe = true;
    config->pin = "none";
}

#endif
