/* SPDX-License-Identifier: MIT */
#ifndef AL_ORDER_H
#define AL_ORDER_H

#include <jansson.h>

#include "benchmarks/harness/results/cells.h"

/* The order of cells wherever they are shown: by benchmark, strategy, parameters, options and
 * workers; the values of each as the configuration of the sweep wrote them, others after these. */

/* `order`: {key: [values]}, or NULL. */
void al_cells_sort(struct al_cell **cells, size_t n, const json_t *order);

/* Those of a summary themselves, once all records are in: by benchmark, workers, strategy,
 * parameters and options. */
void al_summary_sort(struct al_summary *summary);

#endif
