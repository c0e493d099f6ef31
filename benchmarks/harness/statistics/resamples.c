/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/resamples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "core/random.h"

static int compare_ranks(const void *left, const void *right)
{
    const struct al_ranks *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    return (a->upper > b->upper) - (a->upper < b->upper);
}

/* A resample is drawn as ranks and counted, so that its median is found by adding counts up,
 * without sorting. */
static void draw(struct al_resamples *resamples, uint32_t *counts, uint64_t seed)
{
    size_t n = resamples->n;
    struct al_random random;
    al_random_seed(&random, seed, 0);
    for (size_t r = 0; r < resamples->count; r++) {
        memset(counts, 0, n * sizeof *counts);
        for (size_t i = 0; i < n; i++)
            counts[al_random_below(&random, (uint32_t)n)]++;

        uint32_t lower = 0;
        size_t seen = counts[0];
        while (seen < (n + 1) / 2)
            seen += counts[++lower];
        uint32_t upper = lower;
        while (seen < n / 2 + 1)
            seen += counts[++upper];
        resamples->drawn[r] = (struct al_ranks){lower + 1, upper + 1};
    }
}

/* Fills what is counted of the drawn ranks. */
static void count_kinds(struct al_resamples *resamples)
{
    struct al_ranks *kind = resamples->kind;
    memcpy(kind, resamples->drawn, resamples->count * sizeof *kind);
    qsort(kind, resamples->count, sizeof *kind, compare_ranks);
    size_t kinds = 0;
    for (size_t r = 0; r < resamples->count; r++) {
        if (kinds == 0 || compare_ranks(&kind[kinds - 1], &kind[r]) != 0)
            kind[kinds++] = kind[r];
        resamples->times[kinds - 1]++;
        resamples->lowers[kind[r].lower]++;
        resamples->uppers[kind[r].upper]++;
    }
    resamples->kinds = kinds;
    for (size_t b = 1; b <= resamples->n; b++) {
        resamples->lowers[b] += resamples->lowers[b - 1];
        resamples->uppers[b] += resamples->uppers[b - 1];
    }
}

struct al_resamples *al_resamples_new(size_t n, size_t count, uint64_t seed)
{
    struct al_resamples *resamples = calloc(1, sizeof *resamples);
    uint32_t *counts = calloc(n, sizeof *counts);
    if (resamples != NULL) {
        *resamples = (struct al_resamples){.n = n,
                                           .count = count,
                                           .drawn = calloc(count, sizeof *resamples->drawn),
                                           .kind = calloc(count, sizeof *resamples->kind),
                                           .times = calloc(count, sizeof *resamples->times),
                                           .lowers = calloc(n + 1, sizeof *resamples->lowers),
                                           .uppers = calloc(n + 1, sizeof *resamples->uppers)};
        if (counts == NULL || resamples->drawn == NULL || resamples->kind == NULL ||
            resamples->times == NULL || resamples->lowers == NULL || resamples->uppers == NULL) {
            al_resamples_free(resamples);
            resamples = NULL;
        } else {
            draw(resamples, counts, seed);
            count_kinds(resamples);
        }
    }
    free(counts);
    return resamples;
}

void al_resamples_free(struct al_resamples *resamples)
{
    if (resamples == NULL)
        return;
    free(resamples->drawn);
    free(resamples->kind);
    free(resamples->times);
    free(resamples->lowers);
    free(resamples->uppers);
    free(resamples);
}

/*
 * Coverage. Let b of the n values lie below the population's median m: b is binomial, and a
 * replicate is below m if its upper rank is at most b, above if its lower rank is more. If it
 * straddles m, it is below if its lower value is farther from m than its upper one. Under the
 * Laplace distribution, for which the interpolation of Hettmansperger and Sheather (1986) is exact
 * as well, going outwards from m is a race without memory: the next value is one of those below as
 * often as they are among those still to come.
 */
#define REACH                                                                                      \
    24 /* ranks from m; a farther straddler is as rare as e^-24, and counted at this distance */

struct race {
    size_t below, above; /* how many values lie below m, and above */
    uint64_t room;       /* how many straddlers may fall below m */
    uint64_t sum[REACH + 1]
                [REACH + 1]; /* [d][u]: lower rank at least d, upper one less than u steps out */
};

/* The chance that no more than `room` straddlers fall below m, once d values below m and u above
 * are passed, `count` straddlers fell below, and all this had some chance to happen. */
static double run_race(const struct race *race, size_t d, size_t u, uint64_t count, double chance)
{
    if (count + race->sum[d][u] > race->room)
        return 0;
    if (count + race->sum[d][REACH] <= race->room)
        return 1;
    if (chance < 1e-7) /* still open: what is left out is far below what a resampling tells */
        return 0.5;
    size_t below = race->below - d, above = race->above - u;
    double p = (double)below / (double)(below + above);
    uint64_t fallen = race->sum[d][u] - race->sum[d + 1][u];
    return p * run_race(race, d + 1, u, count + fallen, chance * p) +
           (1 - p) * run_race(race, d, u + 1, count, chance * (1 - p));
}

static double straddlers_stay_above(const struct al_resamples *resamples, size_t b, uint64_t room)
{
    struct race race = {.below = b, .above = resamples->n - b, .room = room};
    for (size_t k = 0; k < resamples->kinds; k++) {
        struct al_ranks ranks = resamples->kind[k];
        if (ranks.lower > b || ranks.upper <= b)
            continue;
        size_t d = b - ranks.lower, u = ranks.upper - b - 1;
        race.sum[d < REACH ? d : REACH - 1][u < REACH ? u + 1 : REACH] += resamples->times[k];
    }
    for (size_t d = REACH; d-- > 0;)
        for (size_t u = 1; u <= REACH; u++)
            race.sum[d][u] += race.sum[d][u - 1];
    for (size_t d = REACH; d-- > 0;)
        for (size_t u = 1; u <= REACH; u++)
            race.sum[d][u] += race.sum[d + 1][u];
    return run_race(&race, 0, 0, 0, 1);
}

/*
 * The chance that the replicate at `index` of their order lies above m: that at most `index`
 * replicates are below. With odd n it is P(Bin(n, 1/2) < k) for the one rank k that can be there; k
 * goes to *rank.
 */
static double replicate_above(const struct al_resamples *resamples, size_t index, size_t *rank)
{
    size_t n = resamples->n;
    /* P(Bin(n, 1/2) = b) as mantissa · 2^exponent: never out of range, and exact for small n. */
    double mantissa = 1, chance = 0;
    int exponent = -(int)n;
    size_t b;
    for (b = 0; b < n && resamples->uppers[b] <= index; b++) {
        double mass = ldexp(mantissa, exponent);
        if (resamples->lowers[b] > index && mass > 0)
            mass *= straddlers_stay_above(resamples, b, index - resamples->uppers[b]);
        chance += mass;
        int shift;
        mantissa = frexp(mantissa * (double)(n - b) / (double)(b + 1), &shift);
        exponent += shift;
    }
    *rank = b;
    return chance;
}

double al_resamples_above(const struct al_resamples *resamples, double p)
{
    double lambda;
    size_t k, next, index = al_quantile_index(resamples->count, p, &lambda);
    double chance = replicate_above(resamples, index, &k);
    if (lambda == 0)
        return chance;
    double then = replicate_above(resamples, index + 1, &next);
    if (then == chance)
        return chance;
    /* λ = (n-k) I / (k + (n-2k) I) of Hettmansperger and Sheather, inverted. */
    double size = (double)resamples->n, at = (double)k;
    return chance + (then - chance) * lambda * at / ((size - at) - lambda * (size - 2 * at));
}
