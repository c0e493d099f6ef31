/* SPDX-License-Identifier: MIT */
/* Tests of the statistics, against exact enumeration, the binomial distribution and simulation. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/format.h"
#include "core/random.h"
#include "tests/support/tap.h"

typedef int (*bootstrap_fn)(const double *, size_t, size_t, double, uint64_t, double *,
                            struct al_interval *);

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

/* The values 1 to n, shuffled by the seed: nothing may hang on the order they come in. */
static void count_up(double *values, size_t n, uint64_t seed)
{
    struct al_random random;
    al_random_seed(&random, seed, 1);
    for (size_t i = 0; i < n; i++) {
        size_t j = al_random_below(&random, (uint32_t)i + 1);
        values[i] = values[j];
        values[j] = (double)(i + 1);
    }
}

/*
 * Mass of the bootstrap median on each value, over all n^n resamples. Values are 2^rank, so that
 * the median of an even resample tells which two it is the middle of.
 */
#define MOST 64
static size_t enumerate(size_t n, double *medians, double *masses)
{
    size_t found = 0, digits[8] = {0}, total = 0;
    double counts[MOST] = {0};
    for (bool more = true; more; total++) {
        double sample[8];
        for (size_t i = 0; i < n; i++)
            sample[i] = ldexp(1, (int)digits[i]);
        double median = al_median(sample, n);
        size_t at = 0;
        while (at < found && medians[at] != median)
            at++;
        if (at == found)
            medians[found++] = median;
        counts[at]++;
        size_t d = 0;
        while (d < n && ++digits[d] == n)
            digits[d++] = 0;
        more = d < n;
    }
    for (size_t i = 0; i < found; i++)
        masses[i] = counts[i] / (double)total;
    return found;
}

static void test_masses(size_t n)
{
    enum { RESAMPLES = 200000 };
    double values[8], medians[MOST], masses[MOST];
    for (size_t i = 0; i < n; i++)
        values[i] = ldexp(1, (int)(n - 1 - i));
    size_t found = enumerate(n, medians, masses);

    if (n == 5) {
        static const double expected[] = {.058, .260, .365, .260, .058};
        bool exact = found == 5;
        for (size_t i = 0; exact && i < 5; i++) {
            int rank = (int)log2(medians[i]);
            exact &= fabs(masses[i] - expected[rank]) < .0005;
        }
        check(exact, "exact masses of the bootstrap median, n=5: .058 .260 .365 .260 .058");
    }

    double *replicates = calloc(RESAMPLES, sizeof *replicates);
    struct al_interval interval;
    bool ok = al_bootstrap_median(values, n, RESAMPLES, .95, 7, replicates, &interval) == 0;
    double left = RESAMPLES;
    for (size_t i = 0; ok && i < found; i++) {
        double count = 0;
        for (size_t r = 0; r < RESAMPLES; r++)
            count += replicates[r] == medians[i];
        left -= count;
        double sigma = sqrt(RESAMPLES * masses[i] * (1 - masses[i]));
        ok = fabs(count - RESAMPLES * masses[i]) <= 5 * sigma;
    }
    check(ok && left == 0, "resampled masses within 5 sigma of all %zu^%zu resamples (%zu medians)",
          n, n, found);
    free(replicates);
}

/* Where endpoints are order statistics the coverage is exactly binomial. */
static void test_achieved(size_t n, double low, double achieved)
{
    double values[16];
    bool ok = true;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct al_interval interval;
        count_up(values, n, seed);
        ok &= al_bootstrap_median(values, n, 40000, .95, seed, NULL, &interval) == 0 &&
              interval.low == low && interval.high == (double)n + 1 - low && interval.n == n &&
              interval.median == (double)(n + 1) / 2 && interval.achieved == achieved &&
              !interval.degenerate;
    }
    check(ok, "n=%zu: [x%g, x%g] covers %.7f", n, low, (double)n + 1 - low, achieved);
}

