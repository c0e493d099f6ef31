/* SPDX-License-Identifier: MIT */
#ifndef AL_RATIO_H
#define AL_RATIO_H

#include "benchmarks/harness/statistics/statistics.h"

/* Ratios of positive values, their intervals and p-values, and corrections for many at once:
 * docs/explanation/statistics.md, Ratios. */

struct al_ratio {
    struct al_interval interval; /* median: the ratio. achieved: NAN if it cannot be told */
    bool paired;
    size_t n[2];            /* how many values above and below the line */
    double mean, error, df; /* of the logarithm: mean, standard error, degrees of freedom */
    double p;               /* two-sided, for a ratio of 1; NAN where there are too few values */
};

/*
 * The ratio a / b of n pairs of values that were measured side by side, as the cells of one block
 * are: the drift that they share drops out. From AL_RATIO_BOOTSTRAP pairs on, the median of the
 * ratios with its percentile bootstrap interval. With fewer, the geometric mean with the paired t
 * interval of the logarithms, exp(d ± t s / sqrt(n)); it covers what it says if these are normal.
 * One pair has no interval: it is degenerate, and covers nothing. p is of the paired t test of the
 * logarithms. Errors are those of al_bootstrap_median; a value that is not positive is -EINVAL too.
 */
__attribute__((warn_unused_result)) int al_ratio_paired(struct al_bootstrap *bootstrap,
                                                        const double *a, const double *b, size_t n,
                                                        struct al_ratio *out);

/*
 * The ratio of n_a values to n_b that have nothing in common. From AL_RATIO_BOOTSTRAP of either on,
 * the ratio of the medians with the percentile interval of both resampled; what that covers is not
 * known exactly. With fewer, the ratio of the geometric means with Welch's t interval of the
 * logarithms. p is of Welch's t test of these.
 */
__attribute__((warn_unused_result)) int al_ratio_independent(struct al_bootstrap *bootstrap,
                                                             const double *a, size_t n_a,
                                                             const double *b, size_t n_b,
                                                             struct al_ratio *out);

#define AL_RATIO_BOOTSTRAP 10

/* Ratios of the medians of resampled a to those of resampled b. Different streams are
 * independent. */
__attribute__((warn_unused_result)) int al_ratio_replicates(struct al_bootstrap *bootstrap,
                                                            const double *a, size_t n_a,
                                                            const double *b, size_t n_b,
                                                            uint64_t stream, double *replicates);

/* The geometric mean of independent ratios, with Welch's t interval of the logarithms: their errors
 * add up, each with its own degrees of freedom. -EINVAL for none, or a level outside (0, 1). */
__attribute__((warn_unused_result)) int al_ratio_average(const struct al_ratio *ratios, size_t n,
                                                         double level, struct al_interval *out);

/* Corrects p-values for their number (Holm, 1979), in place; those that are NAN do not count and
 * stay. Returns 0 or -ENOMEM. */
__attribute__((warn_unused_result)) int al_holm(double *p, size_t n);

/* P(|T| >= |t|) for Student's T of df > 0 degrees of freedom, and the t with P(T < t) = p, 0 < p <
 * 1. */
double al_student_outside(double t, double df);
double al_student_quantile(double p, double df);

#endif
