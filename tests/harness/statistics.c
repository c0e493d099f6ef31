/* SPDX-License-Identifier: MIT */

/*
 * The statistics at their edges: quantiles, outliers, ties, bad input, few values. How much an
 * interval covers is in coverage.c.
 */

#include "benchmarks/harness/statistics/statistics.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/random.h"
#include "tests/support/bootstrap.h"
#include "tests/support/tap.h"

typedef int (*bootstrap_fn)(const double *, size_t, size_t, double, uint64_t, double *,
                            struct al_interval *);

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

static int order_interval(const double *values, size_t n, size_t resamples, double level,
                          uint64_t seed, double *replicates, struct al_interval *out)
{
    struct al_bootstrap *bootstrap = al_bootstrap_new(resamples, level, seed);
    CHECK(bootstrap != NULL, "out of memory");
    int code = al_bootstrap_interval(bootstrap, values, n, AL_ORDER, replicates, out);
    al_bootstrap_free(bootstrap);
    return code;
}

static void test_degenerate(bootstrap_fn bootstrap, const char *name)
{
    static const double constants[] = {0, -3.25, 801234567, 1e-320, DBL_MAX / 2};
    bool constant = true, single = true;
    for (size_t c = 0; c < sizeof constants / sizeof *constants; c++) {
        for (size_t n = 1; n <= 12; n++) {
            double values[12], x = constants[c];
            struct al_interval interval = {.achieved = NAN};
            for (size_t i = 0; i < n; i++)
                values[i] = x;
            bool ok = bootstrap(values, n, 1000, .95, 5, NULL, &interval) == 0 &&
                      interval.median == x && interval.low == x && interval.high == x &&
                      interval.degenerate;
            if (n == 1)
                single &= ok && interval.achieved == 0;
            else /* its ranks still cover something */
                constant &= ok && interval.achieved >= .5 - DBL_EPSILON && interval.achieved < 1;
        }
    }
    check(constant, "%s: constant data give a degenerate interval without width", name);
    check(single, "%s: one value gives a degenerate interval that covers nothing", name);

    /* Such mixed values, and so few resamples, that each formula reaches its limits. */
    bool finite = true;
    struct al_random random;
    al_random_seed(&random, 13, 0);
    for (int trial = 0; trial < 20000; trial++) {
        static const double pool[] = {0,     1, 1, 2, 1e-300, -1e300, DBL_MAX / 2, -DBL_MAX / 2,
                                      5e-324};
        static const double levels[] = {1e-12, .5, .95, 1 - DBL_EPSILON};
        double values[9];
        size_t n = 1 + al_random_below(&random, 9), resamples = 1 + al_random_below(&random, 5);
        for (size_t i = 0; i < n; i++)
            values[i] = pool[al_random_below(&random, 9)];
        struct al_interval i;
        finite &= bootstrap(values, n, resamples, levels[trial % 4], (uint64_t)trial, NULL, &i) ==
                      0 &&
                  isfinite(i.median) && isfinite(i.low) && i.low <= i.high && isfinite(i.high) &&
                  i.achieved >= 0 && i.achieved <= 1 && i.degenerate == (i.low == i.high);
    }
    check(finite, "%s: absurd values and few resamples never give NaN", name);
}

/* Tied values have ranks of their own: the coverage depends on the ranks, not on how many values
 * are equal. */
static void test_ties(void)
{
    double tied[] = {1, 1, 1, 1, 2}, apart[] = {1, 2, 3, 4, 5};
    struct al_interval a, b;
    bool ok = percentile_median(tied, 5, 10000, .95, 1, NULL, &a) == 0 &&
              percentile_median(apart, 5, 10000, .95, 1, NULL, &b) == 0;
    check(ok && a.low == 1 && a.high == 2 && a.achieved == b.achieved && a.achieved == .9375,
          "ties keep the coverage of their ranks");
}

/* By hand: of 0 to 8 the quartiles are 2 and 6, so a value is an outlier beyond -4 and 12, a severe
 * one beyond -10 and 18. */
