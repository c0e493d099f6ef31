/* SPDX-License-Identifier: MIT */
#ifndef AL_MEASURE_PROFILE_H
#define AL_MEASURE_PROFILE_H

#include <jansson.h>

#include "benchmarks/harness/measure/trial.h"

/*
 * Measure the profile of a trial's workload: run it once more on al_profiler, with as many workers.
 * `outcome` is that of the trial, whose times say how many messages per second there are; look and
 * its argument are called as those of a trial. 0 with a new object of AL_PROFILE_FIELDS, or a
 * negative errno with a line in error.
 */
__attribute__((warn_unused_result)) int
al_profile_measure(const struct al_trial *trial, const struct al_outcome *outcome,
                   void (*look)(void *argument, const struct al_outcome *outcome),
                   void *look_argument, json_t **profile, struct al_error *error);

/* Check that the file can be written, and create it. The second writes it; "-" is standard output.
 * 0, or a negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_profile_write(const json_t *profile, const char *path,
                                                         struct al_error *error);

#endif
