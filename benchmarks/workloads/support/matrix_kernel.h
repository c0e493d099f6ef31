/* SPDX-License-Identifier: MIT */
#ifndef AL_MATRIX_KERNEL_H
#define AL_MATRIX_KERNEL_H

/*
 * One row of the product of two n x n matrices of integers modulo 2^32. The workload matrix
 * computes it in one message, the peer `plain` in one turn of its loop. z and x are rows of n; y is
 * stored row by row.
 */

#include <stddef.h>
#include <stdint.h>
#include "core/sync/unreported.h"

enum al_matrix_kernel { AL_MATRIX_NAIVE, AL_MATRIX_BLOCKED };

/* Column by column, the order of the chapter's formula. */
AL_UNREPORTED static inline void al_matrix_row_naive(uint32_t *restrict z, const uint32_t *x,
                                                     const uint32_t *y, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += x[k] * y[k * n + j];
        z[j] = sum;
    }
}

/* Along the rows of Y, four at a time, so that Z is read and written a quarter as often. The
 * compiler vectorises it. */
AL_UNREPORTED static inline void al_matrix_row_blocked(uint32_t *restrict z, const uint32_t *x,
                                                       const uint32_t *y, size_t n)
{
    for (size_t j = 0; j < n; j++)
        z[j] = 0;
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const uint32_t *y0 = y + k * n, *y1 = y0 + n, *y2 = y1 + n, *y3 = y2 + n;
        for (size_t j = 0; j < n; j++)
            z[j] += x[k] * y0[j] + x[k + 1] * y1[j] + x[k + 2] * y2[j] + x[k + 3] * y3[j];
    }
    for (; k < n; k++) {
        for (size_t j = 0; j < n; j++)
            z[j] += x[k] * y[k * n + j];
    }
}

static inline void al_matrix_row(enum al_matrix_kernel kernel, uint32_t *z, const uint32_t *x,
                                 const uint32_t *y, size_t n)
{
    if (kernel == AL_MATRIX_NAIVE)
        al_matrix_row_naive(z, x, y, n);
    else
        al_matrix_row_blocked(z, x, y, n);
}

#endif
