/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/ratio.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/pairwise.h"

static bool positive(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0))
            return false;
    }
    return n > 0;
}

#define MOST_LOG   700 /* e^700 = 10^304: a ratio beyond is none of measured values */
#define LOG_FAILED 1e7 /* of what failed: averages with it, also of many, remain beyond MOST_LOG */

/* That of b / a is exactly the negative, and equal ratios of different values are equal. */
static double log_ratio(double a, double b)
{
    if (isinf(a) || isinf(b))
        return isinf(a) && isinf(b) ? 0 : isinf(a) ? LOG_FAILED : -LOG_FAILED;
    return a < b ? -log(b / a) : log(a / b);
}

static double log_of(double value)
{
    return isinf(value) ? LOG_FAILED : log(value);
}

/* Whether it is a difference of finite values, but too large for a double. */
static bool too_large(double log)
{
    return fabs(log) >= MOST_LOG && fabs(log) < LOG_FAILED / 2;
}

/* On the side of 1 on which its logarithm says, even if that is too small to tell. */
static double from_log(double log)
{
    if (fabs(log) >= MOST_LOG)
        return log > 0 ? INFINITY : 0;
    double ratio = exp(log);
    if (log > 0)
        return fmax(ratio, 1 + DBL_EPSILON);
    return log < 0 ? fmin(ratio, 1 - DBL_EPSILON / 2) : 1;
}

static struct al_pairwise pairs_of(const struct al_ratio *ratio)
{
    return (struct al_pairwise){ratio->logs[0], ratio->logs[1], ratio->n[0], ratio->n[1]};
}

/* Takes over the logarithms and estimates. */
static int finish(struct al_ratio *ratio, struct al_ratio *out)
{
    struct al_pairwise pairs = pairs_of(ratio);
    int code = -EINVAL;
    double next;
    if (!too_large(al_pairwise_select(&pairs, 1)) &&
        !too_large(al_pairwise_select(&pairs, al_pairwise_total(&pairs))))
        code = ratio->paired ? al_null_signed_rank(ratio->n[0], &ratio->null)
                             : al_null_rank_sum(ratio->n[0], ratio->n[1], &ratio->null);
    if (code != 0) {
        al_ratio_release(ratio);
        return code;
    }
    uint64_t at_most = al_pairwise_count(&pairs, 0, &next);
    uint64_t at_least = ratio->null.total - al_pairwise_count(&pairs, -DBL_TRUE_MIN, &next);
    ratio->estimate = from_log(al_pairwise_median(&pairs));
    ratio->p = al_null_p(&ratio->null, at_most < at_least ? at_most : at_least);
    *out = *ratio;
    return 0;
}

