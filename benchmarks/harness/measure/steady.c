/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/steady.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/statistics/ratio.h"
#include "benchmarks/harness/text/json.h"
#include "core/error.h"

enum { VALUES_MOST = 50 }; /* the rank-sum test compares each value with each */

/* Shorten the series to the medians of at most VALUES_MOST stretches. Returns how many. */
static size_t shorten(const uint64_t *values, size_t n, double out[VALUES_MOST])
{
    size_t stretches = n < VALUES_MOST ? n : VALUES_MOST;
    size_t bytes = (n / stretches + 1) * sizeof(double);
    double *stretch = al_needed(malloc(bytes));
    for (size_t i = 0; i < stretches; i++) {
        size_t first = i * n / stretches, end = (i + 1) * n / stretches;
        for (size_t k = first; k < end; k++)
            stretch[k - first] = (double)values[k];
        out[i] = al_median(stretch, end - first);
    }
    free(stretch);
    return stretches;
}

struct al_drift al_drift(const uint64_t *values, size_t n)
{
    double series[VALUES_MOST];
    struct al_ratio ratio;
    if (n < 2)
        return (struct al_drift){NAN, NAN};
    size_t length = shorten(values, n, series), half = length / 2;
    int code = al_ratio_independent(series + length - half, half, series, half, &ratio);
    if (code == -ENOMEM)
        al_out_of_memory("the test for a steady state", 2 * half * sizeof *series);
    if (code != 0)
        return (struct al_drift){NAN, NAN};
    struct al_drift drift = {ratio.p, ratio.estimate};
    al_ratio_release(&ratio);
    return drift;
}

static enum al_steady judge(const uint64_t *time_ns, size_t n, double level)
{
    struct al_drift drift = al_drift(time_ns, n);
    bool large = fabs(log(drift.ratio)) > log(AL_STEADY_DRIFT);
    return drift.p <= level && large ? AL_STEADY_NO : AL_STEADY_YES;
}

enum al_steady al_steady(const uint64_t *time_ns, size_t n)
{
    return n < AL_STEADY_LEAST ? AL_STEADY_UNKNOWN : judge(time_ns, n, AL_STEADY_LEVEL);
}

enum al_steady al_warm(const uint64_t *time_ns, size_t n)
{
    if (n < AL_WARMUP_LEAST)
        return AL_STEADY_UNKNOWN;
    return judge(time_ns + n - AL_WARMUP_LEAST, AL_WARMUP_LEAST, AL_WARMUP_LEVEL);
}
