/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/distributions.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define EXACT_PAIRS    100
#define EXACT_PRODUCTS 2500

/* How many t lie below half the total: their probabilities decide all. */
static size_t half(const struct al_null *null)
{
    return (size_t)((null->total + 1) / 2);
}

/* Sums the probabilities up; takes them over. */
static void set_below(struct al_null *null, double *masses)
{
    for (size_t t = 1; t < half(null); t++)
        masses[t] += masses[t - 1];
    null->below = masses;
}

/* Each rank has the sign that counts with probability 1/2: f(t) = (f(t) + f(t - rank)) / 2. */
static int enumerate_signs(size_t n, struct al_null *null)
{
    size_t size = half(null);
    double *masses = calloc(size + 1, sizeof *masses);
    double *before = calloc(size + 1, sizeof *before);
    if (masses == NULL || before == NULL) {
        free(masses);
        free(before);
        return -ENOMEM;
    }
    masses[0] = 1;
    for (size_t rank = 1; rank <= n; rank++) {
        double *swap = before;
        before = masses;
        masses = swap;
        size_t reach = rank * (rank + 1) / 2 + 1, end = reach < size ? reach : size;
        for (size_t t = 0; t < rank && t < end; t++)
            masses[t] = before[t] / 2;
        for (size_t t = rank; t < end; t++)
            masses[t] = (before[t] + before[t - rank]) / 2;
    }
    free(before);
    set_below(null, masses);
    return 0;
}

/*
 * The largest of i + j values is one of the i with probability i / (i + j), and then has j smaller
 * ones of the other sample: f(i, j, t) = (i f(i - 1, j, t - j) + j f(i, j - 1, t)) / (i + j). Rows
 * of i overwrite each other.
 */
static int enumerate_splits(size_t n_a, size_t n_b, struct al_null *null)
{
    size_t size = half(null);
    double *rows = calloc((n_b + 1) * size + 1, sizeof *rows);
    double *masses = calloc(size + 1, sizeof *masses);
    if (rows == NULL || masses == NULL) {
        free(rows);
        free(masses);
        return -ENOMEM;
    }
    for (size_t j = 0; j <= n_b; j++)
        rows[j * size] = 1;
    for (size_t i = 1; i <= n_a; i++) {
        for (size_t j = 1; j <= n_b; j++) {
            double *row = rows + j * size, *shorter = row - size;
            double share = (double)i / (double)(i + j);
            size_t reach = i * j + 1, end = reach < size ? reach : size;
            for (size_t t = end; t-- > j;)
                row[t] = share * row[t - j] + (1 - share) * shorter[t];
            for (size_t t = 0; t < j && t < end; t++)
                row[t] = (1 - share) * shorter[t];
        }
    }
    for (size_t t = 0; t < size; t++)
        masses[t] = rows[n_b * size + t];
    free(rows);
    set_below(null, masses);
    return 0;
}

int al_null_signed_rank(size_t n, struct al_null *out)
{
    double size = (double)n;
    double variance = size * (size + 1) * (2 * size + 1) / 24;
    double fourth = -size * (size + 1) * (2 * size + 1) * (3 * size * size + 3 * size - 1) / 240;
    *out = (struct al_null){.total = (uint64_t)n * (n + 1) / 2,
                            .deviation = sqrt(variance),
                            .kurtosis = fourth / (variance * variance)};
    return n <= EXACT_PAIRS ? enumerate_signs(n, out) : 0;
}

int al_null_rank_sum(size_t n_a, size_t n_b, struct al_null *out)
{
    double a = (double)n_a, b = (double)n_b;
    size_t fewer = n_a < n_b ? n_a : n_b, more = n_a < n_b ? n_b : n_a; /* one result for both */
    double variance = a * b * (a + b + 1) / 12;
    double fourth = -a * b * (a + b + 1) * (a * a + b * b + a * b + a + b) / 120;
    *out = (struct al_null){.total = (uint64_t)n_a * n_b,
                            .deviation = sqrt(variance),
                            .kurtosis = fourth / (variance * variance)};
    return out->total <= EXACT_PRODUCTS ? enumerate_splits(fewer, more, out) : 0;
}

void al_null_release(struct al_null *null)
{
    free(null->below);
    null->below = NULL;
}

/* The first term of Edgeworth's expansion that is not 0, as a factor: it stays positive, and grows
 * with z, in the tails as well. */
static double approximately_below(const struct al_null *null, uint64_t t)
{
    double z = ((double)t + 0.5 - (double)null->total / 2) / null->deviation;
    double below = al_normal_below(z), density = exp(-z * z / 2) / sqrt(2 * M_PI);
    if (below == 0)
        return 0;
    return below * exp(-null->kurtosis / 24 * (z * z * z - 3 * z) * density / below);
}

double al_null_p(const struct al_null *null, uint64_t t)
{
    if (2 * t >= null->total)
        return 1;
    return fmin(1, 2 * (null->below != NULL ? null->below[t] : approximately_below(null, t)));
}

uint64_t al_null_rank(const struct al_null *null, double alpha)
{
    uint64_t low = 0, high = (null->total + 1) / 2;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (al_significant(al_null_p(null, middle), alpha))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool al_significant(double p, double alpha)
{
    return p <= alpha * (1 + 1e-9) + DBL_EPSILON;
}
