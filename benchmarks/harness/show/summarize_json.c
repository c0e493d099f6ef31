/* SPDX-License-Identifier: MIT */

/* What `actorlab summarize --json` prints. */

#include "benchmarks/harness/commands/summarize.h"

#include <math.h>
#include <stdio.h>

#include "benchmarks/harness/results/pairs.h"

/* Of what the records have of memory; null where one of them has none. */
static json_t *memory_medians(const struct al_cell *cell)
{
    json_t *object = al_needed(json_object());
    for (int m = 0; m < SERIES - MEMORY; m++) {
        double *values = cell->values[MEMORY + m];
        double median = al_median(values, cell->n); /* sorts: what is not known, -1, comes first */
        al_json_set(object, al_memory_keys[m], values[0] >= 0 ? json_real(median) : json_null());
    }
    return object;
}

/* By name: of each of these the interval. */
static json_t *series_intervals(const struct al_series_list *list, const struct al_summary *summary,
                                struct al_bootstrap *bootstrap)
{
    json_t *object = al_needed(json_object());
    for (size_t s = 0; s < list->n; s++) {
        const struct al_series *series = &list->all[s];
        struct al_interval interval;
        /* Series hold nothing that would be refused, so only memory can be the matter. */
        if (al_bootstrap_interval(bootstrap, series->values, series->n, summary->kind, NULL,
                                  &interval) != 0)
            al_no_memory();
        al_json_set(object, series->name, al_json_interval(&interval));
    }
    return object;
}

static void append_failed(json_t *failed, const struct al_cell *cell)
{
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count)
    {
        json_t *row = al_needed(json_copy(cell->identity));
        al_json_set(row, "outcome", json_string(outcome));
        al_json_set(row, "count", json_incref(count));
        al_json_append(failed, row);
    }
    if (cell->twin != NULL)
        append_failed(failed, cell->twin);
}

/* Of the twin to its cell, by blocks. */
static void append_aa(json_t *aa, const struct al_cell *cell, struct al_bootstrap *bootstrap)
{
    struct al_ratio ratio;
    if (cell->twin == NULL || !al_cells_paired(cell->twin, cell, bootstrap, &ratio))
        return;
    json_t *row = al_needed(json_copy(cell->identity));
    al_json_set(row, "ratio", al_json_interval(&ratio.interval));
    al_json_append(aa, row);
}

void al_summarize_json(const struct al_summary *summary, struct al_bootstrap *bootstrap)
{
    json_t *cells = al_needed(json_array()), *failed = al_needed(json_array());
    json_t *aa = al_needed(json_array());
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        append_failed(failed, cell);
        append_aa(aa, cell, bootstrap);
        if (cell->n == 0)
            continue;
        json_t *row = al_needed(json_copy(cell->identity));
        al_json_set(row, "oversubscribed", json_boolean(cell->oversubscribed));
        al_json_set(row, "n", json_integer((json_int_t)cell->n));
        al_json_set(row, "messages",
                    al_json_whole(round(al_median(cell->values[MESSAGES], cell->n))));
        for (int m = 0; m < MEASURES; m++) {
            json_t *measure = al_json_interval(&cell->intervals[m]);
            al_json_set(measure, "values", al_json_reals(cell->values[m], cell->n));
            al_json_set(row, al_measure_keys[m], measure);
        }
        al_json_set(row, "outliers",
                    json_pack("{s:I, s:I}", "mild", (json_int_t)cell->outliers.mild, "severe",
                              (json_int_t)cell->outliers.severe));
        al_json_set(row, "memory", memory_medians(cell));
        al_json_set(row, "latencies", series_intervals(&cell->latencies, summary, bootstrap));
        al_json_set(row, "counters", series_intervals(&cell->counters, summary, bootstrap));
        if (cell->ratio.n > 0) {
            json_t *ratio = al_json_interval(&cell->ratio);
            al_json_set(ratio, "to", json_string(summary->baseline));
            al_json_set(row, "ratio", ratio);
        }
        al_json_append(cells, row);
    }
    double noise = al_cells_noise(summary, bootstrap);
    json_t *root = al_needed(
        json_pack("{s:f, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "level", summary->level, "interval",
                  al_interval_keys[summary->kind], "resamples", (json_int_t)summary->resamples,
                  "seed", (json_int_t)summary->seed, "cells", cells, "failed", failed, "aa", aa,
                  "noise_percent", noise >= 0 ? json_real(noise) : json_null()));
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}
