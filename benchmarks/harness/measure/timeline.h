/* SPDX-License-Identifier: MIT */
#ifndef AL_TIMELINE_H
#define AL_TIMELINE_H

/*
 * The file of `run --trace`: a timeline of each worker in the trace event format, which Chrome and
 * Perfetto open. docs/reference/timeline.md describes it.
 */

#include "benchmarks/harness/measure/trial.h"

/*
 * Check that the file can be written and that there is memory for the events, and create the file.
 * 0, or a negative errno with a line in error.
 */
__attribute__((warn_unused_result)) int al_timeline_check(const struct al_trial *trial,
                                                          const char *path, struct al_error *error);

/* Write the timeline of the last iteration. 0 or a negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_timeline_write(const struct al_trial *trial,
                                                          const struct al_outcome *outcome,
                                                          const char *path, struct al_error *error);

#endif
