/* SPDX-License-Identifier: MIT */
#ifndef AL_SUMMARIZE_H
#define AL_SUMMARIZE_H

#include "benchmarks/harness/results/cells.h"

/* `actorlab summarize`: medians and intervals of recorded runs, for people or as JSON. */

extern const char *const al_interval_keys[]; /* by enum al_interval_kind; NULL ends them */

/* To standard output. */
void al_summarize_json(const struct al_summary *summary, struct al_bootstrap *bootstrap);
void al_summarize_table(const struct al_summary *summary);

#endif
