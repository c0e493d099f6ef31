/* SPDX-License-Identifier: MIT */

/*
 * Verdicts: whatever the family, none contradicts its interval, its p-value or the margin,
 * and the number of further blocks decides most. What they guarantee on simulated cells is
 * another test.
 */

#include "benchmarks/harness/results/judge.h"

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/comparison.h"
#include "core/random.h"
#include "tests/support/tap.h"

#define MOST_FAMILY 40
#define MOST_BLOCKS 40

static struct tap tap;

static double uniform(struct al_random *random)
{
    return ((double)(al_random_next(random) >> 11) + .5) / 0x1p53;
}

/* One of n values. */
static double one_of(struct al_random *random, const double *values, uint32_t n)
{
    return values[al_random_below(random, n)];
}

/* Blocks of a cell that is `factor` times as slow as the other, on a machine that is so noisy. */
static void measure(struct al_random *random, size_t n, double factor, double noise,
                    struct al_ratio *out)
{
    double a[MOST_BLOCKS], b[MOST_BLOCKS];
    for (size_t i = 0; i < n; i++) {
        a[i] = round(1e5 * factor * exp(noise * al_normal_quantile(uniform(random))));
        b[i] = round(1e5 * exp(noise * al_normal_quantile(uniform(random))));
    }
    CHECK(al_ratio_paired(a, b, n, out) == 0, "%zu values", n);
}

/* A family with all that can vary in it. */
struct family {
    size_t n;
    struct al_ratio ratios[MOST_FAMILY];
    struct al_judgement judged[MOST_FAMILY];
    struct al_rules rules;
    struct al_family is;
};

static void draw(struct al_random *random, struct family *family)
{
    static const double factors[] = {1, 1, 1.01, 1.1, 0.8, 3}, noises[] = {0, 0.0005, 0.02, 0.3};
    static const double margins[] = {0.1, 5, 30};
    static const double levels[] = {0.9, 0.95, 0.99}, shares[] = {1, 1, 0.25, 1 / 3.};
    *family = (struct family){.n = al_random_below(random, MOST_FAMILY + 1),
                              .rules = {one_of(random, levels, 3), one_of(random, margins, 3),
                                        one_of(random, shares, 4)}};
    for (size_t i = 0; i < family->n; i++) {
        measure(random, 1 + al_random_below(random, MOST_BLOCKS), one_of(random, factors, 6),
                one_of(random, noises, 4), &family->ratios[i]);
        bool known = al_random_below(random, 8) != 0;
        family->judged[i] = (struct al_judgement){.ratio = known ? &family->ratios[i] : NULL};
    }
    CHECK(al_judge(family->judged, family->n, &family->rules, &family->is) == 0, "no memory");
}

static void check_one(const struct family *family, const struct al_judgement *one)
{
    if (one->ratio == NULL) {
        CHECK(one->verdict == AL_NO_VERDICT && isnan(one->p_bh), "verdict %d", one->verdict);
        return;
    }
    const struct al_interval *i = &one->interval, *e = &one->equivalence;
    double estimate = one->ratio->estimate, margin = 1 + family->rules.margin_percent / 100;
    bool excludes = i->low > 1 || i->high < 1;
    CHECK(i->low <= estimate && estimate <= i->high, "%g in [%g, %g]", estimate, i->low, i->high);
    CHECK(excludes == (one->p_bh <= (1 - family->rules.level) * (1 + 1e-9)),
          "[%.17g, %.17g], p %.17g", i->low, i->high, one->p_bh);
    CHECK(one->p_bh >= one->ratio->p, "%g corrected to %g", one->ratio->p, one->p_bh);
    switch (one->verdict) {
    case AL_EQUIVALENT:
        CHECK(e->low >= 1 / margin && e->high <= margin, "[%g, %g]", e->low, e->high);
        break;
    case AL_FASTER:
        CHECK(i->high < 1, "%g, up to %g", estimate, i->high);
        break;
    case AL_SLOWER:
        CHECK(i->low > 1, "%g, from %g", estimate, i->low);
        break;
    case AL_INCONCLUSIVE:
        CHECK(!excludes, "[%g, %g]", i->low, i->high);
        CHECK(one->more > 0, "%zu more", one->more);
        break;
    default:
        CHECK(false, "verdict %d", one->verdict);
    }
}

