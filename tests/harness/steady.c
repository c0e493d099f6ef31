/* SPDX-License-Identifier: MIT */

/* Whether a series is steady: p against all permutations, series made by hand, and how often random
 * ones are called unsteady. */

#include "benchmarks/harness/measure/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/trial.h"
#include "benchmarks/harness/show/run.h"
#include "core/random.h"
#include "tests/support/tap.h"

enum { HALF = 4, SERIES = 4000 };

/* How often a value of the second half is above one of the first. */
static int wins(const uint64_t *values)
{
    int n = 0;
    for (size_t i = 0; i < HALF; i++) {
        for (size_t k = HALF; k < 2 * HALF; k++)
            n += values[k] > values[i];
    }
    return n;
}

/* The values 101 … 108, those whose bit is set in the second half. False if that is no half. */
static bool divide(unsigned bits, uint64_t values[2 * HALF])
{
    size_t n[2] = {0};
    for (unsigned i = 0; i < 2 * HALF; i++) {
        unsigned side = bits >> i & 1;
        if (n[side] < HALF)
            values[side * HALF + n[side]] = 101 + i;
        n[side]++;
    }
    return n[0] == HALF;
}

/* p of every division of eight values into halves, by counting all others. */
static void test_exact(struct tap *tap)
{
    const int middle = HALF * HALF / 2;
    bool good = true;
    uint64_t values[2 * HALF], others[2 * HALF];
    for (unsigned bits = 0; bits < 1 << 2 * HALF; bits++) {
        double all = 0, hits = 0;
        if (!divide(bits, values))
            continue;
        for (unsigned k = 0; k < 1 << 2 * HALF; k++) {
            if (!divide(k, others))
                continue;
            all++;
            hits += abs(wins(others) - middle) >= abs(wins(values) - middle);
        }
        double p = al_drift(values, 2 * HALF).p;
        if (fabs(p - hits / all) > 1e-12)
            printf("# %x: %g, not %g\n", bits, p, hits / all);
        good &= fabs(p - hits / all) <= 1e-12;
    }
    tap_ok(tap, good, "p is exact: all divisions of eight values");
}

static bool is_drift(const uint64_t *values, size_t n, double p, double ratio)
{
    struct al_drift drift = al_drift(values, n);
    bool good = fabs(drift.p - p) < 1e-9 && fabs(drift.ratio - ratio) < 1e-9;
    if (!good)
        printf("# p = %.12g, ratio %.12g\n", drift.p, drift.ratio);
    return good;
}

static void test_drifts(struct tap *tap)
{
    static const uint64_t falls[] = {140, 130, 999, 110, 100},
                          outlier[] = {100, 900, 100, 200, 200, 200};
    uint64_t many[1001];
    tap_ok(tap, is_drift(falls, 5, 2.0 / 6, sqrt(110.0 / 140 * 100 / 130)),
           "halves of an odd number of values: without the middle one");
    tap_ok(tap, fabs(al_drift(outlier, 6).ratio - 2) < 1e-9, "one outlier moves the ratio little");
    for (size_t i = 0; i < 1001; i++)
        many[i] = (i < 500 ? 100000 : 110000) + i + (i % 20 < 3) * 1000000;
    struct al_drift drift = al_drift(many, 1001);
    tap_ok(tap, drift.p < 1e-9 && fabs(drift.ratio - 1.105) < 0.001,
           "many values, by the medians of 50 stretches: %g", drift.ratio);
    drift = al_drift(falls, 1);
    tap_ok(tap, isnan(drift.p) && isnan(drift.ratio), "one value has none");
}

static void test_verdicts(struct tap *tap)
{
    static const uint64_t falls[] = {160, 150, 140, 130, 120, 110, 100, 90};
    static const uint64_t slight[] = {10000, 10010, 10020, 10030, 10040, 10050, 10060, 10070};
    static const uint64_t first[] = {900, 101, 99, 100, 102, 98, 100, 101};
    static const uint64_t halves[] = {205, 201, 203, 204, 202, 101, 105, 103, 104, 102};
    static const uint64_t rises[] = {10, 11, 12, 13, 14, 15, 16, 17};
    tap_ok(tap, al_steady(falls, 8) == AL_STEADY_NO, "falling: not steady");
    tap_ok(tap, al_steady(rises, 8) == AL_STEADY_NO, "nor rising");
    tap_ok(tap, al_steady(falls, 7) == AL_STEADY_UNKNOWN, "too few to tell");
    tap_ok(tap, al_steady(slight, 8) == AL_STEADY_YES,
           "within 2%%: steady, however sure the drift");
    tap_ok(tap, al_steady(first, 8) == AL_STEADY_YES,
           "one slow iteration does not move the median");
    tap_ok(tap, al_steady(halves, 10) == AL_STEADY_NO, "a step in the middle does");
}

/* How many iterations al_warm waits for, if each takes this long; 0: more than there are. */
static size_t warm_after(const uint64_t *times, size_t n)
{
    for (size_t i = 1; i <= n; i++) {
        if (al_warm(times, i) == AL_STEADY_YES)
            return i;
    }
    return 0;
}

