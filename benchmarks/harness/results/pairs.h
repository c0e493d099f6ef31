/* SPDX-License-Identifier: MIT */
#ifndef AL_PAIRS_H
#define AL_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/statistics/ratio.h"

/* Cells against one another: ratios of their times per message, by blocks where they have any in common. */

/* The median time per message; the cell must have values. */
double al_cells_median(const struct al_cell *cell);

/* In how many options two cells differ, and of these `shared` that both have. */
size_t al_cells_options(const struct al_cell *a, const struct al_cell *b, size_t *shared);

/* In how many options and other things that may come along. */
size_t al_cells_difference(const struct al_cell *a, const struct al_cell *b);

/* Fills `ratio` of every cell that has a cell of the baseline scheduler beside it: same benchmark, parameters, workers,
 * engine, and placement if there is one of that; paired by block. Of several such cells the one that differs in fewest;
 * if there are several of these, none. */
void al_cells_compare(struct al_summary *summary, struct al_bootstrap *bootstrap);

/* Times per message of a and b that are of one block of one session; returns how many pairs. The caller frees both. */
size_t al_cells_pairs(const struct al_cell *a, const struct al_cell *b, double **above,
                      double **below);

/* Their al_ratio_paired; false if there are none. */
bool al_cells_paired(const struct al_cell *a, const struct al_cell *b,
                     struct al_bootstrap *bootstrap, struct al_ratio *out);

/* Whether a session has values of both. */
bool al_cells_meet(const struct al_cell *a, const struct al_cell *b);

/* The same of cells that were not measured together: al_ratio_independent. */
bool al_cells_independent(const struct al_cell *a, const struct al_cell *b,
                          struct al_bootstrap *bootstrap, struct al_ratio *out);

/* How far A/A ratios, of twins to their cells, may be from 1 by their intervals: the largest, in percent. Negative if no
 * pair of twins has an interval. */
double al_cells_noise(const struct al_summary *summary, struct al_bootstrap *bootstrap);

#endif
