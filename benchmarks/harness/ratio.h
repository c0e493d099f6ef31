/* SPDX-License-Identifier: MIT */
#ifndef AL_RATIO_H
#define AL_RATIO_H

#include "benchmarks/harness/statistics.h"

/* The t with P(T < t) = p for Student's T of df >= 1 degrees of freedom; 0 < p < 1. */
double al_student_quantile(double p, size_t df);

/*
 * The ratio a / b of n pairs of positive values that were measured side by side, as the cells of one block are: the drift
 * that they share drops out. From AL_RATIO_BOOTSTRAP pairs on, the median of the ratios with its percentile bootstrap
 * interval. With fewer, the geometric mean with the paired t interval of the logarithms, exp(d ± t s / sqrt(n)); it
 * covers what it says if these are normal. One pair has no interval. Errors are those of al_bootstrap_median; a value
 * that is not positive is -EINVAL too.
 */
__attribute__((warn_unused_result)) int al_paired_ratio(const double *a, const double *b, size_t n,
                                                        size_t resamples, double level,
                                                        uint64_t seed, struct al_interval *out);

#define AL_RATIO_BOOTSTRAP 10

#endif
