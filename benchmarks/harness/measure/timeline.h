/* SPDX-License-Identifier: MIT */
#ifndef AL_TIMELINE_H
#define AL_TIMELINE_H

/* The file of `run --trace`: a timeline of each worker, in the trace event format that Chrome and Perfetto open.
 * docs/reference/timeline.md says what is in it. */

#include "benchmarks/harness/measure/trial.h"

/* Can it be written, and is there memory for the events? Creates the file. 0 or a negative errno with a line in
 * error. */
__attribute__((warn_unused_result)) int al_timeline_check(const struct al_trial *trial,
                                                          const char *path, struct al_error *error);

/* Write the timeline of the last iteration. 0 or a negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_timeline_write(const struct al_trial *trial,
                                                          const struct al_outcome *outcome,
                                                          const char *path, struct al_error *error);

#endif
