/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARE_H
#define AL_COMPARE_H

#include <stdio.h>

#include "benchmarks/harness/results/averages.h"

/*
 * `actorlab compare`: ratios of times per message, with verdicts. Exits with AL_EXIT_FAILED, too,
 * if a regression was asked for and found.
 */

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

void al_compare_table(const struct al_compare *compare, FILE *out, bool color);
void al_compare_json(const struct al_compare *compare, FILE *out);
void al_compare_csv(const struct al_compare *compare, FILE *out);

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
