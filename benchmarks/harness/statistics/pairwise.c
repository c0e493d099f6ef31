/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/pairwise.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

uint64_t al_pairwise_total(const struct al_pairwise *pairs)
{
    uint64_t n = pairs->n_x;
    return pairs->y != NULL ? n * pairs->n_y : n * (n + 1) / 2;
}

/* For each i, the averages up to t are those with j from i to some last one, which falls as i
 * rises. */
static uint64_t count_averages(const struct al_pairwise *pairs, double t, double *next)
{
    const double *x = pairs->x;
    uint64_t count = 0;
    size_t i = 0, end = pairs->n_x;
    *next = INFINITY;
    while (i < end) {
        double average = (x[i] + x[end - 1]) / 2;
        if (average <= t) {
            count += end - i++;
        } else {
            *next = fmin(*next, average);
            end--;
        }
    }
    return count;
}

/* For each i, the differences up to t are those with j from some first one on, which rises with
 * i. */
static uint64_t count_differences(const struct al_pairwise *pairs, double t, double *next)
{
    uint64_t count = 0;
    size_t i = 0, j = 0;
    *next = INFINITY;
    while (i < pairs->n_x && j < pairs->n_y) {
        double difference = pairs->x[i] - pairs->y[j];
        if (difference <= t) {
            count += pairs->n_y - j;
            i++;
        } else {
            *next = fmin(*next, difference);
            j++;
        }
    }
    return count;
}

uint64_t al_pairwise_count(const struct al_pairwise *pairs, double t, double *next)
{
    return pairs->y != NULL ? count_differences(pairs, t, next) : count_averages(pairs, t, next);
}

/* Integers in the order of the finite doubles, and back. */
static int64_t to_key(double value)
{
    int64_t bits;
    value += 0.0; /* there is only one zero */
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double from_key(int64_t key)
{
    double value;
    int64_t bits = key < 0 ? INT64_MIN - key : key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double extreme(const struct al_pairwise *pairs, bool largest)
{
    double x = pairs->x[largest ? pairs->n_x - 1 : 0];
    return pairs->y != NULL ? x - pairs->y[largest ? 0 : pairs->n_y - 1] : x;
}

/* By bisection among all doubles: the least t that has `rank` pairs up to it is one of them. */
double al_pairwise_select(const struct al_pairwise *pairs, uint64_t rank)
{
    int64_t low = to_key(extreme(pairs, false)), high = to_key(extreme(pairs, true));
    double next;
    while (low < high) {
        int64_t middle = (int64_t)(((uint64_t)low + ((uint64_t)high - (uint64_t)low) / 2));
        if (al_pairwise_count(pairs, from_key(middle), &next) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return from_key(low);
}

double al_pairwise_median(const struct al_pairwise *pairs)
{
    uint64_t total = al_pairwise_total(pairs);
    double next, lower = al_pairwise_select(pairs, (total + 1) / 2);
    if (total % 2 == 1 || al_pairwise_count(pairs, lower, &next) > total / 2)
        return lower;
    return (lower + next) / 2;
}