static void test_warm(struct tap *tap)
{
    static const uint64_t level[] = {100, 103, 98, 101, 99, 102};
    static const uint64_t first[] = {900, 103, 98, 101, 99, 102};
    static const uint64_t step[] = {201, 204, 202, 102, 104, 101, 105, 103, 102};
    static const uint64_t mixed[] = {104, 105, 102, 101, 103, 100};
    uint64_t falls[AL_WARMUP_MOST];
    for (size_t i = 0; i < AL_WARMUP_MOST; i++)
        falls[i] = 1000 - 20 * i;
    tap_ok(tap, warm_after(level, 6) == 6, "a steady series is warm as soon as can be told");
    tap_ok(tap, warm_after(first, 6) == 6, "also after one slow iteration");
    tap_ok(tap, warm_after(mixed, 6) == 6, "or if the last three are not all faster");
    tap_ok(tap, warm_after(step, 9) == 7, "after a step, as soon as the halves mix");
    tap_ok(tap, warm_after(falls, AL_WARMUP_MOST) == 0, "never while the times keep falling");
}

/* A normal value by the sum of twelve uniform ones. */
static double normal(struct al_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)al_random_below(random, 1 << 30) / (1 << 30);
    return sum;
}

/* Of so many random series of n values with 3% of noise, the share that is not steady. One value in
 * five takes four times as long if `outliers`; the first `slow` of them take `factor` as long. */
static double unsteady(uint64_t seed, size_t n, bool outliers, size_t slow, double factor)
{
    struct al_random random;
    uint64_t times[64];
    size_t found = 0;
    al_random_seed(&random, seed, 0);
    for (int series = 0; series < SERIES; series++) {
        for (size_t i = 0; i < n; i++) {
            double time = 1e6 * exp(0.03 * normal(&random)) * (i < slow ? factor : 1);
            if (outliers && al_random_below(&random, 5) == 0)
                time *= 4;
            times[i] = (uint64_t)time;
        }
        found += al_steady(times, n) == AL_STEADY_NO;
    }
    return (double)found / SERIES;
}

static void test_rates(struct tap *tap)
{
    static const size_t lengths[] = {8, 10, 20, 30};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i];
        double plain = unsteady(n, n, false, 0, 1), wild = unsteady(100 + n, n, true, 0, 1);
        tap_ok(tap, plain < 0.055 && wild < 0.055,
               "%zu iterations without a drift are called unsteady in %.1f%%, with outliers %.1f%%",
               n, plain * 100, wild * 100);
    }
    double power = unsteady(7, 10, false, 5, 1.15);
    tap_ok(tap, power > 0.9, "10 iterations, of which five take 15%% longer: %.1f%%", power * 100);
    power = unsteady(8, 30, true, 15, 1.15);
    tap_ok(tap, power > 0.8, "30 with outliers, of which half take 15%% longer: %.1f%%",
           power * 100);
}

/* What `actorlab run` prints about these times. */
static bool prints(uint64_t *times, uint32_t n, bool automatic, const char *expected)
{
    struct al_trial trial = {.warmup_auto = automatic};
    struct al_outcome outcome = {.time_ns = times, .n_times = n};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    CHECK(file != NULL, "no memory");
    al_steady_print(&trial, &outcome, file);
    fclose(file);
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("# %s", text);
    free(text);
    return same;
}

static void test_line(struct tap *tap)
{
    uint64_t falls[] = {80, 80, 80, 80, 60, 60, 60, 60}, level[] = {10, 12, 11, 13, 10, 12, 11, 12};
    tap_ok(tap,
           prints(falls, 8, false,
                  "not steady: the second half of the iterations took 25% less time than the first "
                  "(p = 0.029); --warmup auto warms up until they are\n") &&
               prints(level, 8, false, "") && prints(falls, 7, false, ""),
           "one line if they are not steady");
    for (int i = 0; i < 4; i++)
        falls[i] = 50;
    tap_ok(tap,
           prints(falls, 8, true,
                  "not steady: the second half of the iterations took 20% longer than the first (p "
                  "= 0.029)\n"),
           "without advice that was followed already");
}

static bool warns(enum al_steady warm, const char *expected)
{
    struct al_outcome outcome = {.warmup = 20, .warm = warm};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    CHECK(file != NULL, "no memory");
    al_warm_print(&outcome, file);
    fclose(file);
    bool same = strcmp(text, expected) == 0;
    free(text);
    return same;
}

static void test_warning(struct tap *tap)
{
    tap_ok(tap,
           warns(AL_STEADY_NO, "actorlab run: warm-up ended after 20 iterations, whose times still "
                               "changed\n") &&
               warns(AL_STEADY_YES, "") && warns(AL_STEADY_UNKNOWN, ""),
           "one line if the warm-up ended before it was over");
}

int main(void)
{
    struct tap tap = {0};
    test_exact(&tap);
    test_drifts(&tap);
    test_verdicts(&tap);
    test_warm(&tap);
    test_rates(&tap);
    test_line(&tap);
    test_warning(&tap);
    return tap_done(&tap);
}
