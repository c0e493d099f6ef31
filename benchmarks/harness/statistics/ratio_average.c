/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/statistics/bca.h"
#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/resampled_ratio.h"

/* What the ratios add up to. */
struct sums {
    double whole, *replicates; /* logarithms of the estimates */
    size_t resamples, least_n;
    double squares, cubes; /* of the influences of single values, for the acceleration */
};

/* How much the estimate moves when one value is left out: of each sample that was drawn by itself.
 */
static int add_influences(struct al_resampled_ratio *resampled, const struct al_ratio *ratio,
                          struct sums *sums)
{
    for (int sample = 0; sample < (ratio->paired ? 1 : 2); sample++) {
        size_t n = ratio->n[sample];
        double mean = 0, *left = calloc(n, sizeof *left);
        if (left == NULL)
            return -ENOMEM;
        for (size_t i = 0; i < n; i++)
            left[i] = al_resampled_ratio_without(resampled, sample, i);
        for (size_t i = 0; i < n; i++)
            mean += (left[i] - left[0]) / (double)n;
        for (size_t i = 0; i < n; i++) {
            double influence = (left[0] + mean - left[i]) * (double)(n - 1) / (double)n;
            sums->squares += pow(influence, 2);
            sums->cubes += pow(influence, 3);
        }
        free(left);
    }
    return 0;
}

static int add(const struct al_ratio *ratio, uint64_t seed, uint64_t stream, struct sums *sums)
{
    struct al_resampled_ratio *resampled = al_resampled_ratio_new(ratio);
    if (resampled == NULL)
        return -ENOMEM;
    struct al_random random;
    al_random_seed(&random, seed, stream);
    sums->whole += al_resampled_ratio_whole(resampled);
    for (size_t r = 0; r < sums->resamples; r++)
        sums->replicates[r] += al_resampled_ratio_draw(resampled, &random);
    int code = sums->least_n >= AL_BCA_FROM ? add_influences(resampled, ratio, sums) : 0;
    al_resampled_ratio_free(resampled);
    return code;
}

static struct al_interval interval_of(const struct sums *sums, size_t n, double level)
{
    double tail = (1 - level) / 2, from = tail, to = 1 - tail, *replicates = sums->replicates;
    if (sums->least_n >= AL_BCA_FROM) {
        size_t less = 0, equal = 0;
        for (size_t r = 0; r < sums->resamples; r++) {
            less += replicates[r] < sums->whole;
            equal += replicates[r] == sums->whole;
        }
        double bias = al_bca_bias(less, equal, sums->resamples), z = al_normal_quantile(tail);
        double acceleration = sums->squares > 0 ? sums->cubes / (6 * pow(sums->squares, 1.5)) : 0;
        from = al_bca_quantile(bias, acceleration, z);
        to = al_bca_quantile(bias, acceleration, -z);
    }
    al_median(replicates, sums->resamples); /* sorts */
    struct al_interval interval = {
        .median = exp(sums->whole / (double)n),
        .low = exp(al_quantile(replicates, sums->resamples, from) / (double)n),
        .high = exp(al_quantile(replicates, sums->resamples, to) / (double)n),
        .achieved = NAN,
        .n = n,
    };
    interval.degenerate = interval.low == interval.high;
    return interval;
}

int al_ratio_average(const struct al_ratio *const *ratios, size_t n, size_t resamples, double level,
                     uint64_t seed, struct al_interval *out)
{
    if (n == 0 || resamples == 0 || !(level > 0 && level < 1))
        return -EINVAL;
    struct sums sums = {.replicates = calloc(resamples, sizeof *sums.replicates),
                        .resamples = resamples,
                        .least_n = SIZE_MAX};
    int code = sums.replicates != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < 2 * n; i++) {
        size_t size = ratios[i / 2]->n[i % 2];
        sums.least_n = size < sums.least_n ? size : sums.least_n;
    }
    for (size_t i = 0; code == 0 && i < n; i++)
        code = add(ratios[i], seed, i, &sums);
    if (code == 0)
        *out = interval_of(&sums, n, level);
    free(sums.replicates);
    return code;
}
