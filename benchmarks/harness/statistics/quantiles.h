/* SPDX-License-Identifier: MIT */
#ifndef AL_QUANTILES_H
#define AL_QUANTILES_H

/* Order statistics. Any thread may call any of these. */

#include <stddef.h>

/*
 * Tukey's classes of outliers: values farther from the quartiles (type 7) than 1.5 interquartile
 * ranges are mild, those farther than 3 are severe instead. Outliers are reported, never removed.
 */
struct al_outliers {
    size_t mild, severe;
};
struct al_outliers al_outliers(const double *sorted, size_t n);

/* Type 7: quantile p of n >= 1 values lies `fraction` of the way from index (returned) to the
 * next. */
size_t al_quantile_index(size_t n, double p, double *fraction);

/* Quantile p (taken into [0, 1]) of n ascending values, type 7 of Hyndman and Fan (1996). NaN if n
 * = 0. */
double al_quantile(const double *sorted, size_t n, double p);

/* Sorts the values in place and returns their median. NaN if n = 0. */
double al_median(double *values, size_t n);

#endif
