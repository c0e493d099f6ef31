/* SPDX-License-Identifier: MIT */

/*
 * Verdicts on simulated sweeps, by the rules that tables use: how often equal cells are called
 * different, how often different ones are recognized, and how often either is called equivalent.
 */

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/judge.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST_BLOCKS 64
#define MOST_FAMILY 256
#define GROUP       7 /* cells that share a baseline: strategies on one workload */

/* A family of comparisons, and what its verdicts are to be. */
struct scenario {
    enum noise noise;
    size_t n, m;     /* blocks; comparisons */
    size_t affected; /* how many of them, spread evenly, differ */
    double effect;   /* by this ratio */
};

/* What came out of many families. */
struct tally {
    size_t families, wrong; /* families with any equal cell called faster or slower */
    size_t affected, right; /* comparisons that differ, and are called so, in that direction */
    size_t reversed;        /* in the other direction */
    size_t equivalent[2], equals; /* called equivalent: of the equal ones, of those that differ */
    bool contradiction;           /* an interval and a p-value did not agree */
};

static void measure(struct al_random *random, enum noise noise, const double *drift, size_t n,
                    double factor, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = factor * drift[i] * simulated_time(random, noise);
}

static bool is_affected(const struct scenario *scenario, size_t place)
{
    return (place + 1) * scenario->affected / scenario->m >
           place * scenario->affected / scenario->m;
}

static void count(const struct scenario *scenario, const struct al_judgement *all,
                  struct tally *tally)
{
    bool wrong = false;
    for (size_t i = 0; i < scenario->m; i++) {
        enum al_verdict verdict = all[i].verdict,
                        truth = scenario->effect > 1 ? AL_SLOWER : AL_FASTER;
        bool different = verdict == AL_FASTER || verdict == AL_SLOWER,
             affected = is_affected(scenario, i);
        wrong |= different && !affected;
        tally->affected += affected;
        tally->equals += !affected;
        tally->right += affected && verdict == truth;
        tally->reversed += affected && different && verdict != truth;
        tally->equivalent[affected] += verdict == AL_EQUIVALENT;
        bool excludes = all[i].interval.low > 1 || all[i].interval.high < 1;
        tally->contradiction |= excludes != al_significant(all[i].p_bh, .05) ||
                                (different && !excludes);
    }
    tally->families++;
    tally->wrong += wrong;
}

static void simulate_family(const struct scenario *scenario, struct al_random *random,
                            struct tally *tally)
{
    static const struct al_rules rules = {.95, AL_MARGIN_PERCENT, 1};
    static struct al_ratio ratios[MOST_FAMILY];
    static struct al_judgement all[MOST_FAMILY];
    double drift[MOST_BLOCKS], baseline[MOST_BLOCKS], cell[MOST_BLOCKS];
    size_t n = scenario->n;
    for (size_t i = 0; i < scenario->m; i++) {
        if (i % GROUP == 0) { /* cells of one block share its drift */
            for (size_t b = 0; b < n; b++)
                drift[b] = exp(.05 * simulated_normal(random));
            measure(random, scenario->noise, drift, n, 1, baseline);
        }
        measure(random, scenario->noise, drift, n, is_affected(scenario, i) ? scenario->effect : 1,
                cell);
        CHECK(al_ratio_paired(cell, baseline, n, &ratios[i]) == 0, "out of memory");
        all[i] = (struct al_judgement){.ratio = &ratios[i]};
    }
    struct al_family family;
    CHECK(al_judge(all, scenario->m, &rules, &family) == 0, "out of memory");
    count(scenario, all, tally);
    for (size_t i = 0; i < scenario->m; i++)
        al_ratio_release(&ratios[i]);
}

static struct tally simulate(struct scenario scenario, size_t families)
{
    struct tally tally = {0};
    struct al_random random;
    al_random_seed(&random, scenario.n * 1000 + scenario.m, scenario.noise);
    for (size_t f = 0; f < families; f++)
        simulate_family(&scenario, &random, &tally);
    return tally;
}

static double percent(size_t count, size_t all)
{
    return 100 * (double)count / (double)all;
}

static const size_t all_sizes[] = {5, 6, 8, 10, 15, 20, 30, 0}, few_sizes[] = {6, 10, 15, 0};

/* Families of equal cells in which any is called faster or slower. */
static void test_false_verdicts(size_t m, const size_t *sizes, size_t families)
{
    bool few = true, agree = true;
    table_row("families of %zu equal cells | n | normal | lognormal | bimodal | 2 of 10 slow", m);
    table_row("--- | --- | --- | --- | --- | ---");
    for (size_t k = 0; sizes[k] > 0; k++) {
        double rates[NOISES];
        for (int noise = 0; noise < NOISES; noise++) {
            struct tally t = simulate(
                (struct scenario){.noise = (enum noise)noise, .n = sizes[k], .m = m, .effect = 1},
                families);
            rates[noise] = percent(t.wrong, t.families);
            few &= at_most(t.wrong, t.families, .05);
            agree &= !t.contradiction;
        }
        table_row("any called different | %zu | %.2f | %.2f | %.2f | %.2f", sizes[k], rates[NORMAL],
                  rates[LOGNORMAL], rates[BIMODAL], rates[SLOW]);
    }
    check(few, "families of %zu equal cells: at most 5%% have a false verdict", m);
    check(agree, "families of %zu: no interval contradicts its verdict", m);
}

