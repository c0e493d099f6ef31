/* SPDX-License-Identifier: MIT */
#ifndef AL_STATS_H
#define AL_STATS_H

/* What `actorlab run --stats` prints. */

#include <stdio.h>

struct al_report;

/* The counters of each worker, with their sums, as a table with a line of explanation each. */
void al_stats_print(const struct al_report *report, FILE *file);

#endif
