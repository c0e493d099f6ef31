/* SPDX-License-Identifier: MIT */
#ifndef AL_STUDY_H
#define AL_STUDY_H

#include "benchmarks/harness/results/comparison.h"
#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/keys.h"
#include "benchmarks/harness/results/quiet.h"
#include "benchmarks/harness/results/twins.h"

/* What is computed from the cells of one machine: their order, the lines and strategies that they
 * make, who does the same work, and who is faster than whom. */

/* What a study is asked for, beside the cells. */
struct al_study_request {
    const char *baseline; /* a scheduler; NULL: that of the first cell */
    const json_t *order;  /* {key: [values]}, as the configuration of a sweep wrote them; or NULL */
    const json_t *benchmarks; /* {benchmark: …}: no others; or NULL */
    const json_t *schedulers; /* likewise */
    struct al_rules rules;    /* of verdicts */
};

struct al_study {
    size_t n, n_failed;
    struct al_cell **cells;          /* those that have values, in order */
    struct al_cell **failed;         /* those that have failed trials, in order */
    const struct al_cell *first;     /* of all cells, of which some may be in no list */
    size_t *places;                  /* by number of the cell: its place in `cells` */
    json_t *benchmarks, *schedulers; /* {name: true} of all cells, also of those left out */
    struct al_keys keys;             /* that tell lines apart */
    struct al_keys strategy_keys;    /* those of them that are not parameters */
    struct al_parts lines, strategies;
    const char *baseline;     /* a scheduler; NULL without cells */
    const char *first_binary; /* the program that others are compared with; NULL: only one */
    /* Groups of cells that do the same work with as many workers, one after the other, and where in
     * `members` each begins, with the end of the last. The best comes first: that which is faster
     * than most others by the ratios, block by block, and among equals by the median. */
    size_t n_groups, *members, *groups;
    size_t *base;  /* by group: the place of the baseline's cell, or SIZE_MAX */
    bool *fastest; /* by place: the first of its group, or not shown to be slower than it */
    struct al_twins twins;
    struct al_strata strata;
    /* Each cell with that of the baseline, or of the first program if there are several; each of a
     * group with the first, corrected among all pairs of all groups; and each cell with that of its
     * line with one worker, and with the fastest of all lines with one worker. */
    struct al_comparisons to_baseline, to_fastest, to_one_worker, to_best_one_worker;
    struct al_averages averages; /* of to_baseline, by line and number of workers */
};

/* The intervals of the cells must be there already: al_cells_intervals. */
void al_study_make(struct al_summary *summary, const struct al_study_request *request,
                   struct al_study *out);
void al_study_release(struct al_study *study);

/* The place of a cell that is in the study. */
size_t al_study_place(const struct al_study *study, const struct al_cell *cell);

/* Whether verdicts show each other cell of its group to be slower than this one; it must be in the
 * study. False if it is the only one. */
bool al_study_wins(const struct al_study *study, const struct al_cell *cell);

/* Who is fastest among cells that do the same work: docs/explanation/statistics.md, Winners. */

#define AL_RANKED_MOST                                                                             \
    200 /* cells of a group that are compared with one another, by their medians */

/*
 * Orders the members of each group, which are in the order of their medians, and fills
 * study->fastest and study->to_fastest. All pairs within all groups are one family, judged by the
 * rules given, so that choosing the first of them after having seen the times makes no
 * verdict less sure.
 */
void al_study_rank(struct al_study *study, const struct al_rules *rules);

#endif
