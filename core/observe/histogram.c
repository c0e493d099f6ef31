/* SPDX-License-Identifier: MIT */
#include "core/observe/histogram.h"

#include <stdlib.h>

#include "core/error.h"

struct al_histogram *al_histogram_new(void)
{
    struct al_histogram *histogram = calloc(1, sizeof *histogram);
    if (histogram == NULL)
        al_out_of_memory("a histogram", sizeof *histogram);
    histogram->min = UINT64_MAX;
    return histogram;
}

void al_histogram_merge(struct al_histogram *sum, const struct al_histogram *more)
{
    for (uint32_t i = 0; i < AL_HISTOGRAM_BUCKETS; i++)
        sum->counts[i] += more->counts[i];
    sum->n += more->n;
    sum->sum += more->sum;
    if (more->min < sum->min)
        sum->min = more->min;
    if (more->max > sum->max)
        sum->max = more->max;
}

uint64_t al_histogram_quantile(const struct al_histogram *histogram, double q)
{
    if (histogram->n == 0)
        return 0;
    if (q <= 0)
        return histogram->min;
    if (q >= 1)
        return histogram->max;
    /* The smallest rank, counted from 1, that is at least q * n. */
    double exact = q * (double)histogram->n;
    uint64_t rank = (uint64_t)exact;
    rank += (double)rank < exact || rank == 0;
    uint64_t seen = 0;
    uint32_t bucket = 0;
    while ((seen += histogram->counts[bucket]) < rank)
        bucket++;
    uint64_t low = al_histogram_low(bucket), high = al_histogram_high(bucket);
    uint64_t middle = low + (high - low) / 2;
    if (middle < histogram->min)
        return histogram->min;
    return middle < histogram->max ? middle : histogram->max;
}
