/* SPDX-License-Identifier: MIT */
#ifndef AL_REPEATS_H
#define AL_REPEATS_H

/*
 * Do the seeds make a difference? Two seeds may give the same interleaving, above all where there
 * are few choices; with a correct strategy, at most one run in a hundred repeats an earlier one.
 * With few seeds, chance alone exceeds any such share, so the test is how unlikely that many
 * repeats are.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define REPEATS_SHARE      0.01
#define REPEATS_UNLIKELIER 1e-6 /* there are thousands of cases in each run of the tests */

/* True if `repeated` or more repeats in n runs are that unlikely: the tail of the binomial
 * distribution. */
static inline bool too_many_repeats(uint64_t repeated, uint64_t n)
{
    double tail = 0;
    for (uint64_t k = repeated; k <= n; k++)
        tail += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                    (double)k * log(REPEATS_SHARE) + (double)(n - k) * log1p(-REPEATS_SHARE));
    return tail < REPEATS_UNLIKELIER;
}

#endif
