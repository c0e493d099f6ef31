/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static double polynomial(const double coefficients[8], double x)
{
    double sum = 0;
    for (int i = 7; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

/* Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
 * 37 (1988), PPND16: about 16 digits. */
double al_normal_quantile(double p)
{
    static const double centre[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
         1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
         3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
         2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
         5.2264952788528545610e+3},
    };
    static const double middle[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
         3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
         2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
         1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
         1.05075007164441684324e-9},
    };
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
         2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
         2.04426310338993978564e-15},
    };

    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(centre[0], r) / polynomial(centre[1], r);
    }
    double smaller = q < 0 ? p : 1 - p;
    if (smaller <= 0)
        return q < 0 ? -INFINITY : INFINITY;
    double r = sqrt(-log(smaller));
    double z = r <= 5 ? polynomial(middle[0], r - 1.6) / polynomial(middle[1], r - 1.6)
                      : polynomial(tail[0], r - 5) / polynomial(tail[1], r - 5);
    return q < 0 ? -z : z;
}

static double normal_below(double z)
{
    return erfc(-z / M_SQRT2) / 2;
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

/*
 * Which quantile of the replicates BCa takes in place of the one at normal score z. A median's
 * acceleration is at most 0.069 (three values, two of them equal), so that no score of a double
 * comes to the pole.
 */
static double bca_quantile(double bias, double accelerate, double z)
{
    double score = bias + z;
    return normal_below(bias + score / (1 - accelerate * score));
}

/* z0: how far the replicates lie to one side of the median. */
static double bias_correction(const struct replicate *replicates, size_t kinds, size_t count,
                              double median)
{
    size_t less = 0, less_or_equal = 0;
    for (size_t k = 0; k < kinds; k++) {
        less += replicates[k].value < median ? replicates[k].times : 0;
        less_or_equal += replicates[k].value <= median ? replicates[k].times : 0;
    }
    /* All on one side would be infinitely biased: half a replicate is as far as they can tell. */
    double half = 0.5 / (double)count;
    double share = (double)(less + less_or_equal) / (2 * (double)count);
    return al_normal_quantile(fmin(fmax(share, half), 1 - half));
}

/* What was drawn for samples of one size, and what the percentile interval covers there. */
struct drawn {
    struct al_resamples *resamples;
    uint64_t stream;
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

double al_bootstrap_level(const struct al_bootstrap *bootstrap)
{
    return bootstrap->level;
}

size_t al_bootstrap_resamples(const struct al_bootstrap *bootstrap)
{
    return bootstrap->resamples;
}

/* Those of this size and stream, drawn if they are the first; NULL without memory. */
static struct drawn *drawn_for(struct al_bootstrap *bootstrap, size_t n, uint64_t stream)
{
    for (struct drawn *drawn = bootstrap->drawn; drawn != NULL; drawn = drawn->next) {
        if (drawn->resamples->n == n && drawn->stream == stream)
            return drawn;
    }
    struct drawn *drawn = malloc(sizeof *drawn);
    struct al_resamples *resamples = al_resamples_new(n, bootstrap->resamples, bootstrap->seed,
                                                      stream);
    if (drawn == NULL || resamples == NULL) {
        free(drawn);
        al_resamples_free(resamples);
        return NULL;
    }
    *drawn = (struct drawn){resamples, stream, -1, bootstrap->drawn};
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

int al_bootstrap_medians(struct al_bootstrap *bootstrap, const double *values, size_t n,
                         uint64_t stream, double *replicates)
{
    if (!acceptable(bootstrap, values, n))
        return -EINVAL;
    double *sorted = calloc(n, sizeof *sorted);
    struct drawn *drawn = sorted != NULL ? drawn_for(bootstrap, n, stream) : NULL;
    if (drawn != NULL) {
        memcpy(sorted, values, n * sizeof *sorted);
        al_median(sorted, n); /* sorts */
        replicate(drawn->resamples, sorted, replicates);
    }
    free(sorted);
    return drawn != NULL ? 0 : -ENOMEM;
}

int al_bootstrap_interval(struct al_bootstrap *bootstrap, const double *values, size_t n,
                          enum al_interval_kind kind, double *replicates, struct al_interval *out)
{
    if (!acceptable(bootstrap, values, n))
        return -EINVAL;
    struct drawn *drawn = drawn_for(bootstrap, n, 0);
    double *sorted = calloc(n, sizeof *sorted);
    struct replicate *each = drawn != NULL ? calloc(drawn->resamples->kinds, sizeof *each) : NULL;
    if (sorted == NULL || each == NULL) {
        free(sorted);
        free(each);
        return -ENOMEM;
    }
    const struct al_resamples *resamples = drawn->resamples;
    memcpy(sorted, values, n * sizeof *sorted);
    double median = al_median(sorted, n);
    for (size_t k = 0; k < resamples->kinds; k++)
        each[k] = (struct replicate){
            (sorted[resamples->kind[k].lower - 1] + sorted[resamples->kind[k].upper - 1]) / 2,
            resamples->times[k]};
    qsort(each, resamples->kinds, sizeof *each, compare_replicates);
    if (replicates != NULL)
        replicate(resamples, sorted, replicates);

    double tail = (1 - bootstrap->level) / 2, from = tail, to = 1 - tail;
    if (kind == AL_BCA) {
        double bias = bias_correction(each, resamples->kinds, resamples->count, median);
        double accelerate = acceleration(sorted, n), z = al_normal_quantile(tail);
        from = bca_quantile(bias, accelerate, z);
        to = bca_quantile(bias, accelerate, -z);
    }
    double achieved = kind == AL_PERCENTILE ? drawn->achieved : -1;
    if (achieved < 0)
        achieved = fmax(al_resamples_above(resamples, to) - al_resamples_above(resamples, from), 0);
    if (kind == AL_PERCENTILE)
        drawn->achieved = achieved;
    *out = (struct al_interval){
        .median = median,
        .low = replicate_quantile(each, resamples->count, from),
        .high = replicate_quantile(each, resamples->count, to),
        .achieved = achieved,
        .n = n,
    };
    out->degenerate = out->low == out->high;
    free(each);
    free(sorted);
    return 0;
}

static int once(const double *values, size_t n, size_t resamples, double level, uint64_t seed,
                enum al_interval_kind kind, double *replicates, struct al_interval *out)
{
    struct al_bootstrap *bootstrap = al_bootstrap_new(resamples, level, seed);
    int code = bootstrap != NULL
                   ? al_bootstrap_interval(bootstrap, values, n, kind, replicates, out)
                   : -ENOMEM;
    al_bootstrap_free(bootstrap);
    return code;
}

int al_bootstrap_median(const double *values, size_t n, size_t resamples, double level,
                        uint64_t seed, double *replicates, struct al_interval *out)
{
    return once(values, n, resamples, level, seed, AL_PERCENTILE, replicates, out);
}

int al_bootstrap_median_bca(const double *values, size_t n, size_t resamples, double level,
                            uint64_t seed, double *replicates, struct al_interval *out)
{
    return once(values, n, resamples, level, seed, AL_BCA, replicates, out);
}
