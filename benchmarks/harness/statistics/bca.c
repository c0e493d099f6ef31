/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/bca.h"

#include <math.h>

#include "benchmarks/harness/statistics/distributions.h"

double al_bca_bias(size_t less, size_t equal, size_t replicates)
{
    double half = 0.5 / (double)replicates;
    double share = ((double)less + (double)equal / 2) / (double)replicates;
    return al_normal_quantile(fmin(fmax(share, half), 1 - half));
}

/* Beyond the pole, as far as it goes: an acceleration is at most 1/6, so that only a score of 6 or
 * more gets there. */
double al_bca_quantile(double bias, double acceleration, double z)
{
    double score = bias + z, slope = 1 - acceleration * score;
    if (slope <= 0)
        return score > 0 ? 1 : 0;
    return al_normal_below(bias + score / slope);
}
