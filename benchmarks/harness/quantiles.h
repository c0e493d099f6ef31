/* SPDX-License-Identifier: MIT */
#ifndef AL_QUANTILES_H
#define AL_QUANTILES_H

/* Order statistics. Any thread may call any of these. */

#include <stddef.h>

/*
 * Tukey's classes of ascending values: how many lie beyond the quartiles (type 7) by more than 1.5 times the distance of
 * these (mild), and of which by more than 3 times (severe, not counted as mild). They are said, and kept.
 */
struct al_outliers {
    size_t mild, severe;
};
struct al_outliers al_outliers(const double *sorted, size_t n);

/* Type 7: quantile p of n >= 1 values lies `fraction` of the way from index (returned) to the next. */
size_t al_quantile_index(size_t n, double p, double *fraction);

/* Quantile p (taken into [0, 1]) of n ascending values, type 7 of Hyndman and Fan (1996). NaN if n
 * = 0. */
double al_quantile(const double *sorted, size_t n, double p);

/* Sorts the values in place and returns their median. NaN if n = 0. */
double al_median(double *values, size_t n);

#endif
