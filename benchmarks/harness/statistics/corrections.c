/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/corrections.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int compare_pointed(const void *left, const void *right)
{
    double a = **(double *const *)left, b = **(double *const *)right;
    return (a > b) - (a < b);
}

/* Points to those that count, smallest first. Free the result; NULL without memory. */
static double **in_order(double *p, size_t n, size_t *known)
{
    double **order = calloc(n + 1, sizeof *order);
    *known = 0;
    for (size_t i = 0; order != NULL && i < n; i++) {
        if (!isnan(p[i]))
            order[(*known)++] = &p[i];
    }
    if (order != NULL)
        qsort(order, *known, sizeof *order, compare_pointed);
    return order;
}

/* The smallest counts as many times as there are, the next one time less; none less than the one
 * before. */
int al_holm(double *p, size_t n)
{
    size_t known;
    double **order = in_order(p, n, &known), least = 0;
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < known; i++)
        *order[i] = least = fmax(least, fmin(1, *order[i] * (double)(known - i)));
    free(order);
    return 0;
}

/* The one of rank r counts (how many there are) / r times; none more than the one after. */
int al_benjamini_hochberg(double *p, size_t n)
{
    size_t known;
    double **order = in_order(p, n, &known), most = 1;
    if (order == NULL)
        return -ENOMEM;
    for (size_t rank = known; rank > 0; rank--)
        *order[rank - 1] = most = fmin(most, *order[rank - 1] * (double)known / (double)rank);
    free(order);
    return 0;
}
