/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARISON_H
#define AL_COMPARISON_H

#include <stddef.h>

#include <jansson.h>

#include "benchmarks/harness/results/judge.h"
#include "benchmarks/harness/results/pairs.h"
#include "core/option.h"

/*
 * Cells compared with others, all corrected together: docs/explanation/statistics.md, Comparisons.
 */

struct al_comparison {
    const struct al_cell *cell, *base; /* the ratio is time per message of cell / base */
    bool by_session;                   /* the values are those of whole sessions */
    struct al_ratio ratio;
    struct al_judgement judged;
    double p_holm; /* NAN without a verdict */
    /* The same of the quiet trials alone, if both cells have hand-off times; n is 0 without any. */
    bool stratified;
    struct al_ratio quiet;
    struct al_judgement judged_quiet;
};

/* A cell that has no comparison, and why. */
struct al_alone {
    const struct al_cell *cell;
    bool is_base; /* of the older file */
    bool apart;   /* no session measured both it and the other */
    bool failed;  /* its trials, those of the other, or both */
    bool lost;    /* the other had values; this one's trials failed */
    const char *why;
};

struct al_comparisons {
    struct al_rules rules;
    struct al_family family;
    size_t n, n_alone;
    struct al_comparison *all; /* by benchmark, scheduler, victim, workers */
    struct al_alone *alone;
};

/* A cell that is to be compared with another. */
struct al_pair {
    const struct al_cell *cell, *base;
};

/* These pairs in their order, judged by out->rules, which are set before. */
void al_compare_pairs(struct al_comparisons *out, const struct al_pair *pairs, size_t n);

/*
 * Each cell against its own in the older file, whatever program and machine it was measured with.
 * An option that only one of them has does not matter: it was added later.
 */
void al_compare_files(struct al_comparisons *out, const struct al_summary *newer,
                      const struct al_summary *older);

/*
 * Each cell without the first of these values against the cell of the same file that has them all
 * and otherwise differs only in what comes with them: options, and with a scheduler the victim
 * heuristic, idle policy and placement. Of several such cells, the one that differs in fewest keys.
 */
void al_compare_within(struct al_comparisons *out, const struct al_summary *summary,
                       const struct al_setting *against, size_t n_against);

/* Corrects p-values and gives verdicts, by out->rules. */
void al_compare_judge(struct al_comparisons *out);

/* Whether the quiet trials alone give the same verdict: 1, or 0 if they give another; -1 if either
 * is inconclusive. */
int al_comparison_holds(const struct al_comparison *comparison);

/* Whether the quiet trials give another ratio: their interval of the equivalence does not hold the
 * one of all trials. Medians and ratios then belong to different states of the host. */
bool al_comparison_has_states(const struct al_comparison *comparison);

/* Whether the cell comes before its base: fails less often, or as often and is faster. */
bool al_comparison_favours(const struct al_comparison *comparison);

/* "10 of 20 failed", which the caller frees; NULL if no trial of either failed. */
char *al_comparison_failed_text(const struct al_comparison *comparison);

/* Whether more than half of the trials of either were disturbed: what differs may be the noise. */
bool al_comparison_is_disturbed(const struct al_comparison *comparison);

/* How many verdicts of faster, slower or equivalent rest on such comparisons. */
size_t al_comparisons_disturbed(const struct al_comparisons *comparisons);

/* The same comparison with cell and base exchanged, in place. */
void al_comparison_turn(struct al_comparison *comparison);

void al_comparison_release(struct al_comparison *comparison);

void al_comparisons_release(struct al_comparisons *comparisons);

/* Geometric means of ratios over workloads: docs/explanation/statistics.md, Comparisons. */

struct al_average {
    size_t first, n; /* its first comparison, and how many */
    struct al_interval interval;
};

struct al_averages {
    size_t n;
    struct al_average *all;
    size_t *of; /* by comparison: of which average it is a part */
};

#define AL_AVERAGE_RESAMPLES 2000 /* a limit's error is then 6% of the spread of the averages */

/* The comparisons of one average have the same key, a text that key_of allocates. */
void al_averages_make(const struct al_comparisons *comparisons,
                      char *(*key_of)(const struct al_comparison *comparison, const void *data),
                      const void *data, const struct al_summary *summary, struct al_averages *out);

void al_averages_release(struct al_averages *averages);

#endif
