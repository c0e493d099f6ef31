/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARE_H
#define AL_COMPARE_H

#include "benchmarks/harness/results/averages.h"

/* Two files of records compared, or the cells of one: what `actorlab compare` shows. */

/* What was asked for, and what came out of it. */
struct al_compare {
    struct al_summary older, newer; /* with --against: newer alone */
    const char *names[2];           /* of the files, older first */
    const struct al_setting *against;
    size_t n_against;
    const char *noise_from; /* "option", "aa" or "default" */
    bool gate;              /* --fail-on-regression */
    double gate_percent;
    struct al_comparisons comparisons;
    struct al_averages averages; /* over the workloads, by setting */
    size_t regressions;
};

/*
 * Compares what was read. `noise` and `gate` are percent; negative: what A/A cells show, and the
 * noise. Returns whether there is anything to show.
 */
bool al_compare_run(struct al_compare *compare, double noise, double gate);

void al_compare_release(struct al_compare *compare);

/* The keys in which two compared cells differ, [base, cell]; null where one has none. */
json_t *al_compare_differences(const struct al_comparison *comparison);

/*
 * The environment's keys in which the files differ: a new list of {key, old, new}; none of one
 * file.
 */
json_t *al_compare_environment(const struct al_compare *compare);

/* A/A cells differ so much that nothing is called equivalent. */
static inline bool al_compare_is_loud(const struct al_compare *compare)
{
    return compare->comparisons.margin < compare->comparisons.noise;
}

/* Slower, and by more than the gate lets pass. */
static inline bool al_compare_is_regression(const struct al_compare *compare,
                                            const struct al_comparison *comparison)
{
    return comparison->verdict == AL_SLOWER &&
           comparison->ratio.interval.median > 1 + compare->gate_percent / 100;
}

#endif
