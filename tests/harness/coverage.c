/* SPDX-License-Identifier: MIT */

/*
 * How often an interval of the median holds the true one: against the enumeration of all
 * resamples, the binomial distribution and simulation.
 */

#include "benchmarks/harness/statistics/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/random.h"
#include "tests/support/bootstrap.h"
#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

/* The values 1 to n, shuffled by the seed: no result may depend on their order. */
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
 * the median of an even resample shows which two values it is the mean of.
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
    bool ok = percentile_median(values, n, RESAMPLES, .95, 7, replicates, &interval) == 0;
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
        ok &= percentile_median(values, n, 40000, .95, seed, NULL, &interval) == 0 &&
              interval.low == low && interval.high == (double)n + 1 - low && interval.n == n &&
              interval.median == (double)(n + 1) / 2 && interval.achieved == achieved &&
              !interval.degenerate;
    }
    check(ok, "n=%zu: [x%g, x%g] covers %.7f", n, low, (double)n + 1 - low, achieved);
}

/* The tails of the binomial distribution in another way: Pascal's triangle, halved in each row. */
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
    bool ok = percentile_median(values, N, 999, .95, 3, NULL, &interval) == 0;
    double expected = 0;
    /* With 999 replicates, the quantiles almost surely lie between two ranks. */
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

/* Of many normal samples, the share whose interval holds the true median is the mean of
 * `achieved`. */
static void test_coverage(size_t n, double level)
{
    enum { SAMPLES = 4000, RESAMPLES = 300 };
    struct al_random random;
    al_random_seed(&random, 11, n);
    double covered = 0, achieved = 0;
    bool ok = true;
    for (int s = 0; s < SAMPLES; s++) {
        double values[16];
        struct al_interval i;
        for (size_t v = 0; v < n; v++)
            values[v] = al_normal_quantile(uniform(&random));
        ok &= percentile_median(values, n, RESAMPLES, level, (uint64_t)s, NULL, &i) == 0;
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
    enum { SAMPLES = 30000 };
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
        ok &= percentile_median(values, n, resamples, level, 5, NULL, &i) == 0 &&
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

/* With many values, the achieved coverage is close to the level. */
static void test_many_values(void)
{
    enum { N = 10000 };
    static double values[N];
    count_up(values, N, 1);
    struct al_interval interval;
    bool ok = percentile_median(values, N, 10000, .95, 1, NULL, &interval) == 0;
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
    test_many_values();
    return tap_done(&tap);
}
