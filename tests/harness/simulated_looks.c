/* SPDX-License-Identifier: MIT */

/*
 * Equal cells that are looked at more than once, as an adaptive sweep does, and those of sweeps at
 * different times, between which the machine drifts.
 */

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/judge.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST_BLOCKS 64
#define MOST_FAMILY 64

static const size_t looks[] = {10, 15, 20, 30};
#define LOOKS (sizeof looks / sizeof *looks)

static bool any_different(struct al_judgement *all, size_t m, double margin_percent, double share,
                          bool *decided)
{
    struct al_rules rules = {.95, margin_percent, share};
    struct al_family family;
    CHECK(al_judge(all, m, &rules, &family) == 0, "out of memory");
    bool different = false;
    *decided = true;
    for (size_t i = 0; i < m; i++) {
        different |= all[i].verdict == AL_FASTER || all[i].verdict == AL_SLOWER;
        *decided &= all[i].verdict != AL_INCONCLUSIVE;
    }
    return different;
}

/* The values of a family of cells and their common baseline. */
struct values {
    double baseline[MOST_BLOCKS], cells[MOST_FAMILY][MOST_BLOCKS];
};

static void measure(struct al_random *random, enum noise noise, size_t m, double effect,
                    struct values *out)
{
    for (size_t b = 0; b < MOST_BLOCKS; b++) {
        double drift = exp(.05 * simulated_normal(random));
        out->baseline[b] = drift * simulated_time(random, noise);
        for (size_t i = 0; i < m; i++)
            out->cells[i][b] = drift * effect * simulated_time(random, noise);
    }
}

/* Verdicts by the first n blocks. */
static bool look(const struct values *values, size_t m, size_t n, double margin_percent,
                 double share, bool *decided)
{
    static struct al_ratio ratios[MOST_FAMILY];
    static struct al_judgement all[MOST_FAMILY];
    for (size_t i = 0; i < m; i++) {
        CHECK(al_ratio_paired(values->cells[i], values->baseline, n, &ratios[i]) == 0, "no memory");
        all[i] = (struct al_judgement){.ratio = &ratios[i]};
    }
    bool different = any_different(all, m, margin_percent, share, decided);
    for (size_t i = 0; i < m; i++)
        al_ratio_release(&ratios[i]);
    return different;
}

/* Two ways to add blocks from 10 to 30. */
struct plan {
    const char *name;
    bool planned; /* only at the looks, each with its share; or after each block */
    double margin_percent;
    size_t m;
};

/* Until everything is decided. How many blocks that took is added to *blocks. */
static bool sweep(const struct values *values, const struct plan *plan, size_t *blocks)
{
    bool different = false, decided = false;
    size_t n = looks[0], k = 0;
    for (;;) {
        double share = plan->planned ? al_look_share(looks, LOOKS, n) : 1;
        different = look(values, plan->m, n, plan->margin_percent, share, &decided);
        if (decided || n == looks[LOOKS - 1])
            break;
        n = plan->planned ? looks[++k] : n + 1;
    }
    *blocks += n;
    return different;
}

/* Without a margin nothing is ever equivalent: what is not called different goes on to the end. */
static void test_looks(size_t families)
{
    static const struct plan plans[] = {
        {"looks at 10, 15, 20 and 30", true, AL_MARGIN_PERCENT, 1},
        {"looks at 10, 15, 20 and 30", true, AL_MARGIN_PERCENT, 20},
        {"the same, without a margin", true, 1e-9, 1},
        {"the same, without a margin", true, 1e-9, 20},
        {"after every block, without a margin", false, 1e-9, 1},
    };
    bool few = true;
    double rates[NOISES];
    table_row("equal cells called different, 10 to 30 blocks | m | normal | lognormal | bimodal | "
              "2 of 10 slow");
    table_row("--- | --- | --- | --- | --- | ---");
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        const struct plan *plan = &plans[p];
        size_t trials = plan->m > 1 ? families / 5 : families;
        for (int noise = 0; noise < NOISES; noise++) {
            struct al_random random;
            al_random_seed(&random, 21, (uint64_t)noise * 100 + p);
            size_t wrong = 0, blocks = 0;
            for (size_t f = 0; f < trials; f++) {
                static struct values values;
                measure(&random, (enum noise)noise, plan->m, 1, &values);
                wrong += sweep(&values, plan, &blocks);
            }
            rates[noise] = 100 * (double)wrong / (double)trials;
            few &= !plan->planned || at_most(wrong, trials, .05);
        }
        table_row("%s | %zu | %.1f | %.1f | %.1f | %.1f", plan->name, plan->m, rates[NORMAL],
                  rates[LOGNORMAL], rates[BIMODAL], rates[SLOW]);
    }
    check(few, "planned looks: at most 5%% of the families have a false verdict");
    check(rates[NORMAL] > 14, "looking after every block would give %.1f%%", rates[NORMAL]);
}

