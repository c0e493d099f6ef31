/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* P(|T| < sqrt(df) tan(angle)). Source: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_inside(double angle, size_t df)
{
    double sine = sin(angle), square = cos(angle) * cos(angle);
    bool odd = df % 2 != 0;
    double term = odd ? cos(angle) : 1, sum = 0;
    for (size_t k = odd ? 3 : 2; k <= df; k += 2) {
        sum += term;
        term *= square * (double)(k - 1) / (double)k;
    }
    return odd ? (angle + sine * sum) * M_2_PI : sine * sum;
}

double al_student_quantile(double p, size_t df)
{
    double inside = fabs(2 * p - 1), low = 0, high = M_PI_2;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;
        if (student_inside(middle, df) < inside)
            low = middle;
        else
            high = middle;
    }
    double t = sqrt((double)df) * tan(low);
    return p < 0.5 ? -t : t;
}

/* d ± t s / sqrt(n) of the logarithms. */
static void log_t(const double *ratios, size_t n, double level, struct al_interval *out)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += log(ratios[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (log(ratios[i]) - mean) * (log(ratios[i]) - mean);
    double half = n > 1 ? al_student_quantile((1 + level) / 2, n - 1) *
                              sqrt(squares / (double)(n - 1) / (double)n)
                        : 0;
    *out = (struct al_interval){.median = exp(mean),
                                .low = exp(mean - half),
                                .high = exp(mean + half),
                                .achieved = n > 1 ? level : 0,
                                .n = n,
                                .degenerate = half == 0};
}

int al_paired_ratio(const double *a, const double *b, size_t n, size_t resamples, double level,
                    uint64_t seed, struct al_interval *out)
{
    if (n == 0 || !(level > 0 && level < 1))
        return -EINVAL;
    double *ratios = calloc(n, sizeof *ratios);
    if (ratios == NULL)
        return -ENOMEM;
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        ratios[i] = a[i] / b[i];
        if (!(a[i] > 0 && b[i] > 0 && ratios[i] > 0 && isfinite(ratios[i])))
            code = -EINVAL;
    }
    if (code == 0 && n >= AL_RATIO_BOOTSTRAP)
        code = al_bootstrap_median(ratios, n, resamples, level, seed, NULL, out);
    else if (code == 0)
        log_t(ratios, n, level, out);
    free(ratios);
    return code;
}
