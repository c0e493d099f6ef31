/* SPDX-License-Identifier: MIT */
#ifndef AL_SIMULATED_H
#define AL_SIMULATED_H

#include <jansson.h>

#include "benchmarks/harness/measure/trial.h"

/* What records say of simulated machines and trials. */

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

/* Trials on the simulated machine (core/engine/sim/sim.h). */

/* Replace this program by the one beside it that simulates, with the same arguments, unless this is
 * it. Returns only on failure: a negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_simulate_exec(char **argv, struct al_error *error);

/*
 * Like al_trial_run, on the machine of trial->model. A run that cannot end, or in which a check
 * fails, is an outcome that is wrong; its error says how far it came and what each worker waits
 * for. So is one in which for config.stall_s seconds of this host's time (0: for ever) no message
 * is sent or delivered and no actor created or terminated.
 */
__attribute__((warn_unused_result)) int
al_simulate(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error);

#endif
