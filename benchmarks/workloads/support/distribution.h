/* SPDX-License-Identifier: MIT */
#ifndef AL_DISTRIBUTION_H
#define AL_DISTRIBUTION_H

/* Distributions of times with a mean of 1. */

#include <math.h>

#include "benchmarks/workloads/benchmark.h"

enum al_distribution { AL_CONSTANT, AL_EXPONENTIAL, AL_PARETO };

#define AL_DISTRIBUTION_CHOICES                                                                    \
    {                                                                                              \
        "constant", "exponential", "pareto", NULL                                                  \
    }
#define AL_DISTRIBUTION_HELP                                                                       \
    "constant; exponential; or pareto, with a heavy tail: one in 1,000 is 34 times the mean"

/* In (0, 1]. */
static inline double al_random_real(struct al_random *random)
{
    return (double)((al_random_next(random) >> 11) + 1) * 0x1p-53;
}

/*
 * Pareto: with a shape of 1.5, so that the variance is not finite, but for a bound of 1,000 times
 * the mean, which lets the mean of a run settle.
 */
static inline double al_distribution_draw(enum al_distribution kind, struct al_random *random)
{
    const double shape = 1.5, bound = 1000;
    /* With this least value the mean is 1, values above the bound being counted as the bound. */
    const double least = 0.33746622683718286;
    double u = al_random_real(random), x;
    switch (kind) {
    case AL_EXPONENTIAL:
        return -log(u);
    case AL_PARETO:
        x = least / pow(u, 1 / shape);
        return x < bound ? x : bound;
    default:
        return 1;
    }
}

#endif
