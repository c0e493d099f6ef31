/* SPDX-License-Identifier: MIT */
#ifndef AL_SCENARIOS_H
#define AL_SCENARIOS_H

/* What every strategy must do right. Each scenario starts a system, uses it, stops it, and aborts
 * with a line if a promise of core/actor.h was broken. */

#include "core/system.h"

struct scenario {
    const char *name;
    void (*run)(const struct al_config *config, bool large);
};

/* Abort if the system does not start, or stops with messages that were never received. */
struct al_system *start_system(const struct al_config *config);
void stop_system(struct al_system *system);

/* Those with a file of their own. */
void run_derived(const struct al_config *config, bool large);

/* Ends with an entry without a name. */
extern const struct scenario scenarios[];

#endif
