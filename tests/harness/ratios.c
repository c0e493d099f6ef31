/* SPDX-License-Identifier: MIT */

/*
 * Ratios: estimate, interval and p by enumeration of all signs and splits, and that they never
 * contradict each other. What they guarantee on simulated cells is in coverage.c.
 */

#include "benchmarks/harness/statistics/ratio.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/pairwise.h"
#include "core/random.h"
#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST 64

static double uniform(struct al_random *random)
{
    return ((double)(al_random_next(random) >> 11) + .5) / 0x1p53;
}

/* Values around 100; with `ties`, from a few numbers only. */
static void draw(struct al_random *random, bool ties, double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = ties ? 98 + al_random_below(random, 5)
                         : 100 * exp(.05 * al_normal_quantile(uniform(random)));
}

/* The smaller count of Walsh averages on one side of 0. */
static uint64_t smaller_side(const double *x, size_t n)
{
    uint64_t at_most = 0, at_least = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) {
            at_most += x[i] + x[j] <= 0;
            at_least += x[i] + x[j] >= 0;
        }
    }
    return at_most < at_least ? at_most : at_least;
}

/* The share of all signs of x that are at least as one-sided as x itself. */
static double p_by_signs(const double *x, size_t n)
{
    uint64_t observed = smaller_side(x, n), extreme = 0;
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        double flipped[MOST];
        for (size_t i = 0; i < n; i++)
            flipped[i] = signs >> i & 1 ? -x[i] : x[i];
        extreme += smaller_side(flipped, n) <= observed;
    }
    return (double)extreme / (double)(1u << n);
}

/* The share of all splits of a and b into as many that are at least as one-sided. */
static double p_by_splits(const double *a, size_t n_a, const double *b, size_t n_b)
{
    double all[MOST];
    size_t n = n_a + n_b;
    memcpy(all, a, n_a * sizeof *a);
    memcpy(all + n_a, b, n_b * sizeof *b);
    uint64_t observed = 0, extreme = 0, splits = 0;
    for (unsigned turn = 0; turn <= 1u << n; turn++) {
        unsigned above = turn == 0 ? (1u << n_a) - 1 : turn - 1; /* first, a and b as they are */
        if ((size_t)__builtin_popcount(above) != n_a)
            continue;
        uint64_t at_most = 0, at_least = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n && above >> i & 1; j++) {
                at_most += !(above >> j & 1) && all[i] <= all[j];
                at_least += !(above >> j & 1) && all[i] >= all[j];
            }
        }
        uint64_t smaller = at_most < at_least ? at_most : at_least;
        if (turn == 0)
            observed = smaller;
        splits += turn > 0;
        extreme += turn > 0 && smaller <= observed;
    }
    return (double)extreme / (double)splits;
}

/* The interval has exactly the shifts whose p, by enumeration, is above 1 - level: each end is in,
 * and a little beyond it is out. Checks one end. */
static bool ends_there(const double *x, size_t n, const double *y, size_t n_y, double level,
                       double end, double beyond)
{
    double p[2];
    for (int side = 0; side < 2; side++) {
        double shifted[MOST], shift = end + (side == 0 ? -beyond : beyond);
        for (size_t i = 0; i < n; i++)
            shifted[i] = x[i] - shift;
        p[side] = y == NULL ? p_by_signs(shifted, n) : p_by_splits(shifted, n, y, n_y);
    }
    return !al_significant(p[0], 1 - level) && al_significant(p[1], 1 - level);
}

