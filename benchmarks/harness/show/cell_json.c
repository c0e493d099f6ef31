/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/results/measures.h"
#include "benchmarks/harness/results/quiet.h"
#include "benchmarks/harness/results/twins.h"
#include "benchmarks/harness/text/json.h"

/* The median of what records say; null where one says nothing. */
static json_t *median_json(const struct al_cell *cell, enum measure measure)
{
    double median = al_cell_median(cell, measure);
    return median >= 0 ? json_real(median) : json_null();
}

static json_t *memory_medians(const struct al_cell *cell)
{
    json_t *object = al_needed(json_object());
    for (int m = 0; m < SERIES - MEMORY; m++)
        al_json_set(object, al_memory_keys[m], median_json(cell, MEMORY + m));
    return object;
}

/* By name: of each of these the bootstrap interval, bias-corrected where there are enough values
 * for it unless another kind is asked for. */
static json_t *series_intervals(const struct al_series_list *list, enum al_interval_kind asked,
                                bool with_values, struct al_bootstrap *bootstrap)
{
    json_t *object = al_needed(json_object());
    for (size_t s = 0; s < list->n; s++) {
        const struct al_series *series = &list->all[s];
        enum al_interval_kind kind = asked != AL_ORDER          ? asked
                                     : series->n >= AL_BCA_FROM ? AL_BCA
                                                                : AL_PERCENTILE;
        struct al_interval interval;
        /* Series hold nothing that would be refused, so only memory can be the matter. */
        if (al_bootstrap_interval(bootstrap, series->values, series->n, kind, NULL, &interval) != 0)
            al_no_memory();
        json_t *row = al_json_interval(&interval);
        if (with_values)
            al_json_set(row, "values", al_json_reals(series->values, series->n));
        al_json_set(object, series->name, row);
    }
    return object;
}

json_t *al_cell_json(struct al_cell *cell, const struct al_summary *summary,
                     struct al_bootstrap *bootstrap)
{
    json_t *row = al_needed(json_copy(cell->identity));
    al_json_set(row, "oversubscribed", json_boolean(cell->oversubscribed));
    al_json_set(row, "mixed_kinds", json_boolean(cell->mixed_kinds));
    al_json_set(row, "n", json_integer((json_int_t)cell->n));
    for (int m = 0; m < MEASURES; m++) {
        json_t *measure = al_json_interval(&cell->intervals[m]);
        al_json_set(measure, "values", al_json_reals(cell->values[m], cell->n));
        al_json_set(row, al_measure_names[m], measure);
    }
    al_json_set(row, "outliers",
                json_pack("{s:I, s:I}", "mild", (json_int_t)cell->outliers.mild, "severe",
                          (json_int_t)cell->outliers.severe));
    al_json_set(row, "memory", memory_medians(cell));
    al_json_set(row, "starter_busy", median_json(cell, BUSY));
    al_json_set(row, "took_part", median_json(cell, TOOK_PART));
    al_json_set(row, "doubts", al_doubts_json(cell->doubts));
    al_json_set(row, "latencies",
                series_intervals(&cell->latencies, summary->kind, false, bootstrap));
    al_json_set(row, "costs", series_intervals(&cell->costs, summary->kind, false, bootstrap));
    al_json_set(row, "counters",
                series_intervals(&cell->counters, summary->kind, false, bootstrap));
    al_json_set(row, "hardware",
                series_intervals(&cell->hardware, summary->kind, false, bootstrap));
    al_json_set(row, "disturbed", json_integer((json_int_t)cell->disturbed));
    al_json_set(row, "unsteady", json_integer((json_int_t)cell->unsteady));
    json_t *messages = median_json(cell, MESSAGES);
    al_json_set(row, "messages", al_json_whole(round(json_real_value(messages))));
    json_decref(messages);
    return row;
}

/* Numbers of blocks or sessions; null where a value has none. */
static json_t *places_json(const double *values, size_t n)
{
    json_t *list = al_needed(json_array());
    for (size_t i = 0; i < n; i++)
        al_json_append(list, values[i] >= 0 ? json_integer((json_int_t)values[i]) : json_null());
    return list;
}

/* All latencies of all processes together. */
static json_t *letters_json(struct al_cell *cell)
{
    struct al_letters letters;
    if (cell->n_bins == 0)
        return json_null();
    al_letters(cell->bins, cell->n_bins, &letters);
    json_t *boxes = al_needed(json_array()), *outside = al_needed(json_array());
    for (size_t b = 0; b < letters.boxes; b++)
        al_json_append(boxes, json_pack("[f, f]", letters.low[b], letters.high[b]));
    double low = letters.boxes > 0 ? letters.low[letters.boxes - 1] : letters.median;
    double high = letters.boxes > 0 ? letters.high[letters.boxes - 1] : letters.median;
    for (size_t i = 0; i < cell->n_bins; i++) {
        if (cell->bins[i].value < low || cell->bins[i].value > high)
            al_json_append(outside, al_json_real(cell->bins[i].value));
    }
    return json_pack("{s:o, s:f, s:o, s:o}", "n", al_json_whole(letters.n), "median",
                     letters.median, "boxes", boxes, "outside", outside);
}

/* The hand-off times of the trials, and which of them were quiet; null where it is not known. */
static void add_handoffs(json_t *row, const struct al_cell *cell)
{
    json_t *times = al_needed(json_array()), *quiet = al_needed(json_array());
    for (size_t i = 0; i < cell->n; i++) {
        double ns = cell->values[HANDOFF][i];
        al_json_append(times, ns >= 0 ? json_real(ns) : json_null());
        al_json_append(quiet, ns >= 0 ? json_boolean(al_cell_is_quiet(cell, i)) : json_null());
    }
    al_json_set(row, "handoff_ns", times);
    al_json_set(row, "quiet", quiet);
}

void al_cell_json_more(json_t *row, struct al_cell *cell, enum al_interval_kind kind,
                       struct al_bootstrap *bootstrap)
{
    add_handoffs(row, cell);
    al_json_set(row, "blocks", places_json(cell->values[BLOCK], cell->n));
    al_json_set(row, "sessions", places_json(cell->values[SESSION], cell->n));
    al_json_set(row, "rates", series_intervals(&cell->rates, kind, true, bootstrap));
    al_json_set(row, "letters", letters_json(cell));
    al_json_set(row, "pus", al_json_or_null(cell->pus));
}

void al_cell_failed_json(json_t *list, const struct al_cell *cell)
{
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count)
    {
        json_t *row = al_needed(json_copy(cell->identity));
        al_json_set(row, "outcome", json_string(outcome));
        al_json_set(row, "count", json_incref(count));
        al_json_append(list, row);
    }
    if (cell->twin != NULL)
        al_cell_failed_json(list, cell->twin);
}

json_t *al_cells_aa_json(const struct al_summary *summary)
{
    json_t *list = al_needed(json_array());
    for (size_t c = 0; c < summary->count; c++) {
        struct al_ratio ratio;
        if (!al_twin_ratio(&summary->cells[c], &ratio))
            continue;
        struct al_interval interval = al_ratio_interval(&ratio, summary->level);
        json_t *row = al_needed(json_copy(summary->cells[c].identity));
        al_json_set(row, "ratio", al_json_interval(&interval));
        al_json_set(row, "p", json_real(ratio.p));
        al_json_set(row, "differs", json_boolean(al_significant(ratio.p, 1 - summary->level)));
        al_json_append(list, row);
        al_ratio_release(&ratio);
    }
    return list;
}
