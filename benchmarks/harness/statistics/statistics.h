/* SPDX-License-Identifier: MIT */
#ifndef AL_STATISTICS_H
#define AL_STATISTICS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/quantiles.h"

/*
 * Medians with intervals, and the actual coverage of these intervals. The formulas and their
 * sources are in docs/explanation/statistics.md. No function keeps state: any thread may call any
 * of them.
 */

struct al_interval {
    double median;
    double low;
    double high;
    double achieved; /* the chance that such an interval covers the population's median, 0 to 1 */
    size_t n;        /* how many values */
    bool degenerate; /* low equals high: one value, or no spread that the resamples could see */
};

/* Whether the values were enough for its level. One end may still be 0 or infinite, if trials
 * failed. */
static inline bool al_interval_is_bounded(const struct al_interval *interval)
{
    return interval->low > 0 || isfinite(interval->high);
}

/* What intervals are made with unless somebody asks for something else. */
#define AL_LEVEL     0.95
#define AL_RESAMPLES 10000
#define AL_SEED      1

enum al_interval_kind {
    AL_ORDER,      /* the narrowest two ranks that cover the level, exactly: al_binomial_rank */
    AL_PERCENTILE, /* quantiles of the resamples' medians */
    AL_BCA         /* the same, corrected for bias and acceleration */
};

#define AL_BCA_FROM 20 /* values; with fewer, BCa has too little to correct by */

/*
 * Intervals of the median of n independent values: of AL_PERCENTILE, between the type-7 quantiles
 * (1 - level) / 2 and (1 + level) / 2 of the medians of `resamples` resamples; of AL_BCA,
 * bias-corrected and accelerated (Efron, 1987), from the same replicates; of AL_ORDER, order
 * statistics, which need no resamples. The same seed gives the same interval. Writes the medians to
 * `replicates`, in the order drawn, unless it is NULL. Resamples are drawn once for all samples
 * that have equally many values, and for AL_ORDER only if their medians are asked for.
 *
 * `achieved` follows from the ranks that the resamples drew, not from `level` and not from the
 * values: so one value covers nothing (0), and ties, which can only add to what is covered, keep
 * what their ranks cover.
 *
 * Returns -EINVAL for n or resamples of 0 or of 2^31 and more, a level outside (0, 1), or a value
 * that is not finite or beyond half of what a double holds; -ENOMEM. `out` is then untouched. No
 * result is NaN. One thread at a time. `_new` returns NULL without memory; its arguments are judged
 * when they are used.
 */
struct al_bootstrap;
struct al_bootstrap *al_bootstrap_new(size_t resamples, double level, uint64_t seed);
void al_bootstrap_free(struct al_bootstrap *bootstrap);
__attribute__((warn_unused_result)) int
al_bootstrap_interval(struct al_bootstrap *bootstrap, const double *values, size_t n,
                      enum al_interval_kind kind, double *replicates, struct al_interval *out);

/* One sample's order-statistic interval. */
__attribute__((warn_unused_result)) int al_order_median(const double *values, size_t n,
                                                        double level, struct al_interval *out);

#endif
