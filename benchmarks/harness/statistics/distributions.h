/* SPDX-License-Identifier: MIT */
#ifndef AL_DISTRIBUTIONS_H
#define AL_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How Wilcoxon's statistics are distributed when there is no difference: the sum of the signed
 * ranks of n pairs, or the number of pairs of n_a and n_b values whose first is the smaller. Exact
 * up to 100 pairs, or n_a n_b = 2500; beyond, the normal distribution with corrections for
 * continuity and kurtosis, whose p is up to 3% too large for p >= 0.0001.
 */
struct al_null {
    uint64_t total;             /* the statistic lies between 0 and this */
    double deviation, kurtosis; /* standard deviation; excess */
    double *below;              /* [t]: P(T <= t), for t below half the total; NULL: not exact */
};

/* Free with al_null_release. Return 0 or -ENOMEM. n, n_a and n_b are at least 1. */
__attribute__((warn_unused_result)) int al_null_signed_rank(size_t n, struct al_null *out);
__attribute__((warn_unused_result)) int al_null_rank_sum(size_t n_a, size_t n_b,
                                                         struct al_null *out);
void al_null_release(struct al_null *null);

/* The two-sided p of the smaller of the statistic and its mirror image: min(1, 2 P(T <= t)). */
double al_null_p(const struct al_null *null, uint64_t t);

/* How many t, from 0 on, have a p that al_significant accepts. */
uint64_t al_null_rank(const struct al_null *null, double alpha);

/* Whether p <= alpha, but for what rounding may have done to either: 10^-9 of alpha, and what 1 -
 * level loses. All comparisons of p with a limit use it, so that intervals and verdicts agree. */
bool al_significant(double p, double alpha);

/* The standard normal distribution. Any thread may call any of these. */

/* The z with P(Z < z) = p; ±infinity at 1 and 0. */
double al_normal_quantile(double p);

/* P(Z < z) */
double al_normal_below(double z);

/*
 * The k for which the k-th smallest and the k-th largest of n >= 1 values are the narrowest
 * interval that covers the population's median with at least this level; 1 where even the smallest
 * and the largest cover less. The exact coverage, 1 - 2 P(Bin(n, 1/2) < k), goes to *achieved. Any
 * thread may call it.
 */
size_t al_binomial_rank(size_t n, double level, double *achieved);

#endif
