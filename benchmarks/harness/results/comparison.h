/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARISON_H
#define AL_COMPARISON_H

#include <jansson.h>
#include <stddef.h>

#include "benchmarks/harness/results/pairs.h"
#include "core/option.h"

/*
 * Cells compared with others, all corrected together: docs/explanation/statistics.md, Comparisons.
 */

enum al_verdict {
    AL_FASTER,
    AL_SLOWER,
    AL_EQUIVALENT,   /* the interval lies within the margin */
    AL_INCONCLUSIVE, /* none of these can be said */
    AL_VERDICTS
};

extern const char *const al_verdict_names[AL_VERDICTS];

struct al_comparison {
    const struct al_cell *cell, *base; /* the ratio is time per message of cell / base */
    struct al_ratio ratio;
    double p_holm; /* NAN without a p-value */
    enum al_verdict verdict;
};

/* A cell that has no comparison, and why. */
struct al_alone {
    const struct al_cell *cell;
    bool is_base; /* of the older file */
    bool apart;   /* no session measured both it and the other */
    bool lost;    /* the other had values; this one's trials failed */
    const char *why;
};

struct al_comparisons {
    double noise;  /* percent */
    double margin; /* percent: intervals within it are equivalent; 0: none is */
    size_t n, n_alone;
    struct al_comparison *all; /* by benchmark, scheduler, victim, workers */
    struct al_alone *alone;
};

#define AL_NOISE_PERCENT      2.0  /* where no A/A cell has shown how much there is */
#define AL_NOISE_MOST_PERCENT 10.0 /* beyond, A/A cells show a loud machine, not equivalent cells */

/* The margin for the noise that A/A cells show, percent; negative: there are none. */
double al_noise_margin(double noise);

/* A cell that is to be compared with another. */
struct al_pair {
    const struct al_cell *cell, *base;
};

/* These pairs in their order, judged by out->noise and out->margin, which are set before. */
void al_compare_pairs(struct al_comparisons *out, const struct al_pair *pairs, size_t n,
                      struct al_bootstrap *bootstrap);

/*
 * Each cell against its own in the older file, whatever program and machine it was measured with.
 * An option that only one of them has does not matter: it was added later.
 */
void al_compare_files(struct al_comparisons *out, const struct al_summary *newer,
                      const struct al_summary *older, struct al_bootstrap *bootstrap);

/*
 * Each cell without the first of these values against the cell of the same file that has them all
 * and otherwise differs only in what comes with them: options, and with a scheduler the victim
 * heuristic, idle policy and placement. Of several such cells, the one that differs in fewest keys.
 */
void al_compare_within(struct al_comparisons *out, const struct al_summary *summary,
                       const struct al_setting *against, size_t n_against,
                       struct al_bootstrap *bootstrap);

/* Corrects p-values and gives verdicts, once out->margin is set. */
void al_compare_judge(struct al_comparisons *out, struct al_bootstrap *bootstrap);

void al_comparisons_release(struct al_comparisons *comparisons);

#endif
