/* SPDX-License-Identifier: MIT */
#ifndef AL_CHILD_TIMES_H
#define AL_CHILD_TIMES_H

/* Runs of a workload in a process of their own. */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

/*
 * Run a program that prints one record, as `actorlab run --json -` and peers do, and add the time
 * of each of its iterations, in nanoseconds for each message. A negative errno with a line in error
 * if it fails: what it said first, or what its record says.
 */
__attribute__((warn_unused_result)) int al_child_times(char *const command[], struct al_samples *ns,
                                                       struct al_error *error);

#endif