static void test_enumeration(bool paired)
{
    struct al_random random;
    al_random_seed(&random, 3, paired);
    double worst = 0;
    bool ends = true, unbounded = true;
    for (size_t trial = 0; trial < 24; trial++) {
        double a[MOST], b[MOST], x[MOST], y[MOST];
        size_t n_a = paired ? 1 + trial % 10 : 1 + trial % 5, n_b = paired ? n_a : 1 + trial % 6;
        draw(&random, false, a, n_a);
        draw(&random, false, b, n_b);
        for (size_t i = 0; i < n_a; i++)
            x[i] = paired ? log(a[i] / b[i]) : log(a[i]);
        for (size_t j = 0; j < n_b; j++)
            y[j] = log(b[j]);
        struct al_ratio r;
        CHECK((paired ? al_ratio_paired(a, b, n_a, &r)
                      : al_ratio_independent(a, n_a, b, n_b, &r)) == 0,
              "out of memory");
        double p = paired ? p_by_signs(x, n_a) : p_by_splits(x, n_a, y, n_b);
        worst = fmax(worst, fabs(r.p - p));
        static const double levels[] = {.5, .8, .9, .95};
        for (size_t l = 0; l < 4; l++) {
            struct al_interval i = al_ratio_interval(&r, levels[l]);
            if (!al_significant(al_ratio_least_p(paired, n_a, n_b), 1 - levels[l])) {
                unbounded &= i.low == 0 && isinf(i.high) && i.achieved == 1 && !i.degenerate;
                continue;
            }
            const double *below = paired ? NULL : y;
            ends &= ends_there(x, n_a, below, n_b, levels[l], log(i.low), -1e-9) &&
                    ends_there(x, n_a, below, n_b, levels[l], log(i.high), 1e-9) &&
                    i.achieved >= levels[l] && i.achieved < 1 && i.low <= r.estimate &&
                    r.estimate <= i.high && i.median == r.estimate;
        }
        al_ratio_release(&r);
    }
    const char *name = paired ? "signs" : "splits";
    check(worst < 1e-14, "p is that of all %s (off by %.1g)", name, worst);
    check(ends, "intervals end where the p of all %s says", name);
    check(unbounded, "too few %s for a level: unbounded", name);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Every rank, the count and the next value against a sorted list of all pairs. */
static void test_pairwise(bool differences, bool ties)
{
    struct al_random random;
    al_random_seed(&random, 4, ties);
    bool ranks = true, counts = true, medians = true;
    for (size_t n = 1; n <= 24; n++) {
        double x[MOST], y[MOST], list[1024];
        size_t n_y = differences ? 1 + al_random_below(&random, 24) : 0, total = 0;
        draw(&random, ties, x, n);
        draw(&random, ties, y, n_y);
        for (size_t i = 0; i < n && !differences; i++)
            x[i] -= 100; /* both signs */
        qsort(x, n, sizeof *x, compare_doubles);
        qsort(y, n_y, sizeof *y, compare_doubles);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = differences ? 0 : i; j < (differences ? n_y : n); j++)
                list[total++] = differences ? x[i] - y[j] : (x[i] + x[j]) / 2;
        }
        qsort(list, total, sizeof *list, compare_doubles);
        struct al_pairwise pairs = {x, differences ? y : NULL, n, n_y};
        ranks &= al_pairwise_total(&pairs) == total;
        for (size_t k = 0; k < total; k++) {
            size_t last = k;
            while (last + 1 < total && list[last + 1] == list[k])
                last++;
            double next;
            ranks &= al_pairwise_select(&pairs, k + 1) == list[k];
            counts &= al_pairwise_count(&pairs, list[k], &next) == last + 1 &&
                      next == (last + 1 < total ? list[last + 1] : INFINITY);
        }
        medians &= al_pairwise_median(&pairs) == (list[(total - 1) / 2] + list[total / 2]) / 2;
    }
    check(ranks && counts && medians, "%s%s: every rank, count, neighbour and the median",
          differences ? "differences" : "Walsh averages", ties ? " with ties" : "");
}

/* No interval contradicts p, whatever the values, and whichever the level: also exactly at p. */
static void test_agreement(bool paired)
{
    struct al_random random;
    al_random_seed(&random, 5, paired);
    bool agree = true, at_p = true, turned = true;
    size_t excluded = 0, all = 0;
    for (size_t trial = 0; trial < 4000; trial++) {
        double a[MOST], b[MOST], shift = 1 + .02 * (double)(trial % 3);
        size_t n_a = 1 + trial % 40, n_b = paired ? n_a : 1 + al_random_below(&random, 20);
        draw(&random, trial / 40 % 2 == 0, a, n_a);
        draw(&random, trial / 40 % 4 < 2, b, n_b);
        for (size_t i = 0; i < n_a; i++)
            a[i] *= shift;
        struct al_ratio r, inverse;
        CHECK((paired ? al_ratio_paired(a, b, n_a, &r)
                      : al_ratio_independent(a, n_a, b, n_b, &r)) == 0,
              "out of memory");
        CHECK((paired ? al_ratio_paired(b, a, n_a, &inverse)
                      : al_ratio_independent(b, n_b, a, n_a, &inverse)) == 0,
              "out of memory");
        turned &= r.p == inverse.p && fabs(r.estimate * inverse.estimate - 1) < 1e-14;
        double levels[] = {1 - r.p, .5, .9, .95, .99, 1 - .05 / 238, uniform(&random)};
        for (size_t l = r.p < 1 ? 0 : 1; l < sizeof levels / sizeof *levels; l++) {
            struct al_interval i = al_ratio_interval(&r, levels[l]);
            bool excludes = i.low > 1 || i.high < 1;
            agree &= excludes == al_significant(r.p, 1 - levels[l]) && i.low <= i.high &&
                     i.degenerate == (i.low == i.high) && i.achieved >= levels[l] - 1e-9;
            at_p &= l > 0 || excludes;
            excluded += excludes;
            all++;
        }
        al_ratio_release(&r);
        al_ratio_release(&inverse);
    }
    check(agree && at_p && excluded > all / 10 && excluded < all / 10 * 9,
          "%s: an interval excludes 1 exactly where p says so (%zu of %zu)",
          paired ? "pairs" : "independent", excluded, all);
    check(turned, "%s: a ratio turned round has the same p", paired ? "pairs" : "independent");
}