/* Tails of the binomial by another way: Pascal's triangle, halved in each row. */
static void test_binomial(void)
{
    enum { N = 3001 };
    static double masses[N + 1];
    masses[0] = 1;
    for (int row = 1; row <= N; row++)
        for (int j = row; j >= 0; j--)
            masses[j] = (masses[j] + (j > 0 ? masses[j - 1] : 0)) / 2;

    static double values[N];
    count_up(values, N, 3);
    struct al_interval interval;
    bool ok = al_bootstrap_median(values, N, 999, .95, 3, NULL, &interval) == 0;
    double expected = 0;
    /* 999 replicates: the quantiles are nearly surely fractions of the way from one rank to the
     * next. */
    for (int side = 0; ok && side < 2; side++) {
        double place = side == 0 ? interval.low : interval.high, k = floor(place),
               lambda = place - k;
        double above = 0;
        for (int j = 0; j < (int)k; j++)
            above += masses[j];
        /* the published direction, λ from I, solved by bisection */
        double from = 0, to = 1;
        for (int i = 0; i < 60; i++) {
            double share = (from + to) / 2;
            *(((N - k) * share / (k + (N - 2 * k) * share) < lambda) ? &from : &to) = share;
        }
        above += from * masses[(int)k];
        expected += side == 0 ? -above : above;
    }
    check(ok && fabs(interval.achieved - expected) < 1e-11 && fabs(expected - .95) < .02,
          "n=%d: coverage of [%.3f, %.3f] is %.6f", N, interval.low, interval.high, expected);
}

/* Uniform on the open interval from 0 to 1. */
static double uniform(struct al_random *random)
{
    return ((double)(al_random_next(random) >> 11) + .5) / 0x1p53;
}

/* Of many normal samples, as many intervals hold the true median as their own `achieved` says. */
static void test_coverage(size_t n, double level)
{
    enum { SAMPLES = 8000, RESAMPLES = 300 };
    struct al_random random;
    al_random_seed(&random, 11, n);
    double covered = 0, achieved = 0;
    bool ok = true;
    for (int s = 0; s < SAMPLES; s++) {
        double values[16];
        struct al_interval i;
        for (size_t v = 0; v < n; v++)
            values[v] = al_normal_quantile(uniform(&random));
        ok &= al_bootstrap_median(values, n, RESAMPLES, level, (uint64_t)s, NULL, &i) == 0;
        covered += i.low <= 0 && 0 <= i.high;
        achieved += i.achieved;
    }
    covered /= SAMPLES;
    achieved /= SAMPLES;
    double sigma = sqrt(achieved * (1 - achieved) / SAMPLES);
    check(ok && fabs(covered - achieved) <= 4 * sigma,
          "n=%zu, level %g: covers %.4f of normal samples, says %.4f (sigma %.4f)", n, level,
          covered, achieved, sigma);
}

/*
 * The Laplace distribution, for which `achieved` is exact: one seed draws the same ranks from every
 * sample, and so has one coverage, whatever the values. The levels make both quantiles replicates.
 */
static void test_exact_coverage(size_t n, size_t resamples, double level)
{
    enum { SAMPLES = 60000 };
    struct al_random random;
    al_random_seed(&random, 17, n);
    double covered = 0, achieved = -1;
    bool ok = true;
    for (int s = 0; s < SAMPLES; s++) {
        double values[16];
        struct al_interval i;
        for (size_t v = 0; v < n; v++) {
            double u = uniform(&random);
            values[v] = u < .5 ? log(2 * u) : -log(2 - 2 * u);
        }
        ok &= al_bootstrap_median(values, n, resamples, level, 5, NULL, &i) == 0 &&
              (s == 0 || i.achieved == achieved);
        covered += i.low <= 0 && 0 <= i.high;
        achieved = i.achieved;
    }
    covered /= SAMPLES;
    double sigma = sqrt(achieved * (1 - achieved) / SAMPLES);
    check(ok && fabs(covered - achieved) <= 4 * sigma,
          "n=%zu, %zu resamples, level %g: covers %.4f of Laplace samples, says %.4f (sigma %.4f)",
          n, resamples, level, covered, achieved, sigma);
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
            else /* what the ranks behind it cover */
                constant &= ok && interval.achieved >= .5 - DBL_EPSILON && interval.achieved < 1;
        }
    }
    check(constant, "%s: constant data give a degenerate interval without width", name);
    check(single, "%s: one value gives a degenerate interval that covers nothing", name);

    /* values so mixed, and so few resamples, that each formula meets its limits */
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

