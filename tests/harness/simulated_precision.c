/* SPDX-License-Identifier: MIT */

/*
 * Sweeps that end once every interval of a median is narrow. Each look is a chance to end because
 * the values so far are close together by luck; so each spends a part of what intervals may miss.
 */

#include <string.h>

#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST_CELLS  10
#define MOST_BLOCKS 160

/* Those of scripts/sweep for as many blocks. */
static const size_t looks[] = {8, 12, 20, 40, 80, MOST_BLOCKS};
#define LOOKS (sizeof looks / sizeof *looks)

/* What came of many sweeps. */
struct tally {
    size_t covered, cells;
    double blocks; /* on average */
};

/* Whether all intervals of n blocks have this level, and are narrower than this part of their
 * medians; how many hold the true one. */
static bool look(double values[MOST_CELLS][MOST_BLOCKS], size_t m, size_t n, double level,
                 double wanted, double truth, size_t *covered)
{
    double sorted[MOST_BLOCKS], achieved;
    bool narrow = true;
    *covered = 0;
    for (size_t c = 0; c < m; c++) {
        memcpy(sorted, values[c], n * sizeof *sorted);
        double median = al_median(sorted, n); /* sorts */
        size_t rank = al_binomial_rank(n, level, &achieved);
        double low = sorted[rank - 1], high = sorted[n - rank];
        narrow &= achieved >= level && high - low <= wanted * median;
        *covered += low <= truth && truth <= high;
    }
    return narrow;
}

/* spend: the rule; else each look has the whole level. */
static struct tally simulate(enum noise noise, size_t m, double wanted, bool spend, size_t sweeps)
{
    static double values[MOST_CELLS][MOST_BLOCKS];
    struct tally tally = {0};
    struct al_random random;
    al_random_seed(&random, m, (uint64_t)(1000 * wanted) * 8 + noise);
    double truth = simulated_median(noise);
    for (size_t s = 0; s < sweeps; s++) {
        size_t known = 0, covered = 0;
        for (size_t k = 0; k < LOOKS; k++) {
            size_t n = looks[k];
            double share = spend ? 1. / LOOKS : 1;
            for (size_t c = 0; c < m; c++) {
                for (size_t b = known; b < n; b++)
                    values[c][b] = simulated_time(&random, noise);
            }
            known = n;
            if (look(values, m, n, 1 - (1 - AL_LEVEL) * share, wanted, truth, &covered))
                break;
        }
        tally.cells += m;
        tally.covered += covered;
        tally.blocks += (double)known / (double)sweeps;
    }
    return tally;
}

static double percent(size_t count, size_t all)
{
    return 100 * (double)count / (double)all;
}

int main(void)
{
    static const double wanted[] = {.02, .03, .04, .05, .06, .08, .1, .15};
    size_t sweeps = simulation_is_deep() ? 40000 : 1500;
    bool enough = true;
    table_row("coverage of sweeps that end where intervals are narrow | narrower than | normal | "
              "lognormal | bimodal | 2 of 10 slow | blocks, normal");
    table_row("--- | --- | --- | --- | --- | --- | ---");
    for (int rule = 0; rule < 3; rule++) {
        static const char *const names[] = {"1 cell, looks share 5%", "10 cells, looks share 5%",
                                            "1 cell, 5% at each look"};
        size_t m = rule == 1 ? MOST_CELLS : 1;
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            struct tally tallies[NOISES];
            double rates[NOISES];
            for (int noise = 0; noise < NOISES; noise++) {
                struct tally *t = &tallies[noise];
                *t = simulate((enum noise)noise, m, wanted[w], rule < 2, sweeps / m);
                enough &= rule == 2 || at_least(t->covered, t->cells, AL_LEVEL);
                rates[noise] = percent(t->covered, t->cells);
            }
            table_row("%s | %g%% | %.1f | %.1f | %.1f | %.1f | %.1f", names[rule], 100 * wanted[w],
                      rates[NORMAL], rates[LOGNORMAL], rates[BIMODAL], rates[SLOW],
                      tallies[NORMAL].blocks);
        }
    }
    check(enough, "intervals that end a sweep hold the median in at least 95%%");
    return tap_done(&tap);
}