/* Differences that are as small as can be, and ratios as large. */
static void test_limits(void)
{
    double a[10], b[10], next = nextafter(100, 101);
    struct al_ratio r = {.p = 7};
    for (size_t i = 0; i < 10; i++) {
        a[i] = i == 0 ? 100 : next;
        b[i] = 100;
    }
    CHECK(al_ratio_paired(a, b, 10, &r) == 0, "out of memory");
    struct al_interval i = al_ratio_interval(&r, .95);
    check(r.p < .01 && i.low > 1 && r.estimate > 1, "one unit in the last place is a difference");
    al_ratio_release(&r);

    CHECK(al_ratio_paired(b, b, 10, &r) == 0, "out of memory");
    i = al_ratio_interval(&r, .95);
    check(r.p == 1 && r.estimate == 1 && i.low == 1 && i.high == 1 && i.degenerate,
          "equal pairs: a degenerate interval, p = 1");
    al_ratio_release(&r);

    static const double bad[] = {0, -1, NAN, 1e-306};
    bool refused = al_ratio_paired(a, b, 0, &r) == -EINVAL &&
                   al_ratio_independent(a, 0, b, 3, &r) == -EINVAL &&
                   al_ratio_independent(a, 3, b, 0, &r) == -EINVAL;
    r.p = 7;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double c[] = {100, bad[k]}, d[] = {100, 100};
        refused &= al_ratio_paired(c, d, 2, &r) == -EINVAL &&
                   al_ratio_paired(d, c, 2, &r) == -EINVAL &&
                   al_ratio_independent(c, 2, d, 2, &r) == -EINVAL &&
                   al_ratio_independent(d, 2, c, 2, &r) == -EINVAL;
    }
    check(refused && r.p == 7, "bad values are refused, and the result left alone");
}

/* Beyond 100 pairs, or 50 by 50 values, p is approximate: here are the exact ones. */
static void test_approximation(void)
{
    enum { N = 101, TOTAL = N * (N + 1) / 2 };
    static double masses[TOTAL + 1];
    struct al_null null;
    CHECK(al_null_signed_rank(N, &null) == 0, "out of memory");
    masses[0] = 1;
    for (int rank = 1; rank <= N; rank++) {
        for (int t = rank * (rank + 1) / 2; t >= 0; t--)
            masses[t] = (masses[t] + (t >= rank ? masses[t - rank] : 0)) / 2;
    }
    double sum = 0, worst = 0;
    for (uint64_t t = 0; 2 * t < TOTAL; t++) {
        sum += masses[t];
        if (2 * sum > 1e-4)
            worst = fmax(worst, fabs(al_null_p(&null, t) / fmin(1, 2 * sum) - 1));
    }
    check(null.below == NULL && worst < .03,
          "101 pairs: p from 0.0001 on is within %.2g%% of the exact one", worst * 100);

    /* In how many ways t comes about: the coefficients of a product of (1 - q^(51 + i)) / (1 -
     * q^i). */
    enum { A = 50, B = 51, SPLITS = A * B };
    static long double ways[SPLITS + 1];
    CHECK(al_null_rank_sum(A, B, &null) == 0, "out of memory");
    ways[0] = 1;
    long double all = 1;
    for (int i = 1; i <= A; i++) {
        all = all * (B + i) / i;
        for (int t = SPLITS; t >= B + i; t--)
            ways[t] -= ways[t - B - i];
        for (int t = i; t <= SPLITS; t++)
            ways[t] += ways[t - i];
    }
    long double below = 0;
    worst = 0;
    for (uint64_t t = 0; 2 * t < SPLITS; t++) {
        below += ways[t] / all;
        if (2 * below > 1e-4L)
            worst = fmax(worst, fabs(al_null_p(&null, t) / fmin(1, (double)(2 * below)) - 1));
    }
    check(null.below == NULL && worst < .03, "50 by 51 values: within %.2g%%", worst * 100);
}

int main(void)
{
    test_enumeration(true);
    test_enumeration(false);
    for (int kind = 0; kind < 4; kind++)
        test_pairwise(kind & 1, kind & 2);
    test_agreement(true);
    test_agreement(false);
    test_limits();
    test_approximation();
    return tap_done(&tap);
}
