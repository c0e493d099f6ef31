/* SPDX-License-Identifier: MIT */

/*
 * Cells whose medians are equal and whose times have different shapes: what the ratio estimates
 * then, how often its interval holds that, and how often such cells are called different. The tests
 * of ranks are exact for cells of one distribution, which the same values show when their sides are
 * exchanged by chance.
 */

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/comparison.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST        64
#define SLOW_BLOCKS .4 /* of a host of two states */

/* The logarithms of the times of one block's two cells, from a draw of the host's state. */
struct shape {
    const char *name;
    void (*draw)(struct al_random *random, double host, double *a, double *b);
    bool symmetric; /* so is the logarithm of the ratio of a pair, about the ratio of the medians */
};

static double noise(struct al_random *random, double spread)
{
    return spread * simulated_normal(random);
}

static void skewed(struct al_random *random, double host, double *a, double *b)
{
    (void)host;
    *a = 4 * SPREAD * (exp(simulated_normal(random)) - 1);
    *b = noise(random, 4 * SPREAD);
}

static void spread(struct al_random *random, double host, double *a, double *b)
{
    (void)host;
    *a = noise(random, 4 * SPREAD);
    *b = noise(random, SPREAD);
}

static void heavy_tails(struct al_random *random, double host, double *a, double *b)
{
    (void)host; /* two degrees of freedom: the variance is infinite */
    *a = noise(random, SPREAD) / sqrt(-log(simulated_uniform(random)));
    *b = noise(random, SPREAD);
}

/* Three in ten trials of the one cell fall into a state that is slower by half. */
static void own_states(struct al_random *random, double host, double *a, double *b)
{
    (void)host;
    *a = noise(random, SPREAD) + (simulated_uniform(random) < .3 ? log(1.5) : 0);
    *b = noise(random, SPREAD);
}

/* In four of ten blocks the host hands cache lines over slowly, which one cell depends on more. */
static void host_states(struct al_random *random, double host, double *a, double *b)
{
    bool slow = host < SLOW_BLOCKS;
    *a = noise(random, SPREAD) + (slow ? log(4) : 0);
    *b = noise(random, SPREAD) + (slow ? log(2) : 0);
}

static const struct shape shapes[] = {
    {"12% and 3% of noise", spread, true},        {"heavy tails and normal", heavy_tails, true},
    {"skewed and normal", skewed, false},         {"two states and one", own_states, false},
    {"a host of two states", host_states, false},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* A shape as it is compared, and the truth about it. */
struct population {
    const struct shape *shape;
    bool paired;
    double median[2]; /* logarithms; measuring takes them off, so that the medians are equal */
    double ratio;     /* what the procedure estimates, with equal medians */
};

/* Logarithms of a block; cells that are no pair meet two states of the host. */
static void draw(struct al_random *random, const struct population *p, double *a, double *b)
{
    double host = simulated_uniform(random), unused;
    p->shape->draw(random, host, a, b);
    if (!p->paired)
        p->shape->draw(random, simulated_uniform(random), &unused, b);
    *a -= p->median[0];
    *b -= p->median[1];
}

/* Of many draws: the medians of either side, and that of the averages of two logarithms of ratios,
 * or of the differences of two logarithms of times. */
static struct population population(const struct shape *shape, bool paired)
{
    size_t draws = simulation_is_deep() ? 1000000 : 100000;
    struct population p = {.shape = shape, .paired = paired};
    struct al_random random;
    double *a = malloc(draws * sizeof *a), *b = malloc(draws * sizeof *b);
    CHECK(a != NULL && b != NULL, "out of memory");
    al_random_seed(&random, 31, paired);
    for (size_t i = 0; i < draws; i++)
        draw(&random, &p, &a[i], &b[i]);
    double medians[2] = {al_median(a, draws), al_median(b, draws)};
    p.median[0] = medians[0];
    p.median[1] = medians[1];
    for (size_t i = 0; i < draws; i++) {
        double other[2] = {0, 0};
        draw(&random, &p, &a[i], &b[i]);
        if (paired)
            draw(&random, &p, &other[0], &other[1]);
        a[i] = (a[i] - b[i] + other[0] - other[1]) / (paired ? 2 : 1);
    }
    p.ratio = exp(al_median(a, draws));
    free(a);
    free(b);
    return p;
}

/* Exchanges sides by chance: those of each pair, or all values. Both have one distribution then. */
static void exchange(struct al_random *random, bool paired, double *a, double *b, size_t n)
{
    for (size_t i = 0; i < 2 * n; i++) {
        size_t k = paired ? i % n : al_random_below(random, 2 * n);
        double *one = i < n ? &a[i] : &b[i - n], *other = k < n ? &a[k] : &b[k - n];
        if (paired)
            other = simulated_uniform(random) < .5 ? &b[k] : one;
        double kept = *one;
        *one = *other;
        *other = kept;
    }
}

/* How many of the samples are called different, and whose intervals of 95% hold the ratio. */
struct counts {
    size_t different, held;
    double achieved;
};

static struct counts simulate(const struct population *p, size_t n, bool exchanged, size_t samples)
{
    static const struct al_rules rules = {.95, AL_MARGIN_PERCENT, 1};
    struct counts counts = {0};
    struct al_random random;
    al_random_seed(&random, 32, 2 * n + exchanged);
    for (size_t s = 0; s < samples; s++) {
        double a[MOST], b[MOST];
        for (size_t i = 0; i < n; i++) {
            draw(&random, p, &a[i], &b[i]);
            a[i] = exp(a[i]);
            b[i] = exp(b[i]);
        }
        if (exchanged)
            exchange(&random, p->paired, a, b, n);
        struct al_ratio ratio;
        struct al_family family;
        CHECK((p->paired ? al_ratio_paired(a, b, n, &ratio)
                         : al_ratio_independent(a, n, b, n, &ratio)) == 0,
              "out of memory");
        struct al_judgement one = {.ratio = &ratio};
        CHECK(al_judge(&one, 1, &rules, &family) == 0, "out of memory");
        counts.different += one.verdict == AL_FASTER || one.verdict == AL_SLOWER;
        counts.held += one.interval.low <= p->ratio && p->ratio <= one.interval.high;
        counts.achieved = one.interval.achieved;
        al_ratio_release(&ratio);
    }
    return counts;
}

/* What holds for all rows so far. */
struct claims {
    bool exact; /* of cells of one distribution, and of symmetric pairs, 5% are called different */
    bool covered[2]; /* intervals, of pairs and not, hold the ratio in at least 92% */
    double most;     /* of the cells with equal medians called different, in percent */
};

static void compare(const struct shape *shape, bool paired, size_t samples, struct claims *claims)
{
    static const size_t sizes[] = {10, 30};
    struct population p = population(shape, paired);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k];
        struct counts apart = simulate(&p, n, false, samples),
                      mixed = simulate(&p, n, true, samples);
        double each = 100 / (double)samples;
        table_row("%s, %s | %zu | %.3f | %.1f | %.1f | %.1f | %.1f", shape->name,
                  paired ? "pairs" : "no pairs", n, p.ratio, each * (double)apart.different,
                  each * (double)mixed.different, each * (double)apart.held, 100 * apart.achieved);
        claims->exact &= at_most(mixed.different, samples, .05);
        claims->exact &= !paired || !shape->symmetric || at_most(apart.different, samples, .05);
        claims->covered[paired] &= at_least(apart.held, samples, .92);
        claims->most = fmax(claims->most, each * (double)apart.different);
    }
}

