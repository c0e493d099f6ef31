/* SPDX-License-Identifier: MIT */
#ifndef AL_RESAMPLES_H
#define AL_RESAMPLES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Ranks of the resampled medians. They depend only on the number of values and the seed, so that
 * one drawing serves every sample of that size.
 */

/* A resample's median: the mean of the values at two ranks, from 1; the same rank twice for odd
 * n. */
struct al_ranks {
    uint32_t lower, upper;
};

struct al_resamples {
    size_t n, count;
    struct al_ranks *drawn; /* `count` of them, in the order drawn */

    size_t kinds; /* how many different ones; in ascending order, and how often each was drawn: */
    struct al_ranks *kind;
    uint32_t *times;

    uint32_t *lowers, *uppers; /* [b]: how many have a lower or an upper rank of at most b */
};

/* Draws; 1 <= n, count < 2^31. NULL without memory. */
struct al_resamples *al_resamples_new(size_t n, size_t count, uint64_t seed);
void al_resamples_free(struct al_resamples *resamples);

/* The chance that quantile p (type 7) of the medians lies above the population's median:
 * docs/explanation/statistics.md. */
double al_resamples_above(const struct al_resamples *resamples, double p);

#endif
