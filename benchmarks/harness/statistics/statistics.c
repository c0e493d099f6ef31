/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/bca.h"
#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/resamples.h"

/* A value that resamples have for their median, and how many have it. */
struct replicate {
    double value;
    uint32_t times;
};

static int compare_replicates(const void *left, const void *right)
{
    double a = ((const struct replicate *)left)->value;
    double b = ((const struct replicate *)right)->value;
    return (a > b) - (a < b);
}

/* The value at a place among all replicates, from 0. */
static double replicate_at(const struct replicate *sorted, size_t index)
{
    while (index >= sorted->times)
        index -= sorted++->times;
    return sorted->value;
}

static double replicate_quantile(const struct replicate *sorted, size_t count, double p)
{
    double fraction;
    size_t i = al_quantile_index(count, p, &fraction);
    double value = replicate_at(sorted, i);
    return fraction > 0 ? value + fraction * (replicate_at(sorted, i + 1) - value) : value;
}

/*
 * Efron's acceleration, from the medians of the n samples that leave one value out. It does not
 * depend on place or scale, so they are taken into [0, 1] first: no overflow, whatever the values.
 */
static double acceleration(const double *sorted, size_t n)
{
    if (n < 2)
        return 0;
    /* Leaving out a value in the upper half, in the lower half, or (odd n) the middle one. */
    size_t m = n / 2;
    bool odd = n % 2 == 1;
    double lowest = odd ? (sorted[m - 1] + sorted[m]) / 2 : sorted[m - 1];
    double highest = odd ? (sorted[m] + sorted[m + 1]) / 2 : sorted[m];
    if (lowest == highest)
        return 0;
    double spread = highest - lowest;
    double centre = odd ? ((sorted[m - 1] + sorted[m + 1]) / 2 - lowest) / spread : 0;
    double half = (double)m;
    double mean = (half + centre) / (double)n;
    double from_low = mean, from_high = mean - 1, from_centre = odd ? mean - centre : 0;
    double squares = half * (pow(from_low, 2) + pow(from_high, 2)) + pow(from_centre, 2);
    double cubes = half * (pow(from_low, 3) + pow(from_high, 3)) + pow(from_centre, 3);
    return cubes / (6 * pow(squares, 1.5));
}

/* z0: how far the replicates lie to one side of the median. */
static double bias_correction(const struct replicate *replicates, size_t kinds, size_t count,
                              double median)
{
    size_t less = 0, equal = 0;
    for (size_t k = 0; k < kinds; k++) {
        less += replicates[k].value < median ? replicates[k].times : 0;
        equal += replicates[k].value == median ? replicates[k].times : 0;
    }
    return al_bca_bias(less, equal, count);
}

/* What was drawn for samples of one size, and what the percentile interval covers there. */
struct drawn {
    struct al_resamples *resamples;
    double achieved; /* negative: not computed yet */
    struct drawn *next;
};

struct al_bootstrap {
    size_t resamples;
    double level;
    uint64_t seed;
    struct drawn *drawn;
};

struct al_bootstrap *al_bootstrap_new(size_t resamples, double level, uint64_t seed)
{
    struct al_bootstrap *bootstrap = calloc(1, sizeof *bootstrap);
    if (bootstrap != NULL)
        *bootstrap = (struct al_bootstrap){.resamples = resamples, .level = level, .seed = seed};
    return bootstrap;
}

void al_bootstrap_free(struct al_bootstrap *bootstrap)
{
    if (bootstrap == NULL)
        return;
    for (struct drawn *drawn = bootstrap->drawn, *next; drawn != NULL; drawn = next) {
        next = drawn->next;
        al_resamples_free(drawn->resamples);
        free(drawn);
    }
    free(bootstrap);
}

/* Those of this size, drawn if they are the first; NULL without memory. */
static struct drawn *drawn_for(struct al_bootstrap *bootstrap, size_t n)
{
    for (struct drawn *drawn = bootstrap->drawn; drawn != NULL; drawn = drawn->next) {
        if (drawn->resamples->n == n)
            return drawn;
    }
    struct drawn *drawn = malloc(sizeof *drawn);
    struct al_resamples *resamples = al_resamples_new(n, bootstrap->resamples, bootstrap->seed);
    if (drawn == NULL || resamples == NULL) {
        free(drawn);
        al_resamples_free(resamples);
        return NULL;
    }
    *drawn = (struct drawn){resamples, -1, bootstrap->drawn};
    return bootstrap->drawn = drawn;
}