/* Whether the ratio of the quiet blocks is shown beside that of n blocks. */
static bool shows_states(struct al_random *random, const struct shape *shape, size_t n)
{
    double a[MOST] = {0}, b[MOST] = {0}, quiet_a[MOST], quiet_b[MOST];
    struct al_comparison one = {0};
    size_t quiet = 0;
    for (size_t i = 0; i < n; i++) {
        double host = simulated_uniform(random), logs[2];
        shape->draw(random, host, &logs[0], &logs[1]);
        a[i] = exp(logs[0]);
        b[i] = exp(logs[1]);
        if (host >= SLOW_BLOCKS) {
            quiet_a[quiet] = a[i];
            quiet_b[quiet++] = b[i];
        }
    }
    CHECK(al_ratio_paired(a, b, n, &one.ratio) == 0, "out of memory");
    if (quiet > 0) {
        CHECK(al_ratio_paired(quiet_a, quiet_b, quiet, &one.quiet) == 0, "out of memory");
        one.judged_quiet.ratio = &one.quiet;
        one.judged_quiet.equivalence = al_ratio_interval(&one.quiet, .9);
    }
    bool shows = al_comparison_has_states(&one);
    al_comparison_release(&one);
    return shows;
}

static void test_states(size_t samples)
{
    static const struct shape *const hosts[] = {&shapes[0], &shapes[SHAPES - 1]};
    static const size_t sizes[] = {10, 15, 30};
    bool few = true, most = true;
    table_row("the quiet ratio stands beside | n | host of one state | host of two states");
    table_row("--- | --- | --- | ---");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t shown[2] = {0, 0};
        struct al_random random;
        al_random_seed(&random, 33, sizes[k]);
        for (size_t s = 0; s < samples; s++) {
            for (int h = 0; h < 2; h++)
                shown[h] += shows_states(&random, hosts[h], sizes[k]);
        }
        double each = 100 / (double)samples;
        table_row("four in ten blocks are not quiet | %zu | %.1f | %.1f", sizes[k],
                  each * (double)shown[0], each * (double)shown[1]);
        few &= at_most(shown[0], samples, .05);
        most &= sizes[k] < 15 || at_least(shown[1], samples, .8);
    }
    check(few, "the quiet blocks' ratio is shown as another in at most 5%% where it is the same");
    check(most, "from 15 blocks on it is shown in most cases where it is another");
}

int main(void)
{
    size_t samples = simulation_is_deep() ? 20000 : 1000;
    table_row("equal medians, unequal shapes | n | ratio | called different | exchanged: called "
              "different | interval covers the ratio | says");
    table_row("--- | --- | --- | --- | --- | --- | ---");
    struct claims claims = {.exact = true, .covered = {true, true}};
    for (int paired = 1; paired >= 0; paired--) {
        for (size_t i = 0; i < SHAPES; i++)
            compare(&shapes[i], paired, samples, &claims);
    }
    check(claims.exact,
          "at most 5%% are called different of cells of one distribution, whatever its "
          "shape, and of pairs whose ratio is symmetric about 1");
    check(claims.covered[1], "intervals of pairs hold the ratio in 92%%");
    check(claims.covered[0], "intervals without pairs hold the ratio in 92%%");
    check(claims.most > 50, "equal medians are not what is tested: %.0f%% called different",
          claims.most);
    test_states(samples);
    return tap_done(&tap);
}
