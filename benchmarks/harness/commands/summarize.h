/* SPDX-License-Identifier: MIT */
#ifndef AL_SUMMARIZE_H
#define AL_SUMMARIZE_H

#include "benchmarks/harness/results/cells.h"

/*
 * `actorlab summarize FILE... [options]`: medians and intervals of recorded runs, for people or as
 * JSON. argv[0] is "summarize". Returns the exit code: 0; 1 if a line was no record (the rest is
 * summarized); 2 usage, or a file that cannot be read; 3 could not write.
 */
int al_summarize_main(int argc, char **argv);

extern const char *const al_interval_keys[]; /* by enum al_interval_kind */

/* To standard output. */
void al_summarize_json(const struct al_summary *summary, struct al_bootstrap *bootstrap);
void al_summarize_table(const struct al_summary *summary, struct al_bootstrap *bootstrap);

#endif