static void test_power(size_t families)
{
    static const struct plan plan = {"", true, AL_MARGIN_PERCENT, 1};
    size_t right = 0, blocks = 0;
    struct al_random random;
    al_random_seed(&random, 22, 0);
    for (size_t f = 0; f < families; f++) {
        static struct values values;
        measure(&random, NORMAL, 1, 1.05, &values);
        right += sweep(&values, &plan, &blocks);
    }
    double mean = (double)blocks / (double)families;
    table_row("a cell slower by 5%%, planned looks | 1 | %.1f after %.1f blocks | | |",
              100 * (double)right / (double)families, mean);
    check(at_least(right, families, .8) && mean < 20, "planned looks find 5%% in %.1f blocks",
          mean);
}

#define SESSIONS 4
#define BLOCKS   10

/*
 * A sweep's time of each cell in each block; the machine drifts by 5% between sessions, for all
 * cells, and by 2% for each.
 */
static void run_session(struct al_random *random, size_t m, double (*out)[BLOCKS])
{
    double drift = exp(.05 * simulated_normal(random));
    for (size_t i = 0; i < m; i++) {
        double own = drift * exp(.02 * simulated_normal(random));
        for (size_t b = 0; b < BLOCKS; b++)
            out[i][b] = own * simulated_time(random, NORMAL);
    }
}

/* Whether families of equal cells get a verdict from two sweeps: of trials, or of sessions. */
static bool two_sweeps(struct al_random *random, size_t m, bool by_session)
{
    static double times[2][SESSIONS][MOST_FAMILY][BLOCKS];
    static struct al_ratio ratios[MOST_FAMILY];
    static struct al_judgement all[MOST_FAMILY];
    size_t sessions = by_session ? SESSIONS : 1;
    for (size_t side = 0; side < 2; side++) {
        for (size_t s = 0; s < sessions; s++)
            run_session(random, m, times[side][s]);
    }
    for (size_t i = 0; i < m; i++) {
        double values[2][SESSIONS];
        for (size_t side = 0; side < 2; side++) {
            for (size_t s = 0; by_session && s < sessions; s++)
                values[side][s] = al_median(times[side][s][i], BLOCKS);
        }
        CHECK((by_session
                   ? al_ratio_independent(values[0], SESSIONS, values[1], SESSIONS, &ratios[i])
                   : al_ratio_independent(times[0][0][i], BLOCKS, times[1][0][i], BLOCKS,
                                          &ratios[i])) == 0,
              "out of memory");
        all[i] = (struct al_judgement){.ratio = &ratios[i]};
    }
    bool decided, different = any_different(all, m, AL_MARGIN_PERCENT, 1, &decided);
    for (size_t i = 0; i < m; i++)
        al_ratio_release(&ratios[i]);
    return different;
}

static void test_sessions(size_t families)
{
    static const size_t sizes[] = {1, 25};
    table_row("equal cells, two sweeps, drift of 5%% | m | any called different");
    table_row("--- | --- | ---");
    for (size_t k = 0; k < 2; k++) {
        size_t wrong[2] = {0, 0};
        struct al_random random;
        al_random_seed(&random, 23, sizes[k]);
        for (size_t f = 0; f < families; f++) {
            for (int by_session = 0; by_session < 2; by_session++)
                wrong[by_session] += two_sweeps(&random, sizes[k], by_session);
        }
        double naive = 100 * (double)wrong[0] / (double)families;
        table_row("10 blocks each, as if trials were independent | %zu | %.1f", sizes[k], naive);
        table_row("4 sessions of 10 blocks each, by session | %zu | %.1f", sizes[k],
                  100 * (double)wrong[1] / (double)families);
        check(at_most(wrong[1], families, .05), "families of %zu, by session: at most 5%%",
              sizes[k]);
        check(naive > 25, "families of %zu, as independent trials: %.1f%%", sizes[k], naive);
    }
}

int main(void)
{
    bool deep = simulation_is_deep();
    test_looks(deep ? 20000 : 400);
    test_power(deep ? 20000 : 600);
    test_sessions(deep ? 20000 : 200);
    return tap_done(&tap);
}
