/* SPDX-License-Identifier: MIT */
#ifndef AL_FAIRNESS_H
#define AL_FAIRNESS_H

#include <stdint.h>

/*
 * Jain's index of n > 0 shares, of which one at least is positive: 1 if all are equal, 1 / n if one
 * has all. R. Jain, D. Chiu, W. Hawe: A quantitative measure of fairness and discrimination for
 * resource allocation in shared computer systems. DEC-TR-301, 1984.
 */
static inline double al_fairness(const double *shares, uint64_t n)
{
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += shares[i];
        squares += shares[i] * shares[i];
    }
    return sum * sum / ((double)n * squares);
}

#endif
