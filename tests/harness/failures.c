/* SPDX-License-Identifier: MIT */

/* Trials that failed: in ratios they are slower than all that did not, and in verdicts no side that
 * fails more is faster. */

#include <math.h>
#include <stdint.h>

#include "benchmarks/harness/results/judge.h"
#include "core/random.h"
#include "tests/support/tap.h"

#define N    20
#define HUGE 1e100 /* times longer than any other, in place of failures */

static struct tap tap;

static double uniform(struct al_random *random)
{
    return ((double)(al_random_next(random) >> 11) + .5) / 0x1p53;
}

/* Times of a cell that is `factor` times as slow as another. */
static void draw(struct al_random *random, double factor, double *out)
{
    for (size_t i = 0; i < N; i++)
        out[i] = 100 * factor * exp(.03 * al_normal_quantile(uniform(random)));
}

static struct al_ratio ratio_of(bool paired, const double *a, const double *b)
{
    struct al_ratio ratio;
    CHECK((paired ? al_ratio_paired(a, b, N, &ratio) : al_ratio_independent(a, N, b, N, &ratio)) ==
              0,
          "out of memory");
    return ratio;
}

/* As if it were huge, but infinite where that is all there is; of the base 0. */
static bool is_like(double value, double huge)
{
    return huge > 1e9 ? isinf(value) : huge < 1e-9 ? value == 0 : value == huge;
}

static bool are_like(const struct al_ratio *failed, const struct al_ratio *huge)
{
    bool same = failed->p == huge->p && is_like(failed->estimate, huge->estimate);
    for (double level = .5; level < 1; level += .09) {
        struct al_interval i = al_ratio_interval(failed, level), e = al_ratio_interval(huge, level);
        same &= is_like(i.low, e.low) && is_like(i.high, e.high) && i.achieved == e.achieved;
    }
    return same;
}

/* Ranks know no more of a failure than that it is slowest. */
static void like_the_slowest(bool paired)
{
    bool same = true;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct al_random random;
        double a[N], b[N], slowest[N];
        al_random_seed(&random, seed, paired);
        draw(&random, .9 + .01 * (double)(seed % 20), a);
        draw(&random, 1, b);
        for (size_t i = 0; i < N; i++)
            slowest[i] = i < seed / 2 ? HUGE * (double)(i + 1) : a[i];
        for (size_t i = 0; i < seed / 2; i++)
            a[i] = INFINITY;
        struct al_ratio failed = ratio_of(paired, a, b), huge = ratio_of(paired, slowest, b);
        struct al_ratio turned = ratio_of(paired, b, a), other = ratio_of(paired, b, slowest);
        same &= are_like(&failed, &huge) && are_like(&turned, &other);
        al_ratio_release(&failed);
        al_ratio_release(&huge);
        al_ratio_release(&turned);
        al_ratio_release(&other);
    }
    tap_ok(&tap, same, "%s: a failure is slower than all others, whatever their times",
           paired ? "pairs" : "independent");
}

/* On both sides, they are equal: half of each fail, the rest are as fast. */
static void ties(void)
{
    double a[N], b[N];
    for (size_t i = 0; i < N; i++)
        a[i] = b[i] = i < N / 2 ? INFINITY : 100 + (double)i;
    struct al_ratio ratio = ratio_of(false, a, b);
    struct al_interval interval = al_ratio_interval(&ratio, .999);
    tap_ok(&tap,
           ratio.p == 1 && ratio.estimate == 1 && interval.low == 0 && isinf(interval.high) &&
               !interval.degenerate,
           "failures of both sides are ties, and may leave neither end bounded");
    al_ratio_release(&ratio);
}

/* `factor`: of the times of the cell that did not fail; the first so many of each side fail, in
 * blocks of their own. */
static struct al_judgement judged(double factor, size_t cell, size_t base)
{
    static const struct al_rules rules = {.95, AL_MARGIN_PERCENT, 1};
    struct al_random random;
    struct al_family family;
    double a[N], b[N];
    al_random_seed(&random, 7, 0);
    draw(&random, factor, a);
    draw(&random, 1, b);
    for (size_t i = 0; i < cell; i++)
        a[i] = INFINITY;
    for (size_t i = 0; i < base; i++)
        b[N - 1 - i] = INFINITY;
    struct al_ratio ratio = ratio_of(true, a, b);
    struct al_judgement one = {.ratio = &ratio, .failed = {(double)cell / N, (double)base / N}};
    CHECK(al_judge(&one, 1, &rules, &family) == 0, "out of memory");
    al_ratio_release(&ratio);
    one.ratio = NULL;
    return one;
}

static void verdicts(void)
{
    struct al_judgement half = judged(.8, 10, 0), few = judged(.8, 2, 0), none = judged(.8, 0, 0);
    tap_ok(&tap, none.verdict == AL_FASTER && half.verdict == AL_INCONCLUSIVE,
           "20%% faster, but 10 of 20 failed: not faster");
    tap_ok(&tap,
           few.interval.high < 1 && few.verdict == AL_INCONCLUSIVE && few.more == SIZE_MAX &&
               judged(1.25, 0, 2).interval.low > 1 && judged(1.25, 0, 2).verdict == AL_INCONCLUSIVE,
           "no side that fails more is faster, whatever the test says; nor would more blocks help");
    tap_ok(&tap,
           judged(.8, 2, 2).verdict == AL_FASTER && judged(.8, 1, 2).verdict == AL_FASTER &&
               judged(1.25, 2, 0).verdict == AL_SLOWER && judged(1, 16, 0).verdict == AL_SLOWER,
           "who fails as often may be faster, and failures alone make a side slower");
    tap_ok(&tap,
           judged(1, 0, 0).verdict == AL_EQUIVALENT && judged(1, 1, 1).verdict == AL_EQUIVALENT &&
               judged(1, 1, 0).verdict == AL_INCONCLUSIVE &&
               judged(1, 0, 1).verdict == AL_INCONCLUSIVE,
           "equivalent cells fail as often");
    /* p 0.06 of 20 pairs: as much of a difference is significant with a few more. */
    tap_ok(&tap, isinf(half.interval.median) && half.more > 0 && half.more <= 10,
           "how many more blocks decide failures follows from p: %zu", half.more);
}

int main(void)
{
    like_the_slowest(true);
    like_the_slowest(false);
    ties();
    verdicts();
    return tap_done(&tap);
}
