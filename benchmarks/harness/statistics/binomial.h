/* SPDX-License-Identifier: MIT */
#ifndef AL_BINOMIAL_H
#define AL_BINOMIAL_H

#include <stddef.h>

/*
 * The k for which the k-th smallest and the k-th largest of n >= 1 values are the narrowest
 * interval that covers the population's median with at least this level; 1 where even the smallest
 * and the largest cover less. The exact coverage, 1 - 2 P(Bin(n, 1/2) < k), goes to *achieved. Any
 * thread may call it.
 */
size_t al_binomial_rank(size_t n, double level, double *achieved);

#endif