/* Ties are told apart by rank: what is covered hangs on the ranks, not on how many values are
 * equal. */
static void test_ties(void)
{
    double tied[] = {1, 1, 1, 1, 2}, apart[] = {1, 2, 3, 4, 5};
    struct al_interval a, b;
    bool ok = al_bootstrap_median(tied, 5, 10000, .95, 1, NULL, &a) == 0 &&
              al_bootstrap_median(apart, 5, 10000, .95, 1, NULL, &b) == 0;
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
    bool ok = al_bootstrap_median(values, N, RESAMPLES, .95, 1, first, &a) == 0 &&
              al_bootstrap_median(ordered, N, RESAMPLES, .95, 1, second, &b) == 0 &&
              al_bootstrap_median_bca(values, N, RESAMPLES, .95, 2, third, &c) == 0;
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
        ok &= al_bootstrap_median_bca(values, 5, 2, .95, seed, r, &i) == 0;
        if ((r[0] - 3) * (r[1] - 3) <= 0 || r[0] == r[1])
            continue;
        seen++;
        ok &= i.low < i.high;
    }
    check(ok && seen > 5, "BCa: replicates on one side of the median still span an interval");
}

static void test_formats(void)
{
    static const struct {
        double ns;
        const char *expected;
    } durations[] = {{8.1234, "8.12 ns"}, {12, "12 ns"},        {999.4, "999 ns"},
                     {999.7, "1.00 µs"},  {9.999e3, "10.0 µs"}, {812345678, "812 ms"},
                     {1.5e9, "1.50 s"},   {5e12, "5000 s"},     {0, "0 ns"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        ok &= strcmp(al_format_duration(durations[i].ns).text, durations[i].expected) == 0;
    ok &= strcmp(al_format_rate(124.9e6).text, "125 M messages/s") == 0;
    ok &= strcmp(al_format_bytes(12345678).text, "12.3 MB") == 0;
    ok &= strcmp(al_format_number(12345.6, 4).text, "12346") == 0;
    ok &= strcmp(al_format_number(9.99951, 4).text, "10.00") == 0;
    ok &= strcmp(al_format_number(8.1, 4).text, "8.100") == 0;
    ok &= strcmp(al_format_number(1.23456e304, 4).text, "1.235e+304") == 0;
    ok &= strcmp(al_format_number(1e-300, 4).text, "1e-300") == 0;
    check(ok, "numbers for people");
}

/* With many values the achieved coverage comes near the level. */
static void test_many_values(void)
{
    enum { N = 10000 };
    static double values[N];
    count_up(values, N, 1);
    struct al_interval interval;
    bool ok = al_bootstrap_median(values, N, 10000, .95, 1, NULL, &interval) == 0;
    check(ok && fabs(interval.achieved - .95) < .01, "10,000 resamples of 10,000 values cover %.4f",
          interval.achieved);
}

int main(void)
{
    test_masses(4);
    test_masses(5);
    test_masses(6);
    test_achieved(2, 1, .5);
    test_achieved(3, 1, .75);
    test_achieved(4, 1, .875);
    test_achieved(5, 1, .9375);
    test_achieved(7, 2, .875);
    test_achieved(9, 2, .9609375);
    test_binomial();
    for (size_t n = 2; n <= 10; n++) {
        test_coverage(n, .95);
        test_coverage(n, .8);
    }
    test_exact_coverage(6, 81, .75);
    test_exact_coverage(8, 81, .75);
    test_exact_coverage(10, 321, .9375);
    test_exact_coverage(12, 65, .5);
    test_exact_coverage(16, 81, .75);
    test_degenerate(al_bootstrap_median, "percentile");
    test_degenerate(al_bootstrap_median_bca, "BCa");
    test_ties();
    test_refusals(al_bootstrap_median, "percentile");
    test_refusals(al_bootstrap_median_bca, "BCa");
    test_quantiles();
    test_outliers();
    test_repeatability();
    test_one_sided();
    test_formats();
    test_many_values();
    return tap_done(&tap);
}
