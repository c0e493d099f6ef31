/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/ratio.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/*
 * The regularized incomplete beta function I_x(a, b), with y = 1 - x: DLMF 8.17.22, a continued
 * fraction, by Lentz's method. It converges fast for x < (a + 1) / (a + b + 2); beyond, 1 - I_y(b,
 * a) is taken.
 */
static double incomplete_beta(double x, double y, double a, double b)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - incomplete_beta(y, x, b, a);
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    double scale = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y);
    return exp(scale) * fraction / a;
}

double al_student_outside(double t, double df)
{
    double square = t * t;
    return isinf(square) ? 0
                         : incomplete_beta(df / (df + square), square / (df + square), df / 2, 0.5);
}

/* By bisection of the angle whose tangent is t / sqrt(df). */
double al_student_quantile(double p, double df)
{
    double outside = 2 * fmin(p, 1 - p), low = 0, high = M_PI_2;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;
        if (al_student_outside(sqrt(df) * tan(middle), df) > outside)
            low = middle;
        else
            high = middle;
    }
    double t = sqrt(df) * tan(low);
    return p < 0.5 ? -t : t;
}

/* Mean of logarithms, and the variance of that mean; 0 for one value. Summed from the first on, so
 * that equal values have exactly their logarithm for a mean, and no variance. */
static void of_logs(const double *values, size_t n, double *mean, double *variance)
{
    double first = log(values[0]), beyond = 0;
    for (size_t i = 0; i < n; i++)
        beyond += log(values[i]) - first;
    *mean = first + beyond / (double)n;
    *variance = 0;
    for (size_t i = 0; i < n; i++)
        *variance += (log(values[i]) - *mean) * (log(values[i]) - *mean);
    if (n > 1)
        *variance /= (double)(n - 1) * (double)n;
}

/* Without any spread, all logarithms the same, only 1 itself agrees with a ratio of 1. */
static double two_sided(const struct al_ratio *ratio)
{
    if (!(ratio->df > 0))
        return NAN;
    if (ratio->error == 0)
        return ratio->mean == 0 ? 1 : 0;
    return al_student_outside(ratio->mean / ratio->error, ratio->df);
}

#define MOST_LOG 700 /* e^700 = 10^304: as good as infinite, which JSON cannot say */

/* exp(mean ± t error) */
static struct al_interval t_interval(const struct al_ratio *ratio, double level)
{
    bool known = ratio->df > 0;
    double half = known ? al_student_quantile((1 + level) / 2, ratio->df) * ratio->error : 0;
    struct al_interval interval = {.median = exp(ratio->mean),
                                   .low = exp(ratio->mean - half),
                                   .high = exp(fmin(ratio->mean + half, MOST_LOG)),
                                   .achieved = known ? level : 0,
                                   .n = ratio->n[0] < ratio->n[1] ? ratio->n[0] : ratio->n[1]};
    interval.degenerate = interval.low == interval.high;
    return interval;
}

static bool positive(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0 && isfinite(values[i])))
            return false;
    }
    return n > 0;
}

static bool level_is_valid(const struct al_bootstrap *bootstrap)
{
    double level = al_bootstrap_level(bootstrap);
    return level > 0 && level < 1;
}