int al_ratio_paired(const double *a, const double *b, size_t n, struct al_ratio *out)
{
    if (!positive(a, n) || !positive(b, n))
        return -EINVAL;
    struct al_ratio ratio = {.paired = true, .n = {n, n}, .logs = {calloc(n, sizeof(double))}};
    if (ratio.logs[0] == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ratio.logs[0][i] = log_ratio(a[i], b[i]);
    al_median(ratio.logs[0], n); /* sorts */
    return finish(&ratio, out);
}

int al_ratio_independent(const double *a, size_t n_a, const double *b, size_t n_b,
                         struct al_ratio *out)
{
    if (!positive(a, n_a) || !positive(b, n_b))
        return -EINVAL;
    struct al_ratio ratio = {.n = {n_a, n_b},
                             .logs = {calloc(n_a, sizeof(double)), calloc(n_b, sizeof(double))}};
    if (ratio.logs[0] == NULL || ratio.logs[1] == NULL) {
        al_ratio_release(&ratio);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n_a; i++)
        ratio.logs[0][i] = log_of(a[i]);
    for (size_t i = 0; i < n_b; i++)
        ratio.logs[1][i] = log_of(b[i]);
    al_median(ratio.logs[0], n_a);
    al_median(ratio.logs[1], n_b);
    return finish(&ratio, out);
}

void al_ratio_release(struct al_ratio *ratio)
{
    free(ratio->logs[0]);
    free(ratio->logs[1]);
    ratio->logs[0] = ratio->logs[1] = NULL;
    al_null_release(&ratio->null);
}

static size_t smaller(const struct al_ratio *ratio)
{
    return ratio->n[0] < ratio->n[1] ? ratio->n[0] : ratio->n[1];
}

struct al_interval al_ratio_interval(const struct al_ratio *ratio, double level)
{
    uint64_t rank = al_null_rank(&ratio->null, 1 - level);
    struct al_interval interval = {
        .median = ratio->estimate, .low = 0, .high = INFINITY, .achieved = 1, .n = smaller(ratio)};
    if (rank > 0) {
        struct al_pairwise pairs = pairs_of(ratio);
        interval.low = from_log(al_pairwise_select(&pairs, rank));
        interval.high = from_log(al_pairwise_select(&pairs, ratio->null.total + 1 - rank));
        interval.achieved = 1 - al_null_p(&ratio->null, rank - 1);
        interval.degenerate = interval.low == interval.high && interval.low > 0 &&
                              isfinite(interval.high);
    }
    return interval;
}

/* All on one side: one of 2^n signs, or of (n_a + n_b choose n_a) splits. */
double al_ratio_least_p(bool paired, size_t n_a, size_t n_b)
{
    double p = 2;
    if (paired)
        return n_a > 0 ? ldexp(1, 1 - (int)(n_a < 2000 ? n_a : 2000)) : 1;
    for (size_t i = 1; i <= n_a && p > 0; i++)
        p *= (double)i / (double)(n_b + i);
    return fmin(1, p);
}

size_t al_ratio_least_n(bool paired, double alpha)
{
    size_t n = 1;
    while (!al_significant(al_ratio_least_p(paired, n, n), alpha))
        n++;
    return n;
}

static double deviation(const double *values, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* The standard error of the logarithm, times the root of the number. */
static double spread(const struct al_ratio *ratio)
{
    struct al_interval interval = al_ratio_interval(ratio, 0.9);
    if (!isfinite(interval.high))
        return hypot(deviation(ratio->logs[0], ratio->n[0]),
                     ratio->paired ? 0 : deviation(ratio->logs[1], ratio->n[1]));
    double width = log(interval.high) - log(interval.low);
    return width / 2 / al_normal_quantile((1 + interval.achieved) / 2) *
           sqrt((double)smaller(ratio));
}

/* How many make `times` standard errors at most `distance`. */
static double enough(double spread, double times, double distance)
{
    return spread > 0 ? pow(spread * times / distance, 2) : 0;
}

/* Then the spread of the logarithms says nothing of how many it takes, and the p-value does. */
static bool has_failures(const struct al_ratio *ratio)
{
    double extreme = 0;
    for (int s = 0; s < (ratio->paired ? 1 : 2); s++)
        extreme = fmax(extreme, fmax(-ratio->logs[s][0], ratio->logs[s][ratio->n[s] - 1]));
    return extreme >= LOG_FAILED;
}

#define MOST_NEEDED 1e6

size_t al_ratio_needed(const struct al_ratio *ratio, const struct al_decision *decision)
{
    double n = (double)smaller(ratio), effect = fabs(log(ratio->estimate)), each = spread(ratio);
    double different = INFINITY, alike = INFINITY, room = log(decision->margin) - effect;
    double z = -al_normal_quantile(decision->alpha / 2);
    if (effect > 0)
        different = fmax(has_failures(ratio) ? n * pow(z / al_normal_quantile(ratio->p / 2), 2)
                                             : enough(each, z, effect),
                         (double)al_ratio_least_n(ratio->paired, decision->alpha));
    if (room > 0)
        alike = fmax(enough(each, al_normal_quantile((1 + decision->equivalence) / 2), room),
                     (double)al_ratio_least_n(ratio->paired, 1 - decision->equivalence));
    double needed = fmax(ceil(fmin(different, alike)), n + 1);
    return needed <= MOST_NEEDED ? (size_t)needed : SIZE_MAX;
}