/* One row: how many of the cells that differ are recognized. */
static struct tally power(const char *what, struct scenario scenario, size_t families)
{
    double rates[NOISES];
    struct tally normal = {0};
    for (int noise = 0; noise < NOISES; noise++) {
        scenario.noise = (enum noise)noise;
        struct tally tally = simulate(scenario, families);
        rates[noise] = percent(tally.right, tally.affected);
        normal = noise == NORMAL ? tally : normal;
    }
    table_row("%s | %zu | %.1f | %.1f | %.1f | %.1f", what, scenario.n, rates[NORMAL],
              rates[LOGNORMAL], rates[BIMODAL], rates[SLOW]);
    return normal;
}

static void test_power(size_t families)
{
    bool deep = simulation_is_deep();
    struct scenario one = {.n = 10, .m = 1, .affected = 1, .effect = 1.05};
    table_row(
        "recognized, of cells slower by 5%% | n | normal | lognormal | bimodal | 2 of 10 slow");
    table_row("--- | --- | --- | --- | --- | ---");
    struct tally alone = power("one comparison", one, families);
    check(at_least(alone.right, alone.affected, .80) && percent(alone.right, alone.affected) < 95,
          "power of one comparison, 10 blocks: %.1f%%", percent(alone.right, alone.affected));
    check(alone.reversed * 1000 <= alone.affected, "hardly any is called faster");
    one.effect = 1 / 1.05;
    struct tally faster = simulate(one, families);
    one.effect = 1.05;
    check(fabs(percent(faster.right, faster.affected) - percent(alone.right, alone.affected)) < 6,
          "cells that are faster are recognized as often: %.1f%%",
          percent(faster.right, faster.affected));
    one.n = 15;
    power("one comparison", one, families);
    for (int half = 1; deep && half >= 0; half--) { /* only for the table: nothing is checked */
        for (size_t n = 10; n <= 30; n = n < 15 ? 15 : n + 15) {
            struct scenario of_20 = {.n = n, .m = 20, .affected = half ? 10 : 1, .effect = 1.05};
            struct scenario of_238 = {.n = n, .m = 238, .affected = half ? 119 : 1, .effect = 1.05};
            power(half ? "half of 20" : "one of 20", of_20, half ? families / 10 : families / 2);
            power(half ? "half of 238" : "one of 238", of_238,
                  half ? families / 100 : families / 10);
        }
    }
    struct scenario large = {.noise = SLOW, .n = 10, .m = 1, .affected = 1, .effect = 2.2};
    struct tally slow = simulate(large, families);
    table_row("one comparison, slower by 120%% | 10 | | | | %.1f",
              percent(slow.right, slow.affected));
    check(at_least(slow.right, slow.affected, .8), "slow processes do not hide a ratio of 2.2");
}

/* Differences as large as the margin pass for equivalent in at most 5%. */
static void test_equivalence(size_t families)
{
    const size_t *sizes = simulation_is_deep() ? all_sizes : few_sizes;
    bool few = true;
    double equal = 0;
    table_row("called equivalent, margin 5%% | n | normal | lognormal | bimodal | 2 of 10 slow");
    table_row("--- | --- | --- | --- | --- | ---");
    for (int different = 0; different < 2; different++) {
        for (size_t k = 0; sizes[k] > 0; k++) {
            double rates[NOISES];
            for (int noise = 0; noise < NOISES; noise++) {
                struct scenario scenario = {.noise = (enum noise)noise,
                                            .n = sizes[k],
                                            .m = 1,
                                            .affected = (size_t)different,
                                            .effect = 1.05};
                struct tally t = simulate(scenario, families);
                size_t all = different ? t.affected : t.equals;
                rates[noise] = percent(t.equivalent[different], all);
                few &= !different || at_most(t.equivalent[1], all, .05);
                if (!different && noise == NORMAL && sizes[k] == 15)
                    equal = rates[noise];
            }
            table_row("%s | %zu | %.1f | %.1f | %.1f | %.1f",
                      different ? "of cells slower by 5%" : "of equal cells", sizes[k],
                      rates[NORMAL], rates[LOGNORMAL], rates[BIMODAL], rates[SLOW]);
        }
    }
    check(few, "at most 5%% of the cells that differ by the margin pass for equivalent");
    check(equal > 80, "15 blocks call %.1f%% of equal cells equivalent", equal);
}

int main(void)
{
    bool deep = simulation_is_deep();
    static const size_t ten[] = {10, 0};
    test_false_verdicts(20, deep ? all_sizes : few_sizes, deep ? 10000 : 200);
    test_false_verdicts(238, deep ? all_sizes : ten, deep ? 1000 : 15);
    test_power(deep ? 20000 : 1000);
    test_equivalence(deep ? 20000 : 1000);
    return tap_done(&tap);
}
