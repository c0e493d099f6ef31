/* SPDX-License-Identifier: MIT */

/* How many values a comparison takes: the fewest that can decide it, and how many will. */

#include "benchmarks/harness/statistics/ratio.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

/* By hand: 2 / 2^n, and 2 / (n_a + n_b choose n_a). */
static void test_least(void)
{
    check(al_ratio_least_p(true, 1, 1) == 1 && al_ratio_least_p(true, 10, 10) == 1. / 512 &&
              fabs(al_ratio_least_p(false, 4, 4) - 2. / 70) < 1e-16 &&
              fabs(al_ratio_least_p(false, 2, 3) - .2) < 1e-16,
          "smallest p of 1 and 10 pairs, of 4 and 4, of 2 and 3 values");
    check(al_ratio_least_n(true, .05) == 6 && al_ratio_least_n(true, 1. / 512) == 10 &&
              al_ratio_least_n(true, .05 / 25) == 10 && al_ratio_least_n(true, .05 / 26) == 11 &&
              al_ratio_least_n(false, .05) == 4 && al_ratio_least_n(false, 1) == 1,
          "smallest number for a p: 10 pairs decide 25 comparisons by Holm, but not 26");
}

/* n ratios with exactly this median and spread: normal scores. */
static struct al_ratio scores(bool paired, size_t n, double effect, double deviation)
{
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    struct al_ratio r;
    for (size_t i = 0; i < n; i++) {
        double score = deviation * al_normal_quantile(((double)i + .5) / (double)n);
        a[i] = exp(effect + score);
        b[i] = paired ? 1 : exp(score);
    }
    CHECK((paired ? al_ratio_paired(a, b, n, &r) : al_ratio_independent(a, n, b, n, &r)) == 0,
          "out of memory");
    free(a);
    free(b);
    return r;
}

static bool decides(bool paired, size_t n, double effect, const struct al_decision *decision)
{
    struct al_ratio r = scores(paired, n, effect, .5);
    struct al_interval i = al_ratio_interval(&r, decision->equivalence);
    bool decided = al_significant(r.p, decision->alpha) ||
                   (i.low >= 1 / decision->margin && i.high <= decision->margin);
    al_ratio_release(&r);
    return decided;
}

/* The number that al_ratio_needed returns decides, give or take a tenth. */
static void test_needed(bool paired)
{
    static const struct al_decision plain = {.05, .9, 1.05}, strict = {1e-4, .95, 1.05};
    static const double effects[] = {0, .01, .03, .05};
    for (size_t e = 0; e < sizeof effects / sizeof *effects; e++) {
        for (int s = 0; s < 2; s++) {
            const struct al_decision *by = s == 0 ? &plain : &strict;
            struct al_ratio r = scores(paired, 60, effects[e], .5);
            size_t needed = al_ratio_needed(&r, by);
            al_ratio_release(&r);
            check(needed > 60 && decides(paired, needed * 11 / 10, effects[e], by) &&
                      !decides(paired, needed * 9 / 10, effects[e], by),
                  "%s: %zu decide an effect of %g at %g", paired ? "pairs" : "independent", needed,
                  effects[e], by->alpha);
        }
    }
}

static void test_needed_limits(void)
{
    static const struct al_decision plain = {.05, .9, 1.05}, fine = {1e-6, .9, 1.01};
    struct al_ratio r = scores(true, 10, 0, 0);
    check(al_ratio_needed(&r, &plain) == 11, "no spread: one more");
    al_ratio_release(&r);
    r = scores(true, 10, .1, 0);
    check(al_ratio_needed(&r, &fine) == 21, "no spread: as many as the smallest p takes");
    al_ratio_release(&r);
    r = scores(true, 10, 1e-5, .04);
    static const struct al_decision never = {.05, .9, 1.000001};
    check(al_ratio_needed(&r, &never) == SIZE_MAX, "more than a million");
    al_ratio_release(&r);
    r = scores(true, 2, .1, .04);
    check(al_ratio_needed(&r, &plain) == 6, "two pairs: at least six");
    al_ratio_release(&r);
}

int main(void)
{
    test_least();
    test_needed(true);
    test_needed(false);
    test_needed_limits();
    return tap_done(&tap);
}
