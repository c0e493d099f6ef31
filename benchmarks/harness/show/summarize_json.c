/* SPDX-License-Identifier: MIT */

/* What `actorlab summarize --json` prints. */

#include "benchmarks/harness/show/results.h"

#include <stdio.h>

#include "benchmarks/harness/results/twins.h"
#include "benchmarks/harness/show/json.h"
#include "benchmarks/harness/text/format.h"

void al_summarize_json(const struct al_summary *summary, struct al_bootstrap *bootstrap)
{
    json_t *cells = al_needed(json_array()), *failed = al_needed(json_array());
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        al_cell_failed_json(failed, cell);
        if (cell->n > 0)
            al_json_append(cells, al_cell_json(cell, summary, bootstrap));
    }
    struct al_twins twins;
    al_twins_make(summary, &twins);
    json_t *root = al_needed(
        json_pack("{s:f, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "level", summary->level, "interval",
                  al_interval_keys[summary->kind], "resamples", (json_int_t)summary->resamples,
                  "seed", (json_int_t)summary->seed, "cells", cells, "failed", failed, "aa",
                  al_cells_aa_json(summary), "twins", al_twins_json(&twins)));
    (void)al_put_json(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}
