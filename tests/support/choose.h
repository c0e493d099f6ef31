/* SPDX-License-Identifier: MIT */
#ifndef AL_CHOOSE_H
#define AL_CHOOSE_H

/* The plug-ins of a configuration, by name. */

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

#endif
