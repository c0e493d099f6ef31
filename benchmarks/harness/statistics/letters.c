/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/letters.h"

#include <math.h>
#include <stdlib.h>

#define BEYOND 7.7 /* 2 z² for 95%: as many values must lie beyond an end of a box */

static int by_value(const void *left, const void *right)
{
    double a = ((const struct al_bin *)left)->value, b = ((const struct al_bin *)right)->value;
    return (a > b) - (a < b);
}

/* The value of this rank, from 1. */
static double value_at(const struct al_bin *bins, size_t n, double rank)
{
    double below = 0;
    for (size_t i = 0; i < n; i++) {
        below += bins[i].count;
        if (below >= rank)
            return bins[i].value;
    }
    return bins[n - 1].value;
}

/* The value at a depth that may lie between two ranks: then their mean. */
static double value_between(const struct al_bin *bins, size_t n, double depth)
{
    return (value_at(bins, n, floor(depth)) + value_at(bins, n, floor(depth + 0.5))) / 2;
}

void al_letters(struct al_bin *bins, size_t n, struct al_letters *out)
{
    qsort(bins, n, sizeof *bins, by_value);
    *out = (struct al_letters){0};
    for (size_t i = 0; i < n; i++)
        out->n += bins[i].count;
    double depth = (out->n + 1) / 2;
    out->median = value_between(bins, n, depth);
    while (out->boxes < AL_LETTERS_MOST && out->n / exp2((double)out->boxes + 2) >= BEYOND) {
        depth = (floor(depth) + 1) / 2;
        out->low[out->boxes] = value_between(bins, n, depth);
        out->high[out->boxes++] = value_between(bins, n, out->n + 1 - depth);
    }
}
