/* SPDX-License-Identifier: MIT */
#ifndef AL_PAIRS_H
#define AL_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/statistics/ratio.h"

/*
 * Ratios of the times per message of two cells, block by block where they share blocks.
 */

/* The median time per message; the cell must have values. */
double al_cells_median(const struct al_cell *cell);

/* In how many options two cells differ, and of these `shared` that both have. */
size_t al_cells_options(const struct al_cell *a, const struct al_cell *b, size_t *shared);

/* In how many options and other things that may come along. */
size_t al_cells_difference(const struct al_cell *a, const struct al_cell *b);

/*
 * The pairs of times per message of a and b, each of one block of one session; returns how many.
 * The caller frees both arrays.
 */
size_t al_cells_pairs(const struct al_cell *a, const struct al_cell *b, double **above,
                      double **below);

/* Their al_ratio_paired, which the caller releases; false if there are none. */
bool al_cells_paired(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out);

/* The same of those pairs of which both trials were quiet: results/quiet.h. */
bool al_cells_quiet_paired(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out);

/* Whether a session has values of both. */
bool al_cells_meet(const struct al_cell *a, const struct al_cell *b);

/* The ratio of cells that share sessions, but no blocks: al_ratio_independent of their values in
 * the sessions that both have. */
bool al_cells_independent(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out);

/*
 * The ratio of cells that share no session: al_ratio_independent of one value for each session, the
 * median of what it measured, because all values of a session have its drift in common.
 */
bool al_cells_by_session(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out);

#define AL_SESSIONS_LEAST 4 /* on each side: with fewer, no verdict can be trusted */

#endif
