/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARISON_H
#define AL_COMPARISON_H

#include <jansson.h>
#include <stddef.h>

#include "benchmarks/harness/results/pairs.h"

/* Cells compared with others, all corrected together: docs/explanation/statistics.md, Comparisons. */

enum al_verdict {
    AL_FASTER,
    AL_SLOWER,
    AL_EQUIVALENT,   /* the interval lies within the margin */
    AL_INCONCLUSIVE, /* none of these can be said */
    AL_VERDICTS
};

extern const char *const al_verdict_names[AL_VERDICTS];

struct al_comparison {
    const struct al_cell *cell, *base; /* ratio: time per message of cell / base */
    struct al_ratio ratio;
    double p_holm; /* NAN without a p-value */
    enum al_verdict verdict;
    size_t average; /* of which average it is a part, from 0 */
};

/* The geometric mean of the ratios of all workloads that one setting was compared on. */
struct al_average {
    size_t first, n; /* its first comparison, and how many */
    struct al_interval interval;
};

/* A cell that has no comparison, and why. */
struct al_alone {
    const struct al_cell *cell;
    bool is_base; /* of the older file */
    bool apart;   /* no session measured both it and the other */
    bool lost;    /* the other had values; this one's trials failed */
    const char *why;
};

/* KEY=VALUE: what the cells that others are compared against have. */
struct al_against {
    const char *key, *value;
};

struct al_comparisons {
    double noise; /* percent */
    double
        margin; /* percent: intervals within it are equivalent; the noise, or 0 if that is too large to say so */
    size_t n, n_averages, n_alone;
    struct al_comparison *all; /* by benchmark, scheduler, victim, workers */
    struct al_average *averages;
    struct al_alone *alone;
};

/*
 * Each cell against its own in the older file, whatever program and machine it was measured with. Options that only one
 * of both has do not part them, as those that came later.
 */
void al_compare_files(struct al_comparisons *out, const struct al_summary *newer,
                      const struct al_summary *older, struct al_bootstrap *bootstrap);

/*
 * Each cell without the first of these values against the one of the same file that has them all, and is the same but
 * for them and for what comes with them: options, and with a scheduler the victim heuristic, idle policy and placement.
 * Of several the one that differs in fewest.
 */
void al_compare_within(struct al_comparisons *out, const struct al_summary *summary,
                       const struct al_against *against, size_t n_against,
                       struct al_bootstrap *bootstrap);

/* Corrects p-values and gives verdicts, once out->margin is set. */
void al_compare_judge(struct al_comparisons *out, struct al_bootstrap *bootstrap);

/* Averages over the workloads. */
void al_compare_average(struct al_comparisons *out, struct al_bootstrap *bootstrap);

void al_comparisons_release(struct al_comparisons *comparisons);

#endif
