/* SPDX-License-Identifier: MIT */
#ifndef AL_REGISTRY_H
#define AL_REGISTRY_H

/*
 * The strategies, victim heuristics and idle policies that exist, by name. For the command and the
 * tests: core is given the plug-ins themselves and knows no names.
 */

#include "core/option.h"
#include "core/system.h"

/* Each ends with NULL. The first strategy is the default. Only al_plugin_add writes to them. */
extern const struct al_plugin *al_schedulers[AL_PLUGINS_MOST], *al_victims[AL_PLUGINS_MOST],
    *al_idles[AL_PLUGINS_MOST];

/* Measures a profile of a workload (core/observe/profile.h), for config.observer; in none of these.
 */
extern const struct al_scheduler_ops al_profiler;

/* The names that a user chose. NULL: the default strategy, and that strategy's own. */
struct al_choice {
    const char *scheduler, *victim, *idle;
};

/* Set the three plug-ins of config by name. -EINVAL with a line in error for an unknown name or for
 * plug-ins that do not go together. Any thread. */
__attribute__((warn_unused_result)) int al_choose(const struct al_choice *choice,
                                                  struct al_config *config, struct al_error *error);

/*
 * For programs that are not here to be measured: al_choose, then al_system_start. Workers without
 * work sleep, so that a system that waits takes no processor time (the policy `park`), unless
 * choice names another policy or the strategy sleeps in its own way. Any thread may send to the
 * system's actors (core/outside.h). choice and config may be NULL; the plug-ins of config are not
 * looked at.
 */
__attribute__((warn_unused_result)) int al_system_open(const struct al_choice *choice,
                                                       const struct al_config *config,
                                                       struct al_system **system,
                                                       struct al_error *error);

#endif
