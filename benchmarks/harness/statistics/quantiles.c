/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/statistics/quantiles.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

size_t al_quantile_index(size_t n, double p, double *fraction)
{
    double place = (double)(n - 1) * fmin(fmax(p, 0), 1);
    double whole = floor(place);
    *fraction = place - whole;
    return (size_t)whole;
}

double al_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double fraction;
    size_t i = al_quantile_index(n, p, &fraction);
    return fraction > 0 ? sorted[i] + fraction * (sorted[i + 1] - sorted[i]) : sorted[i];
}

double al_median(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof *values, compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct al_outliers al_outliers(const double *sorted, size_t n)
{
    struct al_outliers found = {0, 0};
    double low = al_quantile(sorted, n, .25), high = al_quantile(sorted, n, .75);
    for (size_t i = 0; i < n; i++) {
        double beyond = fmax(low - sorted[i], sorted[i] - high) / (high - low);
        found.severe += beyond > 3;
        found.mild += beyond > 1.5 && beyond <= 3;
    }
    return found;
}
