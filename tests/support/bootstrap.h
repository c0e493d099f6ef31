/* SPDX-License-Identifier: MIT */
#ifndef AL_TEST_BOOTSTRAP_H
#define AL_TEST_BOOTSTRAP_H

#include <errno.h>

#include "benchmarks/harness/statistics/statistics.h"

/* The intervals of one sample's median, each with resamples of its own. */

static inline int bootstrapped(const double *values, size_t n, size_t resamples, double level,
                               uint64_t seed, enum al_interval_kind kind, double *replicates,
                               struct al_interval *out)
{
    struct al_bootstrap *bootstrap = al_bootstrap_new(resamples, level, seed);
    int code = bootstrap != NULL
                   ? al_bootstrap_interval(bootstrap, values, n, kind, replicates, out)
                   : -ENOMEM;
    al_bootstrap_free(bootstrap);
    return code;
}

static inline int percentile_median(const double *values, size_t n, size_t resamples, double level,
                                    uint64_t seed, double *replicates, struct al_interval *out)
{
    return bootstrapped(values, n, resamples, level, seed, AL_PERCENTILE, replicates, out);
}

static inline int bca_median(const double *values, size_t n, size_t resamples, double level,
                             uint64_t seed, double *replicates, struct al_interval *out)
{
    return bootstrapped(values, n, resamples, level, seed, AL_BCA, replicates, out);
}

#endif
