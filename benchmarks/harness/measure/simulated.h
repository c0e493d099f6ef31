/* SPDX-License-Identifier: MIT */
#ifndef AL_SIMULATED_H
#define AL_SIMULATED_H

/* What records say of simulated machines and trials. */

#include <jansson.h>

#include "benchmarks/harness/measure/trial.h"

/* The name of a machine that was given by its name or its file: without folder and ".xml". The
 * caller frees it; NULL without memory. */
char *al_simulated_name(const char *given);

/* {"name", "title", "hypothetical", "model_hash", "overridden": {parameter: value}}. NULL without
 * memory. */
json_t *al_simulated_machine_json(const char *name, const struct al_model *model);

/* Likewise of a trial, with the "binary_hash" of this program; null of a native one. */
json_t *al_simulated_trial_json(const struct al_trial *trial);

/* What the simulator counted; null of a native trial. */
json_t *al_simulated_counts_json(const struct al_trial *trial, const struct al_outcome *outcome);

/* The part of the last iteration's time in which the starting thread was busy; negative: unknown.
 */
double al_simulated_starter_busy(const struct al_trial *trial, const struct al_outcome *outcome);

/* Accesses that were simulated in a second of this host's time. */
double al_simulated_speed(const struct al_outcome *outcome);

#endif