static void no_contradictions(void)
{
    size_t seen[AL_VERDICTS] = {0};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct al_random random;
        struct family family;
        size_t rejected = 0, m = 0;
        al_random_seed(&random, seed, 1);
        draw(&random, &family);
        for (size_t i = 0; i < family.n; i++) {
            const struct al_judgement *one = &family.judged[i];
            check_one(&family, one);
            m += one->ratio != NULL;
            rejected += one->ratio != NULL && (one->interval.low > 1 || one->interval.high < 1);
            seen[one->verdict]++;
        }
        double alpha = 1 - family.rules.level, counted = rejected > 0 ? (double)rejected : 1;
        double level = 1 - alpha * family.rules.share * (m > 0 ? counted / (double)m : 1);
        CHECK(family.is.m == m && family.is.rejected == rejected, "%zu of %zu", rejected, m);
        CHECK(fabs(family.is.level - level) < 1e-12, "%g, not %g", family.is.level, level);
        for (size_t i = 0; i < family.n; i++)
            al_ratio_release(&family.ratios[i]);
    }
    bool all = true;
    for (int v = 0; v < AL_VERDICTS; v++)
        all &= seen[v] > 1000;
    tap_ok(&tap, all, "3000 families: no verdict contradicts its numbers, and each was given");
}

/* With as many blocks as were said to decide it, most comparisons are decided. */
static void more_blocks_decide(void)
{
    struct al_rules rules = {.level = 0.95, .margin_percent = 5, .share = 1};
    size_t asked = 0, decided = 0, half = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct al_random random;
        struct al_ratio ratio, later;
        struct al_family family;
        al_random_seed(&random, seed, 2);
        double factor = seed % 2 == 0 ? 1 : 1.2;
        measure(&random, 8, factor, 0.06, &ratio);
        struct al_judgement one = {.ratio = &ratio};
        CHECK(al_judge(&one, 1, &rules, &family) == 0, "no memory");
        if (one.verdict == AL_INCONCLUSIVE && one.more <= MOST_BLOCKS - 8) {
            size_t digit = one.more;
            while (digit % 10 == 0)
                digit /= 10;
            CHECK(digit < 10 && one.more <= 80, "%zu more blocks than 8", one.more);
            asked++;
            measure(&random, 8 + one.more, factor, 0.06, &later);
            struct al_judgement then = {.ratio = &later};
            CHECK(al_judge(&then, 1, &rules, &family) == 0, "no memory");
            decided += then.verdict != AL_INCONCLUSIVE;
            al_ratio_release(&later);
            measure(&random, 8 + one.more / 2, factor, 0.06, &later);
            then.ratio = &later;
            CHECK(al_judge(&then, 1, &rules, &family) == 0, "no memory");
            half += then.verdict != AL_INCONCLUSIVE;
            al_ratio_release(&later);
        }
        al_ratio_release(&ratio);
    }
    printf("# of %zu inconclusive comparisons, %zu were decided with as many more blocks as said, "
           "%zu with half as many\n",
           asked, decided, half);
    tap_ok(&tap, asked > 500 && 2 * decided > asked && half < decided,
           "the number of further blocks decides most");
}

static void shares_of_looks(void)
{
    static const size_t looks[] = {10, 15, 20, 40};
    double sum = 0;
    bool good = al_look_share(looks, 0, 7) == 1;
    for (size_t k = 0; k < 4; k++)
        sum += al_look_share(looks, 4, looks[k]);
    good &= fabs(sum - 1) < 1e-15;
    good &= al_look_share(looks, 4, 1) == 0.25 && al_look_share(looks, 4, 10) == 0.25;
    good &= al_look_share(looks, 4, 11) == 0.125 && al_look_share(looks, 4, 400) == 0.5;
    tap_ok(&tap, good, "looks share out all of the chance of error");
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)) || a == b;
}

