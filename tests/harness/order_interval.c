/* SPDX-License-Identifier: MIT */

/*
 * The order-statistic interval of the median: its ranks against sums of binomial coefficients, and
 * where the ends of the percentile bootstrap lie, by its exact distribution.
 */

#include "benchmarks/harness/statistics/statistics.h"

#include <math.h>
#include <stdint.h>

#include "benchmarks/harness/statistics/distributions.h"
#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST 1001

/* Pascal's triangle, halved in each row. */
static void binomial(size_t n, double *masses)
{
    for (size_t row = 0; row <= n; row++) {
        masses[row] = row == 0 ? 1 : masses[row - 1] / 2;
        for (size_t j = row; j-- > 1;)
            masses[j] = (masses[j] + masses[j - 1]) / 2;
        if (row > 0)
            masses[0] /= 2;
    }
}

static struct al_interval of_ranks(size_t n, double level)
{
    static double values[MOST];
    struct al_interval interval;
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(n - i);
    CHECK(al_order_median(values, n, level, &interval) == 0, "out of memory");
    return interval;
}

static void test_known(void)
{
    static const struct {
        size_t n;
        double low, achieved;
    } known[] = {{1, 1, 0},          {2, 1, .5},          {3, 1, .75},     {5, 1, .9375},
                 {6, 1, .96875},     {8, 1, .9921875},    {10, 2, .97852}, {15, 4, .96484},
                 {30, 10, .9572260}, {301, 134, .9501534}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct al_interval i = of_ranks(known[k].n, .95);
        check(i.low == known[k].low && i.high == (double)known[k].n + 1 - i.low &&
                  fabs(i.achieved - known[k].achieved) < 5e-6 && i.n == known[k].n &&
                  i.median == (double)(known[k].n + 1) / 2 && i.degenerate == (known[k].n == 1),
              "n=%zu: [x%g, x%g] covers %.6f", known[k].n, i.low, i.high, i.achieved);
    }
}

/* The narrowest ranks that reach the level, or the widest there are. */
static void test_narrowest(void)
{
    static const double levels[] = {1e-6, .5, .75, .8, .9, .9375, .95, .99, .999999};
    static double masses[MOST + 1];
    bool exact = true, narrowest = true;
    for (size_t n = 1; n <= MOST; n += n < 100 ? 1 : 53) {
        binomial(n, masses);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            double achieved, below = 0;
            size_t k = al_binomial_rank(n, levels[l], &achieved);
            for (size_t j = 0; j < k; j++)
                below += masses[j];
            exact &= k >= 1 && 2 * k <= n + 1 && fabs(achieved - (1 - 2 * below)) < 1e-13;
            narrowest &= (k == 1 || achieved >= levels[l] - 1e-12) &&
                         (2 * k + 2 > n + 1 || 1 - 2 * (below + masses[k]) < levels[l]);
        }
    }
    check(exact, "coverage is binomial, n = 1 to %d", MOST);
    check(narrowest, "one rank further in would not reach the level");
}

/* P(Bin(n, share) >= least) */
static double tail(size_t n, double share, size_t least)
{
    double sum = 0;
    for (size_t j = least; j <= n; j++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)j + 1) - lgamma((double)(n - j) + 1) +
                   (double)j * log(share) + (double)(n - j) * log1p(-share));
    return sum;
}

/*
 * How likely a resample's median is below the interval's lower end x(k), for the values that make
 * it most likely: odd n, (n + 1) / 2 draws or more are below x(k), whatever the values; even n, n /
 * 2 draws are enough, if the values below lie so far out that the mean of the middle two follows.
 * Where that is at most (1 - level) / 2, the percentile interval of all resamples ends inside.
 */
static double share_beyond(size_t n, double level)
{
    double achieved;
    size_t k = al_binomial_rank(n, level, &achieved);
    return k == 1 ? 0 : tail(n, (double)(k - 1) / (double)n, (n + 1) / 2);
}

static void test_bootstrap_ends(void)
{
    static const double levels[] = {.9, .95, .99};
    for (size_t l = 0; l < 3; l++) {
        double worst = 0;
        for (size_t n = 2; n <= 301; n++)
            worst = fmax(worst, share_beyond(n, levels[l]) / ((1 - levels[l]) / 2));
        check(worst > .9 && worst <= 1,
              "level %g, n up to 301: the ends of the percentile bootstrap lie inside (%.3f)",
              levels[l], worst);
    }
}

int main(void)
{
    test_known();
    test_narrowest();
    test_bootstrap_ends();
    return tap_done(&tap);
}
