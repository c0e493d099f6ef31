/* SPDX-License-Identifier: MIT */
#ifndef AL_SCENARIOS_H
#define AL_SCENARIOS_H

/* What every strategy must do right. Each scenario starts a system, uses it, stops it, and aborts
 * with a line if a promise of core/actor.h was broken. */

#include "core/system.h"

struct scenario {
    const char *name;
    void (*run)(const struct al_config *config, bool large);
    /* runs only with a strategy's own heuristic and policy, on which it does not depend */
    bool own;
    /* runs only with a strategy's defaults, on threads that do not sleep in race windows */
    bool flood;
};

/* Start a system, or stop it; abort if it does not start, or if the counts of messages or actors do
 * not add up at the end. */
struct al_system *start_system(const struct al_config *config);
void stop_system(struct al_system *system);

/* Scenarios with files of their own. */
void run_derived(const struct al_config *config, bool large);
void run_flood(const struct al_config *config, bool large);
void run_lingers(const struct al_config *config, bool large);
void run_moves(const struct al_config *config, bool large);
void run_placed(const struct al_config *config, bool large);
void run_recycled(const struct al_config *config, bool large);
void run_savina(const struct al_config *config, bool large);
void run_timers(const struct al_config *config, bool large);
void run_workloads(const struct al_config *config, bool large);

/* Ends with an entry without a name. */
extern const struct scenario scenarios[];

#endif
