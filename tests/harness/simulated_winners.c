/* SPDX-License-Identifier: MIT */

/*
 * Who is called fastest: groups of cells of which all pairs are compared, and all pairs of all
 * groups corrected together, before the first of a group is looked for.
 */

#include <math.h>

#include "benchmarks/harness/results/judge.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST_BLOCKS 32
#define GROUPS      4
#define CELLS       7 /* the first is the best, if any */
#define PAIRS       (CELLS * (CELLS - 1) / 2)

struct tally {
    size_t families, wrong;     /* families with any equal cells called different */
    size_t groups, kept, alone; /* the best is among the fastest; no other one is */
};

static void measure_group(struct al_random *random, enum noise noise, size_t n, double best,
                          struct al_judgement *out, struct al_ratio *ratios)
{
    double cells[CELLS][MOST_BLOCKS];
    for (size_t b = 0; b < n; b++) {
        double drift = exp(.05 * simulated_normal(random));
        for (size_t c = 0; c < CELLS; c++)
            cells[c][b] = drift * (c == 0 ? best : 1) * simulated_time(random, noise);
    }
    size_t k = 0;
    for (size_t i = 0; i < CELLS; i++) {
        for (size_t j = i + 1; j < CELLS; j++, k++) {
            CHECK(al_ratio_paired(cells[i], cells[j], n, &ratios[k]) == 0, "out of memory");
            out[k] = (struct al_judgement){.ratio = &ratios[k]};
        }
    }
}

/* The first by wins, and whether each cell is shown to be slower than it. */
static size_t rank(const struct al_judgement *pairs, bool slower[CELLS])
{
    size_t wins[CELLS] = {0}, first = 0, k = 0;
    for (size_t i = 0; i < CELLS; i++) {
        for (size_t j = i + 1; j < CELLS; j++, k++)
            wins[pairs[k].ratio->estimate < 1 ? i : j]++;
    }
    for (size_t i = 0; i < CELLS; i++) {
        first = wins[i] > wins[first] ? i : first;
        slower[i] = false;
    }
    k = 0;
    for (size_t i = 0; i < CELLS; i++) {
        for (size_t j = i + 1; j < CELLS; j++, k++) {
            slower[j] |= i == first && pairs[k].verdict == AL_FASTER;
            slower[i] |= j == first && pairs[k].verdict == AL_SLOWER;
        }
    }
    return first;
}

static void count(const struct al_judgement *all, bool equal, struct tally *tally)
{
    bool wrong = false;
    for (size_t g = 0; g < GROUPS; g++) {
        bool slower[CELLS], alone = true;
        size_t k = 0;
        rank(all + g * PAIRS, slower);
        for (size_t i = 0; i < CELLS; i++) {
            alone &= i == 0 || slower[i];
            for (size_t j = i + 1; j < CELLS; j++, k++) {
                enum al_verdict verdict = all[g * PAIRS + k].verdict;
                wrong |= (equal || i > 0) && (verdict == AL_FASTER || verdict == AL_SLOWER);
            }
        }
        tally->groups++;
        tally->kept += !slower[0];
        tally->alone += !slower[0] && alone;
    }
    tally->families++;
    tally->wrong += wrong;
}

static struct tally simulate(enum noise noise, size_t n, double best, size_t families)
{
    static const struct al_rules rules = {.95, AL_MARGIN_PERCENT, 1};
    static struct al_ratio ratios[GROUPS * PAIRS];
    static struct al_judgement all[GROUPS * PAIRS];
    struct tally tally = {0};
    struct al_random random;
    al_random_seed(&random, 31 + n, noise);
    for (size_t f = 0; f < families; f++) {
        for (size_t g = 0; g < GROUPS; g++)
            measure_group(&random, noise, n, best, all + g * PAIRS, ratios + g * PAIRS);
        struct al_family family;
        CHECK(al_judge(all, GROUPS * PAIRS, &rules, &family) == 0, "out of memory");
        count(all, best == 1, &tally);
        for (size_t k = 0; k < GROUPS * PAIRS; k++)
            al_ratio_release(&ratios[k]);
    }
    return tally;
}

static double percent(size_t count, size_t all)
{
    return 100 * (double)count / (double)all;
}

/* One row of the table; the tallies go to `all`. */
static void row(const char *what, size_t n, double best, size_t families, struct tally *all)
{
    double rates[NOISES];
    for (int noise = 0; noise < NOISES; noise++) {
        all[noise] = simulate((enum noise)noise, n, best, families);
        rates[noise] = best == 1 ? percent(all[noise].wrong, all[noise].families)
                                 : percent(all[noise].alone, all[noise].groups);
    }
    table_row("%s | %zu | %.1f | %.1f | %.1f | %.1f", what, n, rates[NORMAL], rates[LOGNORMAL],
              rates[BIMODAL], rates[SLOW]);
}

int main(void)
{
    size_t families = simulation_is_deep() ? 5000 : 30;
    bool few = true, kept = true;
    struct tally tallies[NOISES] = {0};
    table_row("all pairs of %d groups of %d cells | n | normal | lognormal | bimodal | "
              "2 of 10 slow",
              GROUPS, CELLS);
    table_row("--- | --- | --- | --- | --- | ---");
    for (size_t n = 10; n <= 30; n = n < 15 ? 15 : n + 15) {
        row("equal: any called different", n, 1, families, tallies);
        for (int noise = 0; noise < NOISES; noise++)
            few &= at_most(tallies[noise].wrong, families, .05);
    }
    check(few, "at most 5%% of families of equal cells have a false verdict");
    for (size_t n = 10; n <= 30; n = n < 15 ? 15 : n + 15) {
        row("one is faster by 10%: it alone is called fastest", n, 1 / 1.1, families, tallies);
        for (int noise = 0; noise < NOISES; noise++)
            kept &= at_most(tallies[noise].groups - tallies[noise].kept, tallies[noise].groups,
                            .05);
    }
    check(kept, "at most 5%% of the best are not among the fastest");
    double alone = percent(tallies[NORMAL].alone, tallies[NORMAL].groups);
    check(alone > 90, "with 30 blocks, %.1f%% of the best are alone", alone);
    return tap_done(&tap);
}
