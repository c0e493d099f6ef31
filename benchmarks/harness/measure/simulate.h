/* SPDX-License-Identifier: MIT */
#ifndef AL_SIMULATE_H
#define AL_SIMULATE_H

/* Trials on the simulated machine (core/engine/sim/sim.h). */

#include "benchmarks/harness/measure/trial.h"

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