static void test_outliers(void)
{
    static const struct {
        double values[9];
        size_t mild, severe;
    } cases[] = {
        {{0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, 0},     {{0, 1, 2, 3, 4, 5, 6, 7, 12}, 0, 0},
        {{0, 1, 2, 3, 4, 5, 6, 7, 12.1}, 1, 0},  {{0, 1, 2, 3, 4, 5, 6, 7, 18}, 1, 0},
        {{-4.1, 1, 2, 3, 4, 5, 6, 7, 19}, 1, 1}, {{-11, 1, 2, 3, 4, 5, 6, 7, 19}, 0, 2},
        {{5, 5, 5, 5, 5, 5, 5, 5, 5}, 0, 0},     {{5, 5, 5, 5, 5, 5, 5, 5, 6}, 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct al_outliers found = al_outliers(cases[c].values, 9);
        check(found.mild == cases[c].mild && found.severe == cases[c].severe,
              "outliers, case %zu: %zu mild, %zu severe", c, found.mild, found.severe);
    }
    struct al_outliers one = al_outliers(&cases[0].values[1], 1);
    check(one.mild + one.severe == 0, "one value is no outlier");
}

static void test_refusals(bootstrap_fn bootstrap, const char *name)
{
    double good[] = {1, 2, 3};
    static const double bad[] = {NAN, INFINITY, -INFINITY, DBL_MAX};
    static const double levels[] = {0, 1, -.5, 1.5, NAN, INFINITY};
    struct al_interval out = {.median = 42};
    bool ok = bootstrap(good, 0, 10, .95, 1, NULL, &out) == -EINVAL &&
              bootstrap(good, 3, 0, .95, 1, NULL, &out) == -EINVAL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        ok &= bootstrap(good, 3, 10, levels[i], 1, NULL, &out) == -EINVAL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double values[] = {1, bad[i], 3};
        ok &= bootstrap(values, 3, 10, .95, 1, NULL, &out) == -EINVAL;
    }
    ok &= bootstrap(good, 3, SIZE_MAX, .95, 1, NULL, &out) == -EINVAL;
    check(ok && out.median == 42, "%s: bad input is refused, and the result left alone", name);
}

static void test_quantiles(void)
{
    /* R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .25, .5, .9, 1), type = 7) */
    static const double sorted[] = {1, 2, 4, 8, 16};
    static const double at[] = {0, .1, .25, .5, .9, 1, -1, 2},
                        expected[] = {1, 1.4, 2, 4, 12.8, 16, 1, 16};
    bool ok = true;
    for (int i = 0; i < 8; i++)
        ok &= fabs(al_quantile(sorted, 5, at[i]) - expected[i]) < 1e-14;
    ok &= al_quantile(sorted, 1, .3) == 1 && isnan(al_quantile(sorted, 0, .3));
    check(ok, "type-7 quantiles");

    double odd[] = {3, 1, 2}, even[] = {4, 1, 10, 2}, one[] = {7};
    check(al_median(odd, 3) == 2 && al_median(even, 4) == 3 && al_median(one, 1) == 7 &&
              isnan(al_median(one, 0)),
          "medians of odd, even and single");

    ok = al_normal_quantile(.5) == 0 && al_normal_quantile(0) == -INFINITY &&
         al_normal_quantile(1) == INFINITY;
    for (double p = 1e-300; p < .5; p *= 1.7)
        ok &= fabs(erfc(-al_normal_quantile(p) / M_SQRT2) / 2 / p - 1) < 1e-11;
    check(ok, "the normal quantile is the inverse of the normal distribution");
}

static void test_repeatability(void)
{
    enum { N = 6, RESAMPLES = 5000 };
    static double first[RESAMPLES], second[RESAMPLES], third[RESAMPLES];
    double values[N] = {5, 3, 9, 1, 4, 8}, ordered[N] = {1, 3, 4, 5, 8, 9};
    struct al_interval a, b, c;
    bool ok = percentile_median(values, N, RESAMPLES, .95, 1, first, &a) == 0 &&
              percentile_median(ordered, N, RESAMPLES, .95, 1, second, &b) == 0 &&
              bca_median(values, N, RESAMPLES, .95, 2, third, &c) == 0;
    check(ok && order_interval(values, N, RESAMPLES, .95, 1, third, &c) == 0 && c.low == 1 &&
              c.high == 9 && memcmp(first, third, sizeof first) == 0,
          "the order-statistic interval does not depend on the resamples, but gives them");
    ok &= bca_median(values, N, RESAMPLES, .95, 2, third, &c) == 0;
    check(ok && memcmp(first, second, sizeof first) == 0 && a.low == b.low && a.high == b.high &&
              a.achieved == b.achieved && values[0] == 5,
          "one seed, one result, whatever the order; the values stay as they were");
    check(ok && memcmp(first, third, sizeof first) != 0, "another seed, other replicates");
    check(ok && a.median == 4.5 && a.low < 4.5 && a.high > 4.5 && a.achieved > .8 && a.achieved < 1,
          "even n: the median lies between the middle two");
}

/* Few replicates may all be on one side of the median, which must not become an infinite bias. */
static void test_one_sided(void)
{
    static const double values[] = {1, 2, 3, 4, 5};
    int seen = 0;
    bool ok = true;
    for (uint64_t seed = 0; seed < 200; seed++) {
        double r[2];
        struct al_interval i;
        ok &= bca_median(values, 5, 2, .95, seed, r, &i) == 0;
        if ((r[0] - 3) * (r[1] - 3) <= 0 || r[0] == r[1])
            continue;
        seen++;
        ok &= i.low < i.high;
    }
    check(ok && seen > 5, "BCa: replicates on one side of the median still span an interval");
}

int main(void)
{
    test_degenerate(order_interval, "order");
    test_degenerate(percentile_median, "percentile");
    test_degenerate(bca_median, "BCa");
    test_ties();
    test_refusals(order_interval, "order");
    test_refusals(percentile_median, "percentile");
    test_refusals(bca_median, "BCa");
    test_quantiles();
    test_outliers();
    test_repeatability();
    test_one_sided();
    return tap_done(&tap);
}
