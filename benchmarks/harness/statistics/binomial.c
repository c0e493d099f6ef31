/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/distributions.h"

#include <math.h>

size_t al_binomial_rank(size_t n, double level, double *achieved)
{
    /* P(Bin(n, 1/2) = k) as mantissa · 2^exponent: never out of range, and exact for small n. */
    double mantissa = 1, below = 0, then = ldexp(1, -(int)n);
    int exponent = -(int)n;
    size_t k = 0;
    do {
        below = then;
        int shift;
        mantissa = frexp(mantissa * (double)(n - k) / (double)(k + 1), &shift);
        exponent += shift;
        k++;
        then = below + ldexp(mantissa, exponent);
    } while (k < (n + 1) / 2 && al_significant(2 * then, 1 - level));
    *achieved = fmax(0, 1 - 2 * below);
    return k;
}
