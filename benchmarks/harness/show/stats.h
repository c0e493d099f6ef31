/* SPDX-License-Identifier: MIT */
#ifndef AL_STATS_H
#define AL_STATS_H

/* What `actorlab run --stats` prints. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct al_report;

/*
 * The counters of each worker, with their sums, as a table with a line of explanation each. Of more
 * than eight workers the quantiles, unless `all` are to have their columns.
 */
void al_stats_print(const struct al_report *report, bool all, FILE *file);

#define AL_STATS_UNKNOWN UINT64_MAX

/* A line of such a table: the values of the workers, and of the starting thread, which is last. */
void al_stats_row(FILE *file, const char *name, const uint64_t *values, uint32_t n_workers,
                  bool all, const char *help);

#endif
