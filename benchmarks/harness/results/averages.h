/* SPDX-License-Identifier: MIT */
#ifndef AL_AVERAGES_H
#define AL_AVERAGES_H

#include "benchmarks/harness/results/comparison.h"

/* Geometric means of ratios over workloads: docs/explanation/statistics.md, Comparisons. */

struct al_average {
    size_t first, n; /* its first comparison, and how many */
    struct al_interval interval;
};

struct al_averages {
    size_t n;
    struct al_average *all;
    size_t *of; /* by comparison: of which average it is a part */
};

#define AL_AVERAGE_RESAMPLES 2000 /* a limit's error is then 6% of the spread of the averages */

/* The comparisons of one average have the same key: one text per comparison, none for NULL. */
void al_averages_make(const struct al_comparisons *comparisons, char *const *keys, double level,
                      uint64_t seed, struct al_averages *out);

/* All that identifies a setting, whatever the workload: keys for the above, which the caller
 * frees. */
char *al_setting_key(const struct al_comparison *comparison);

void al_averages_release(struct al_averages *averages);

#endif