int al_ratio_paired(struct al_bootstrap *bootstrap, const double *a, const double *b, size_t n,
                    struct al_ratio *out)
{
    if (!positive(a, n) || !positive(b, n) || !level_is_valid(bootstrap))
        return -EINVAL;
    double *ratios = calloc(n, sizeof *ratios);
    if (ratios == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ratios[i] = a[i] / b[i];
    int code = positive(ratios, n) ? 0 : -EINVAL;
    if (code == 0) {
        struct al_ratio ratio = {.paired = true, .n = {n, n}, .df = (double)n - 1};
        of_logs(ratios, n, &ratio.mean, &ratio.error);
        ratio.error = sqrt(ratio.error);
        ratio.p = two_sided(&ratio);
        if (n < AL_RATIO_BOOTSTRAP)
            ratio.interval = t_interval(&ratio, al_bootstrap_level(bootstrap));
        else
            code = al_bootstrap_interval(bootstrap, ratios, n, AL_PERCENTILE, NULL,
                                         &ratio.interval);
        if (code == 0)
            *out = ratio;
    }
    free(ratios);
    return code;
}

int al_ratio_replicates(struct al_bootstrap *bootstrap, const double *a, size_t n_a,
                        const double *b, size_t n_b, uint64_t stream, double *replicates)
{
    size_t resamples = al_bootstrap_resamples(bootstrap);
    double *below = calloc(resamples, sizeof *below);
    int code = below != NULL ? 0 : -ENOMEM;
    /* Of two streams, or both would be drawn alike. */
    if (code == 0)
        code = al_bootstrap_medians(bootstrap, a, n_a, 2 * stream, replicates);
    if (code == 0)
        code = al_bootstrap_medians(bootstrap, b, n_b, 2 * stream + 1, below);
    for (size_t r = 0; code == 0 && r < resamples; r++)
        replicates[r] /= below[r];
    free(below);
    return code;
}

static int resample_both(struct al_bootstrap *bootstrap, const double *a, const double *b,
                         struct al_ratio *ratio)
{
    size_t resamples = al_bootstrap_resamples(bootstrap), n_a = ratio->n[0], n_b = ratio->n[1];
    double tail = (1 - al_bootstrap_level(bootstrap)) / 2;
    double *replicates = calloc(resamples, sizeof *replicates);
    struct al_interval of_a, of_b;
    int code = replicates != NULL ? 0 : -ENOMEM;
    if (code == 0)
        code = al_bootstrap_interval(bootstrap, a, n_a, AL_PERCENTILE, NULL, &of_a);
    if (code == 0)
        code = al_bootstrap_interval(bootstrap, b, n_b, AL_PERCENTILE, NULL, &of_b);
    if (code == 0)
        code = al_ratio_replicates(bootstrap, a, n_a, b, n_b, 0, replicates);
    if (code == 0) {
        al_median(replicates, resamples); /* sorts */
        ratio->interval = (struct al_interval){
            .median = of_a.median / of_b.median,
            .low = al_quantile(replicates, resamples, tail),
            .high = al_quantile(replicates, resamples, 1 - tail),
            .achieved = NAN,
            .n = n_a < n_b ? n_a : n_b,
        };
        ratio->interval.degenerate = ratio->interval.low == ratio->interval.high;
    }
    free(replicates);
    return code;
}

int al_ratio_independent(struct al_bootstrap *bootstrap, const double *a, size_t n_a,
                         const double *b, size_t n_b, struct al_ratio *out)
{
    if (!positive(a, n_a) || !positive(b, n_b) || !level_is_valid(bootstrap))
        return -EINVAL;
    struct al_ratio ratio = {.n = {n_a, n_b}};
    double mean_a, mean_b, variance_a, variance_b;
    of_logs(a, n_a, &mean_a, &variance_a);
    of_logs(b, n_b, &mean_b, &variance_b);
    double variance = variance_a + variance_b;
    ratio.mean = mean_a - mean_b;
    ratio.error = sqrt(variance);
    /* Welch and Satterthwaite; without spread any will do. One value has none that is known. */
    if (n_a > 1 && n_b > 1)
        ratio.df = variance > 0 ? variance * variance /
                                      (variance_a * variance_a / (double)(n_a - 1) +
                                       variance_b * variance_b / (double)(n_b - 1))
                                : (double)(n_a + n_b - 2);
    ratio.p = two_sided(&ratio);
    int code = 0;
    if (n_a < AL_RATIO_BOOTSTRAP || n_b < AL_RATIO_BOOTSTRAP)
        ratio.interval = t_interval(&ratio, al_bootstrap_level(bootstrap));
    else
        code = resample_both(bootstrap, a, b, &ratio);
    if (code == 0)
        *out = ratio;
    return code;
}

int al_ratio_average(const struct al_ratio *ratios, size_t n, double level, struct al_interval *out)
{
    double weight = 1 / (double)n;
    struct al_ratio sum = {.n = {n, n}};
    double squares = 0, degrees = 0;
    bool known = n > 0 && level > 0 && level < 1;
    if (!known)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        double variance = pow(ratios[i].error * weight, 2);
        sum.mean += ratios[i].mean * weight;
        squares += variance;
        degrees += variance > 0 ? variance * variance / ratios[i].df : 0;
        known &= ratios[i].df > 0;
    }
    sum.error = sqrt(squares);
    if (known)
        sum.df = degrees > 0 ? squares * squares / degrees : (double)n;
    *out = t_interval(&sum, level);
    return 0;
}

static int compare_pointed(const void *left, const void *right)
{
    double a = **(double *const *)left, b = **(double *const *)right;
    return (a > b) - (a < b);
}

int al_holm(double *p, size_t n)
{
    double **order = calloc(n + 1, sizeof *order);
    if (order == NULL)
        return -ENOMEM;
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i]))
            order[known++] = &p[i];
    }
    qsort(order, known, sizeof *order, compare_pointed);
    /* The smallest counts as many times as there are, the next one time less; none less than the
     * one before. */
    double least = 0;
    for (size_t i = 0; i < known; i++)
        *order[i] = least = fmax(least, fmin(1, *order[i] * (double)(known - i)));
    free(order);
    return 0;
}
