/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/resampled_ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/pairwise.h"

/* A pair of values and its two factors: its weight is the product of the weights at these places.
 */
struct pair {
    double value;
    uint32_t left, right;
};

#define MOST_PAIRS (1u << 20) /* 16 MB; beyond, each resample's median is searched for */

struct al_resampled_ratio {
    const struct al_ratio *ratio;
    size_t n_pairs;
    struct pair *pairs; /* ascending; NULL if too many */

    /* How often each value was drawn. Paired: times[0..n), then how many pairs that makes with
     * itself, then a 1. Independent: those above the line, then those below. */
    uint32_t *weights;
    size_t n_weights;

    size_t pivot;        /* how many pairs are at most the median of all */
    uint32_t *reach;     /* [i]: with how many values the i-th makes such pairs */
    uint32_t *summed;    /* [k]: how often the first k of these were drawn */
    double *resample[2]; /* for the search */
};

static int compare_pairs(const void *left, const void *right)
{
    double a = ((const struct pair *)left)->value, b = ((const struct pair *)right)->value;
    return (a > b) - (a < b);
}

static struct al_pairwise all_pairs(const struct al_ratio *ratio)
{
    return (struct al_pairwise){ratio->logs[0], ratio->logs[1], ratio->n[0], ratio->n[1]};
}

static void list_pairs(struct al_resampled_ratio *resampled)
{
    const struct al_ratio *ratio = resampled->ratio;
    const double *x = ratio->logs[0], *y = ratio->logs[1];
    size_t n = ratio->n[0], k = 0;
    for (size_t i = 0; i < n && ratio->paired; i++) {
        resampled->pairs[k++] = (struct pair){x[i], (uint32_t)(n + i), (uint32_t)(2 * n)};
        for (size_t j = i + 1; j < n; j++)
            resampled->pairs[k++] = (struct pair){(x[i] + x[j]) / 2, (uint32_t)i, (uint32_t)j};
    }
    for (size_t i = 0; i < n && !ratio->paired; i++) {
        for (size_t j = 0; j < ratio->n[1]; j++)
            resampled->pairs[k++] = (struct pair){x[i] - y[j], (uint32_t)i, (uint32_t)(n + j)};
    }
    qsort(resampled->pairs, k, sizeof *resampled->pairs, compare_pairs);
}

/* Where the walk of a resample starts: at the median of the whole. A resample's is not far. */
static void set_pivot(struct al_resampled_ratio *resampled)
{
    const struct al_ratio *ratio = resampled->ratio;
    const double *x = ratio->logs[0], *y = ratio->logs[1];
    double median = resampled->pairs[(resampled->n_pairs - 1) / 2].value;
    while (resampled->pivot < resampled->n_pairs &&
           resampled->pairs[resampled->pivot].value <= median)
        resampled->pivot++;
    for (size_t i = 0; i < ratio->n[0]; i++) {
        size_t reach = 0;
        if (ratio->paired) {
            while (i + reach < ratio->n[0] && (x[i] + x[i + reach]) / 2 <= median)
                reach++;
        } else {
            while (reach < ratio->n[1] && x[i] - y[ratio->n[1] - 1 - reach] <= median)
                reach++;
        }
        resampled->reach[i] = (uint32_t)reach;
    }
}

struct al_resampled_ratio *al_resampled_ratio_new(const struct al_ratio *ratio)
{
    struct al_resampled_ratio *resampled = calloc(1, sizeof *resampled);
    if (resampled == NULL)
        return NULL;
    struct al_pairwise all = all_pairs(ratio);
    size_t n = ratio->n[0] > ratio->n[1] ? ratio->n[0] : ratio->n[1];
    uint64_t total = al_pairwise_total(&all);
    bool listed = total <= MOST_PAIRS;
    *resampled = (struct al_resampled_ratio){
        .ratio = ratio,
        .n_pairs = (size_t)total,
        .n_weights = ratio->paired ? 2 * n + 1 : ratio->n[0] + ratio->n[1],
        .pairs = listed ? calloc((size_t)total, sizeof *resampled->pairs) : NULL,
        .weights = calloc(2 * n + 1, sizeof *resampled->weights),
        .reach = calloc(n, sizeof *resampled->reach),
        .summed = calloc(n + 1, sizeof *resampled->summed),
        .resample = {calloc(n, sizeof(double)), calloc(n, sizeof(double))},
    };
    if ((listed && resampled->pairs == NULL) || resampled->weights == NULL ||
        resampled->reach == NULL || resampled->summed == NULL || resampled->resample[0] == NULL ||
        resampled->resample[1] == NULL) {
        al_resampled_ratio_free(resampled);
        return NULL;
    }
    if (listed) {
        list_pairs(resampled);
        set_pivot(resampled);
    }
    return resampled;
}

