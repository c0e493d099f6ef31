/* SPDX-License-Identifier: MIT */
#ifndef AL_PAIRWISE_H
#define AL_PAIRWISE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Order statistics of all pairs of sorted values, without making a list of the pairs. They are the
 * Walsh averages (x[i] + x[j]) / 2, i <= j, of one sample, or the differences x[i] - y[j] of two.
 * Rounding is monotone, so that every result is exactly one of them. Any thread may call any of
 * these.
 */
struct al_pairwise {
    const double *x, *y; /* ascending; y is NULL for Walsh averages */
    size_t n_x, n_y;     /* at least 1; n_y counts only with y */
};

uint64_t al_pairwise_total(const struct al_pairwise *pairs);

/* How many are at most t. The smallest one beyond t goes to *next, INFINITY if there is none. O(n).
 */
uint64_t al_pairwise_count(const struct al_pairwise *pairs, double t, double *next);

/* The one of this rank, from 1 to the total: about 60 counts. */
double al_pairwise_select(const struct al_pairwise *pairs, uint64_t rank);

double al_pairwise_median(const struct al_pairwise *pairs);

#endif
