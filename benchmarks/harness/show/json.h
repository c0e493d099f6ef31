/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_JSON_H
#define AL_SHOW_JSON_H

/* Cells and comparisons as JSON: docs/reference/results.md. */

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/comparison.h"

/* Identity, medians with intervals and values, outliers, memory, latencies and counters. The cell
 * must have values. */
json_t *al_cell_json(struct al_cell *cell, const struct al_summary *summary,
                     struct al_bootstrap *bootstrap);

/* Adds to it what figures need beside: blocks, sessions and hand-off times of the values, rates of
 * counters, letter values of latencies, and places of workers. */
void al_cell_json_more(json_t *row, struct al_cell *cell, enum al_interval_kind kind,
                       struct al_bootstrap *bootstrap);

/* Appends a row for each outcome of failed trials, the twin's too. */
void al_cell_failed_json(json_t *list, const struct al_cell *cell);

/* Of each cell that ran twice in a block: the ratio of its twin to it, and whether they differ. */
json_t *al_cells_aa_json(const struct al_summary *summary);

/* Adds ratio, p-values, verdict and what they rest on to an object. */
void al_comparison_json(json_t *row, const struct al_comparison *comparison);

/* How a family is corrected: a new object. */
json_t *al_family_json(const struct al_family *family);

#endif
