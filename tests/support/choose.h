/* SPDX-License-Identifier: MIT */
#ifndef AL_CHOOSE_H
#define AL_CHOOSE_H

/* The plug-ins of a configuration, by name. */

#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"
#include "tests/support/tap.h"

/* NULL: the default strategy, and that strategy's own. */
static inline void choose_plugins(struct al_config *config, const char *scheduler,
                                  const char *victim, const char *idle)
{
    struct al_error error;
    CHECK(al_choose(&(struct al_choice){scheduler, victim, idle}, config, &error) == 0, "%s",
          error.text);
}

/* The same, with an idle policy that does not keep a test on threads waiting as polling would: the
 * strategy's own if it is made to sleep, or park. */
static inline void choose_prompt(struct al_config *config, const char *scheduler,
                                 const char *victim)
{
    choose_plugins(config, scheduler, victim, NULL);
    if (config->scheduler->sleeps == AL_SLEEPS_BY_POLICY)
        choose_plugins(config, scheduler, victim, "park");
}

#endif