void al_resampled_ratio_free(struct al_resampled_ratio *resampled)
{
    if (resampled == NULL)
        return;
    free(resampled->pairs);
    free(resampled->weights);
    free(resampled->reach);
    free(resampled->summed);
    free(resampled->resample[0]);
    free(resampled->resample[1]);
    free(resampled);
}

/* The weight of all pairs up to the pivot. */
static uint64_t weight_to_pivot(struct al_resampled_ratio *resampled)
{
    const struct al_ratio *ratio = resampled->ratio;
    const uint32_t *weights = resampled->weights;
    uint32_t *summed = resampled->summed;
    size_t n = ratio->n[0], m = ratio->n[1];
    uint64_t weight = 0;
    for (size_t k = 0; k < m; k++)
        summed[k + 1] = summed[k] + (ratio->paired ? weights[k] : weights[n + m - 1 - k]);
    for (size_t i = 0; i < n; i++) {
        uint32_t reach = resampled->reach[i];
        if (!ratio->paired)
            weight += (uint64_t)weights[i] * summed[reach];
        else if (reach > 0) /* with itself, and with those that follow */
            weight += weights[n + i] + (uint64_t)weights[i] * (summed[i + reach] - summed[i + 1]);
    }
    return weight;
}

static uint64_t weight_of(const struct al_resampled_ratio *resampled, size_t pair)
{
    return (uint64_t)resampled->weights[resampled->pairs[pair].left] *
           resampled->weights[resampled->pairs[pair].right];
}

/* The median of pairs whose weights sum up to `total`. */
static double walk(struct al_resampled_ratio *resampled, uint64_t total)
{
    uint64_t lower = (total + 1) / 2, upper = total / 2 + 1;
    uint64_t before = weight_to_pivot(resampled);
    size_t at = resampled->pivot;
    while (before >= lower)
        before -= weight_of(resampled, --at);
    uint64_t weight = weight_of(resampled, at);
    while (before + weight < lower) {
        before += weight;
        weight = weight_of(resampled, ++at);
    }
    double value = resampled->pairs[at].value;
    if (before + weight >= upper)
        return value;
    do
        at++;
    while (weight_of(resampled, at) == 0);
    return (value + resampled->pairs[at].value) / 2;
}

static size_t expand(const double *values, const uint32_t *times, size_t n, double *out)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t t = 0; t < times[i]; t++)
            out[size++] = values[i];
    }
    return size;
}

/* The estimate for the weights as they are. */
static double estimate(struct al_resampled_ratio *resampled)
{
    const struct al_ratio *ratio = resampled->ratio;
    uint32_t *weights = resampled->weights;
    size_t n = ratio->n[0];
    if (resampled->pairs == NULL) {
        struct al_pairwise pairs = {.x = resampled->resample[0]};
        pairs.n_x = expand(ratio->logs[0], weights, n, resampled->resample[0]);
        if (!ratio->paired) {
            pairs.n_y = expand(ratio->logs[1], weights + n, ratio->n[1], resampled->resample[1]);
            pairs.y = resampled->resample[1];
        }
        return al_pairwise_median(&pairs);
    }
    uint64_t drawn[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        drawn[0] += weights[i];
    for (size_t j = n; j < resampled->n_weights && !ratio->paired; j++)
        drawn[1] += weights[j];
    if (!ratio->paired)
        return walk(resampled, drawn[0] * drawn[1]);
    for (size_t i = 0; i < n; i++)
        weights[n + i] = (uint32_t)((uint64_t)weights[i] * (weights[i] + 1) / 2);
    weights[2 * n] = 1;
    return walk(resampled, drawn[0] * (drawn[0] + 1) / 2);
}

static double without(struct al_resampled_ratio *resampled, size_t place)
{
    for (size_t i = 0; i < resampled->n_weights; i++)
        resampled->weights[i] = i != place;
    return estimate(resampled);
}

double al_resampled_ratio_whole(struct al_resampled_ratio *resampled)
{
    return without(resampled, SIZE_MAX);
}

double al_resampled_ratio_without(struct al_resampled_ratio *resampled, int sample, size_t place)
{
    return without(resampled, place + (sample == 1 ? resampled->ratio->n[0] : 0));
}

double al_resampled_ratio_draw(struct al_resampled_ratio *resampled, struct al_random *random)
{
    const struct al_ratio *ratio = resampled->ratio;
    memset(resampled->weights, 0, resampled->n_weights * sizeof *resampled->weights);
    for (int sample = 0; sample < (ratio->paired ? 1 : 2); sample++) {
        uint32_t *times = resampled->weights + (sample == 1 ? ratio->n[0] : 0);
        for (size_t i = 0; i < ratio->n[sample]; i++)
            times[al_random_below(random, (uint32_t)ratio->n[sample])]++;
    }
    return estimate(resampled);
}
