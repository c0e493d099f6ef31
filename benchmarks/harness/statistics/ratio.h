/* SPDX-License-Identifier: MIT */
#ifndef AL_RATIO_H
#define AL_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "benchmarks/harness/statistics/corrections.h"
#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/statistics.h"

/*
 * Ratios of positive values: one estimator, one interval and one test, made from the same numbers,
 * so that they cannot contradict each other. docs/explanation/statistics.md, Ratios. INFINITY
 * stands for what failed: it is larger than all values, and equal to what failed on the other side.
 * Where failures are many, an end of the interval is 0 or INFINITY, and so may be the estimate. No
 * function keeps state: any thread may call any of them.
 */

/* The logarithms that a ratio is made from. Free with al_ratio_release. */
struct al_ratio {
    bool paired;
    size_t n[2];         /* how many values above and below the line */
    double *logs[2];     /* ascending; paired: [0] has those of the ratios, [1] is NULL */
    double estimate;     /* Hodges and Lehmann's, as a ratio */
    double p;            /* two-sided, for a ratio of 1 */
    struct al_null null; /* what p and the intervals are made from */
};

/*
 * The ratio a / b of n pairs of values that were measured side by side: estimate the median of the
 * Walsh averages of the logarithms, p that of Wilcoxon's signed ranks. -EINVAL for no pair, a value
 * that is not positive, or a ratio of finite ones that a double cannot hold; -ENOMEM. `out` is then
 * untouched.
 */
__attribute__((warn_unused_result)) int al_ratio_paired(const double *a, const double *b, size_t n,
                                                        struct al_ratio *out);

/* The same for n_a and n_b values that have nothing in common: the median of all differences of
 * logarithms, and the rank-sum test. */
__attribute__((warn_unused_result)) int al_ratio_independent(const double *a, size_t n_a,
                                                             const double *b, size_t n_b,
                                                             struct al_ratio *out);

void al_ratio_release(struct al_ratio *ratio);

/*
 * The interval of a level, 0 < level < 1. It excludes 1 exactly if al_significant(p, 1 - level).
 * Where the values are too few for the level it is unbounded: low is 0, high is INFINITY, achieved
 * is 1. `achieved` is the exact coverage; median is the estimate.
 */
struct al_interval al_ratio_interval(const struct al_ratio *ratio, double level);

/* The smallest p that so many values can give: of n_a pairs, or of n_a and n_b values. */
double al_ratio_least_p(bool paired, size_t n_a, size_t n_b);

/* The smallest number of pairs, or of values on each side, that can give p <= alpha. */
size_t al_ratio_least_n(bool paired, double alpha);

/* What a comparison is to be decided by. */
struct al_decision {
    double alpha;       /* a p-value up to it is a difference */
    double equivalence; /* level of the interval that must lie within the margin */
    double margin;      /* as a ratio above 1: 1.05 */
};

/*
 * How many pairs (or values on each side) would decide it, if spread and estimate stay what they
 * are. At least one more than now; SIZE_MAX if more than a million.
 */
size_t al_ratio_needed(const struct al_ratio *ratio, const struct al_decision *decision);

/*
 * The geometric mean of independent ratios: each ratio's values are resampled, in `resamples`
 * resamples of the seed, and each resample estimated like the ratio itself. Percentile interval, or
 * BCa where every n is at least AL_BCA_FROM; `achieved` is NAN, because nobody knows it exactly.
 * -EINVAL for no ratio or resample, or a level outside (0, 1); -ENOMEM.
 */
__attribute__((warn_unused_result)) int al_ratio_average(const struct al_ratio *const *ratios,
                                                         size_t n, size_t resamples, double level,
                                                         uint64_t seed, struct al_interval *out);

#endif