/* A comparison that is turned says the same as one made the other way round. */
static void turned(void)
{
    struct al_rules rules = {.level = 0.95, .margin_percent = 2, .share = 1};
    bool good = true;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct al_random random;
        double a[MOST_BLOCKS], b[MOST_BLOCKS];
        al_random_seed(&random, seed, 3);
        size_t n = 1 + al_random_below(&random, 20), n_b = seed % 2 ? n : 3 + n / 2;
        for (size_t i = 0; i < n || i < n_b; i++) {
            a[i] = 100 + al_random_below(&random, 5);
            b[i] = 100 + al_random_below(&random, 8);
        }
        struct al_comparison one = {0};
        struct al_ratio other;
        struct al_family family;
        int code = seed % 2 ? al_ratio_paired(a, b, n, &one.ratio)
                            : al_ratio_independent(a, n, b, n_b, &one.ratio);
        code |= seed % 2 ? al_ratio_paired(b, a, n, &other)
                         : al_ratio_independent(b, n_b, a, n, &other);
        CHECK(code == 0, "seed %zu", (size_t)seed);
        one.judged = (struct al_judgement){.ratio = &one.ratio};
        struct al_judgement wanted = {.ratio = &other};
        CHECK(al_judge(&one.judged, 1, &rules, &family) == 0, "no memory");
        CHECK(al_judge(&wanted, 1, &rules, &family) == 0, "no memory");
        al_comparison_turn(&one);
        good &= one.judged.verdict == wanted.verdict && same(one.ratio.p, other.p);
        good &= same(one.ratio.estimate, other.estimate) && one.ratio.n[0] == other.n[0];
        good &= same(one.judged.interval.low, wanted.interval.low) &&
                same(one.judged.interval.high, wanted.interval.high);
        struct al_interval again = al_ratio_interval(&one.ratio, 0.8);
        struct al_interval expected = al_ratio_interval(&other, 0.8);
        good &= same(again.low, expected.low) && same(again.high, expected.high);
        al_comparison_release(&one);
        al_ratio_release(&other);
    }
    tap_ok(&tap, good, "a turned comparison is that of the two exchanged");
}

/* 5 of 128, with the smallest p of 10 blocks, are corrected to 5% itself: 1/512 · 128 / 5. However
 * that is rounded, all five are different, and their intervals say so. */
static void at_the_limit(void)
{
    enum { M = 128, DIFFERENT = 5 };
    static const struct al_rules rules = {.95, AL_MARGIN_PERCENT, 1};
    struct al_ratio equal, different;
    struct al_judgement judged[M];
    struct al_family is;
    double a[10], b[10], c[10];
    for (size_t i = 0; i < 10; i++) {
        a[i] = 150 + (double)i;
        b[i] = 100;
        c[i] = i % 2 == 0 ? 80 : 125;
    }
    CHECK(al_ratio_paired(a, b, 10, &different) == 0 && al_ratio_paired(c, b, 10, &equal) == 0,
          "10 values");
    for (size_t i = 0; i < M; i++)
        judged[i] = (struct al_judgement){.ratio = i < DIFFERENT ? &different : &equal};
    CHECK(al_judge(judged, M, &rules, &is) == 0, "no memory");
    bool good = is.rejected == DIFFERENT && fabs(judged[0].p_bh - .05) < 1e-15;
    for (size_t i = 0; i < M; i++)
        good &= (judged[i].verdict == AL_SLOWER) == (i < DIFFERENT) &&
                (judged[i].interval.low > 1) == (i < DIFFERENT);
    tap_ok(&tap, good, "p-values at the very limit: verdicts and intervals agree");
    al_ratio_release(&equal);
    al_ratio_release(&different);
}

int main(void)
{
    no_contradictions();
    more_blocks_decide();
    shares_of_looks();
    at_the_limit();
    turned();
    return tap_done(&tap);
}