static bool acceptable(const struct al_bootstrap *bootstrap, const double *values, size_t n)
{
    if (n == 0 || n >= INT32_MAX || bootstrap->resamples == 0 || bootstrap->resamples > INT32_MAX ||
        !(bootstrap->level > 0 && bootstrap->level < 1))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(values[i]) <= DBL_MAX / 2)) /* sums and differences of two values stay finite */
            return false;
    }
    return true;
}

static void replicate(const struct al_resamples *resamples, const double *sorted, double *out)
{
    for (size_t r = 0; r < resamples->count; r++)
        out[r] = (sorted[resamples->drawn[r].lower - 1] + sorted[resamples->drawn[r].upper - 1]) /
                 2;
}

/* Between two ranks, whatever was drawn. */
static struct al_interval order_interval(const double *sorted, size_t n, double level)
{
    struct al_interval interval = {.n = n};
    size_t rank = al_binomial_rank(n, level, &interval.achieved);
    interval.low = sorted[rank - 1];
    interval.high = sorted[n - rank];
    return interval;
}

/* Between two quantiles of the medians of the resamples. */
static int resampled_interval(const struct al_bootstrap *bootstrap, struct drawn *drawn,
                              const double *sorted, double median, enum al_interval_kind kind,
                              struct al_interval *out)
{
    const struct al_resamples *resamples = drawn->resamples;
    struct replicate *each = calloc(resamples->kinds, sizeof *each);
    if (each == NULL)
        return -ENOMEM;
    for (size_t k = 0; k < resamples->kinds; k++)
        each[k] = (struct replicate){
            (sorted[resamples->kind[k].lower - 1] + sorted[resamples->kind[k].upper - 1]) / 2,
            resamples->times[k]};
    qsort(each, resamples->kinds, sizeof *each, compare_replicates);

    double tail = (1 - bootstrap->level) / 2, from = tail, to = 1 - tail;
    if (kind == AL_BCA) {
        double bias = bias_correction(each, resamples->kinds, resamples->count, median);
        double accelerate = acceleration(sorted, resamples->n), z = al_normal_quantile(tail);
        from = al_bca_quantile(bias, accelerate, z);
        to = al_bca_quantile(bias, accelerate, -z);
    }
    double achieved = kind == AL_PERCENTILE ? drawn->achieved : -1;
    if (achieved < 0)
        achieved = fmax(al_resamples_above(resamples, to) - al_resamples_above(resamples, from), 0);
    if (kind == AL_PERCENTILE)
        drawn->achieved = achieved;
    *out = (struct al_interval){.low = replicate_quantile(each, resamples->count, from),
                                .high = replicate_quantile(each, resamples->count, to),
                                .achieved = achieved,
                                .n = resamples->n};
    free(each);
    return 0;
}

int al_bootstrap_interval(struct al_bootstrap *bootstrap, const double *values, size_t n,
                          enum al_interval_kind kind, double *replicates, struct al_interval *out)
{
    if (!acceptable(bootstrap, values, n))
        return -EINVAL;
    bool resampled = kind != AL_ORDER || replicates != NULL;
    struct drawn *drawn = resampled ? drawn_for(bootstrap, n) : NULL;
    double *sorted = calloc(n, sizeof *sorted);
    if (sorted == NULL || (resampled && drawn == NULL)) {
        free(sorted);
        return -ENOMEM;
    }
    memcpy(sorted, values, n * sizeof *sorted);
    double median = al_median(sorted, n);
    if (replicates != NULL)
        replicate(drawn->resamples, sorted, replicates);
    struct al_interval interval;
    int code = 0;
    if (kind == AL_ORDER)
        interval = order_interval(sorted, n, bootstrap->level);
    else
        code = resampled_interval(bootstrap, drawn, sorted, median, kind, &interval);
    free(sorted);
    if (code != 0)
        return code;
    interval.median = median;
    interval.degenerate = interval.low == interval.high;
    *out = interval;
    return 0;
}

int al_order_median(const double *values, size_t n, double level, struct al_interval *out)
{
    struct al_bootstrap *bootstrap = al_bootstrap_new(1, level, AL_SEED);
    int code = bootstrap != NULL ? al_bootstrap_interval(bootstrap, values, n, AL_ORDER, NULL, out)
                                 : -ENOMEM;
    al_bootstrap_free(bootstrap);
    return code;
}
