/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/measures.h"

static struct al_outliers outliers(const double *values, size_t n)
{
    double *sorted = al_needed(calloc(n, sizeof *sorted));
    memcpy(sorted, values, n * sizeof *sorted);
    al_median(sorted, n); /* sorts */
    struct al_outliers found = al_outliers(sorted, n);
    free(sorted);
    return found;
}

double al_median_level(const struct al_summary *summary)
{
    return summary->looked_level > 0 ? summary->looked_level : summary->level;
}

void al_cells_intervals(struct al_summary *summary, struct al_bootstrap *bootstrap, FILE *dump)
{
    double *replicates = al_needed(calloc(summary->resamples, sizeof *replicates));
    double at = al_median_level(summary);
    struct al_bootstrap *looked = NULL;
    if (at != summary->level)
        bootstrap = looked = al_needed(al_bootstrap_new(summary->resamples, at, summary->seed));
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        if (cell->n > 0)
            cell->outliers = outliers(cell->values[PER_MESSAGE], cell->n);
        for (int m = 0; cell->n > 0 && m < MEASURES; m++) {
            /* Records hold nothing that would be refused, so only memory can be the matter. */
            if (al_bootstrap_interval(bootstrap, cell->values[m], cell->n, summary->kind,
                                      dump != NULL ? replicates : NULL, &cell->intervals[m]) != 0)
                al_no_memory();
            /* What all looks together may miss; more if the values are too few for this one. */
            if (looked != NULL)
                cell->intervals[m].achieved = summary->level +
                                              fmin(0, cell->intervals[m].achieved - at);
            if (dump == NULL)
                continue;
            json_t *row = al_needed(json_pack("{s:O, s:s, s:o, s:o}", "cell", cell->identity,
                                              "measure", al_measure_names[m], "values",
                                              al_json_reals(cell->values[m], cell->n), "replicates",
                                              al_json_reals(replicates, summary->resamples)));
            json_dumpf(row, dump, JSON_COMPACT);
            fputc('\n', dump);
            json_decref(row);
        }
    }
    free(replicates);
    al_bootstrap_free(looked);
}
