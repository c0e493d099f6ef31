/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARE_H
#define AL_COMPARE_H

#include "benchmarks/harness/results/comparison.h"

/* Two files of records compared, or the cells of one: what `actorlab compare` shows. */

/* What was asked for, and what came out of it. */
struct al_compare {
    struct al_summary older, newer; /* with --against: newer alone */
    const char *names[2];           /* of the files, older first */
    const struct al_setting *against;
    size_t n_against;
    json_t *sweep; /* of one file: its sweep.json, or NULL */
    bool gate;     /* --fail-on-regression */
    double gate_percent;
    struct al_comparisons comparisons;
    struct al_averages averages; /* over the workloads, by setting */
    size_t regressions;
    size_t failed; /* pairs of cells of which one has no trial that ended well */
};

/*
 * Compares what was read. `margin` and `gate` are shares, such as 0.05; negative: the
 * sweep's margin, or the usual one, and the margin. Returns whether there is anything to show.
 */
bool al_compare_run(struct al_compare *compare, double margin, double gate);

void al_compare_release(struct al_compare *compare);

/* The keys in which two compared cells differ, [base, cell]; null where one has none. */
json_t *al_compare_differences(const struct al_comparison *comparison);

/*
 * The environment's keys in which the files differ: a new list of {key, old, new}; none of one
 * file.
 */
json_t *al_compare_environment(const struct al_compare *compare);

/* Slower by more than the gate lets pass, and surely so among so many, also if that is within the
 * margin; or failing more often. */
bool al_compare_is_regression(const struct al_compare *compare,
                              const struct al_comparison *comparison);

/*
 * 0 if the gate could have found a slower cell; else the blocks, or the sessions of each file, that
 * it would have taken, because with fewer no p-value is small enough.
 */
size_t al_compare_gate_needs(const struct al_compare *compare);

/* The first comparison of which no verdict is possible, or NULL. */
const struct al_comparison *al_compare_without_verdict(const struct al_compare *compare);

#endif
