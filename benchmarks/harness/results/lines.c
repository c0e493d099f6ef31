/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "core/counted.h"

#define MOST_LINES 12 /* that a reader can tell apart, as in scripts/lib/results/view.py */
/* If the medians of a panel span a larger factor than this, all axes are logarithmic. */
#define LOG_SPAN 20

static const char *strategy_of(const json_t *identity)
{
    return json_string_value(json_object_get(identity, "scheduler"));
}

/* Of the lines that the cells are of: strategies first, in the order that all figures share. */
static int compare_lines(const struct al_lines *lines, const struct al_cell *a,
                         const struct al_cell *b)
{
    int order = 0;
    for (size_t k = 0; k < lines->keys.n && order == 0; k++) {
        const struct al_key *key = &lines->keys.all[k];
        if (key->section == NULL && strcmp(key->name, "scheduler") == 0)
            order = al_palette_compare(strategy_of(a->identity), strategy_of(b->identity));
        else
            order = al_value_order(al_key_value(a->identity, key), al_key_value(b->identity, key));
    }
    return order;
}

static int compare_by_line(const void *left, const void *right, void *lines)
{
    return compare_lines(lines, ((const struct al_point *)left)->cell,
                         ((const struct al_point *)right)->cell);
}

static int compare_points(const void *left, const void *right)
{
    const struct al_point *a = left, *b = right;
    int order = strcmp(a->benchmark, b->benchmark);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = (a->workers > b->workers) - (a->workers < b->workers);
    return order;
}

static bool wants_log(const struct al_lines *lines)
{
    bool far = false;
    for (struct al_panel panel = {0}; al_lines_next(lines, &panel);) {
        if (panel.least <= 0)
            return false;
        far |= panel.most > LOG_SPAN * panel.least;
    }
    return far;
}

/* The cells' identities, in the order of the points. The caller frees them. */
static const json_t **entries_of(const struct al_lines *lines)
{
    const json_t **entries = al_needed(calloc(lines->n + 1, sizeof *entries));
    for (size_t p = 0; p < lines->n; p++)
        entries[p] = lines->points[p].cell->identity;
    return entries;
}

/* Numbers the lines, in order of their values, and names them; sorts the points. */
static void number_lines(struct al_lines *lines)
{
    qsort_r(lines->points, lines->n, sizeof *lines->points, compare_by_line, lines);
    const json_t **entries = entries_of(lines);
    al_parts_make(entries, lines->n, lines->n, &lines->keys, &lines->parts);
    for (size_t p = 0; p < lines->n; p++)
        lines->points[p].line = lines->parts.of[p];
    const char **strategies = al_needed(calloc(lines->parts.n + 1, sizeof *strategies));
    lines->looks = al_needed(calloc(lines->parts.n + 1, sizeof *lines->looks));
    for (size_t l = 0; l < lines->parts.n; l++)
        strategies[l] = strategy_of(lines->parts.firsts[l]);
    al_palette_looks(strategies, lines->parts.n, lines->looks);
    free(strategies);
    free(entries);
    qsort(lines->points, lines->n, sizeof *lines->points, compare_points);
    lines->log = wants_log(lines);
}

void al_lines_make(const struct al_summary *summary, enum measure measure, const char *benchmark,
                   struct al_lines *out)
{
    *out = (struct al_lines){.measure = measure};
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(summary->resamples, al_median_level(summary), summary->seed));
    out->points = al_needed(calloc(summary->count + 1, sizeof *out->points));
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        const char *name = json_string_value(json_object_get(cell->identity, "benchmark"));
        if (cell->n == 0 || (benchmark != NULL && strcmp(benchmark, name) != 0))
            continue;
        struct al_point *point = &out->points[out->n++];
        *point = (struct al_point){
            .cell = cell,
            .benchmark = name,
            .workers = json_integer_value(json_object_get(cell->identity, "workers"))};
        /* Records hold nothing that would be refused, so only memory can be the matter. */
        if (al_bootstrap_interval(bootstrap, cell->values[measure], cell->n, summary->kind, NULL,
                                  &point->value) != 0)
            al_no_memory();
    }
    al_bootstrap_free(bootstrap);
    const json_t **entries = entries_of(out);
    al_keys_find(entries, out->n, out->n, NULL, &out->keys);
    free(entries);
    number_lines(out);
}

void al_lines_release(struct al_lines *lines)
{
    for (size_t p = 0; lines->workloads != NULL && p < lines->n; p++)
        free(lines->workloads[p]);
    free(lines->workloads);
    al_parts_release(&lines->parts);
    al_keys_release(&lines->keys);
    free(lines->looks);
    free(lines->points);
}

/* Of all panels. */
static size_t most_lines(const struct al_lines *lines)
{
    size_t most = 0;
    for (struct al_panel panel = {0}; al_lines_next(lines, &panel);) {
        size_t n = 1;
        for (size_t p = 1; p < panel.n; p++)
            n += panel.points[p].line != panel.points[p - 1].line;
        most = n > most ? n : most;
    }
    return most;
}

void al_lines_part(struct al_lines *lines)
{
    struct al_keys strategy_keys;
    al_keys_of_strategies(&lines->keys, &strategy_keys);
    if (strategy_keys.n == 0 || strategy_keys.n == lines->keys.n ||
        most_lines(lines) <= MOST_LINES) {
        al_keys_release(&strategy_keys);
        return;
    }
    lines->workloads = al_needed(calloc(lines->n, sizeof *lines->workloads));
    for (size_t p = 0; p < lines->n; p++)
        lines->points[p].benchmark = lines->workloads[p] = al_workload_text(
            &lines->keys, lines->points[p].cell->identity);
    al_keys_release(&lines->keys);
    lines->keys = strategy_keys;
    al_parts_release(&lines->parts);
    free(lines->looks);
    number_lines(lines);
}

bool al_lines_next(const struct al_lines *lines, struct al_panel *panel)
{
    const struct al_point *first = panel->points != NULL ? panel->points + panel->n : lines->points;
    const struct al_point *end = lines->points + lines->n;
    if (first == end)
        return false;
    const struct al_measure *measure = &al_measures[lines->measure];
    *panel = (struct al_panel){first->benchmark, first, 0, 1, "", INFINITY, 0};
    for (; first + panel->n < end; panel->n++) {
        const struct al_point *point = &first[panel->n];
        if (strcmp(point->benchmark, panel->benchmark) != 0)
            break;
        panel->least = fmin(panel->least, point->value.median);
        panel->most = fmax(panel->most, point->value.median);
    }
    int unit = 0;
    while (unit < 3 && panel->least / panel->divisor >= 1000) {
        panel->divisor *= 1000;
        unit++;
    }
    panel->least /= panel->divisor;
    panel->most /= panel->divisor;
    const char *place = strstr(measure->label, "%s");
    snprintf(panel->label, sizeof panel->label, "%.*s%s%s", (int)(place - measure->label),
             measure->label, measure->units[unit], place + 2);
    return true;
}

struct al_text al_panel_processes(const struct al_panel *panel)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t p = 0; p < panel->n; p++) {
        size_t n = panel->points[p].value.n;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    struct al_text out;
    if (least == most)
        snprintf(out.text, sizeof out.text, "%s", al_counted(most, "process").text);
    else
        snprintf(out.text, sizeof out.text, "%zu to %.24s", least,
                 al_counted(most, "process").text);
    return out;
}

static int compare_columns(const void *left, const void *right)
{
    const struct al_column *a = left, *b = right;
    return (a->workers > b->workers) - (a->workers < b->workers);
}

struct al_column *al_panel_columns(const struct al_panel *panel, size_t *n)
{
    struct al_column *columns = al_needed(calloc(panel->n, sizeof *columns));
    for (size_t p = 0; p < panel->n; p++) {
        columns[p].workers = panel->points[p].workers;
        al_marks_add(&columns[p].marks, panel->points[p].cell);
    }
    qsort(columns, panel->n, sizeof *columns, compare_columns);
    *n = 0;
    for (size_t p = 0; p < panel->n; p++) {
        if (*n == 0 || columns[p].workers != columns[*n - 1].workers)
            columns[(*n)++] = columns[p];
        al_marks_join(&columns[*n - 1].marks, columns[p].marks);
    }
    return columns;
}

const char *al_panel_simulated(const struct al_panel *panel)
{
    const json_t *first = json_object_get(panel->points->cell->identity, "machine");
    bool any = false, same = true;
    for (size_t p = 0; p < panel->n; p++) {
        const struct al_cell *cell = panel->points[p].cell;
        any |= cell->simulated;
        same &= json_equal(json_object_get(cell->identity, "machine"), first) != 0;
    }
    return !any ? NULL : same ? json_string_value(first) : "the machines that labels name";
}

const char *al_lines_head(const struct al_lines *lines)
{
    return lines->keys.n == 1 ? lines->keys.all[0].name : "strategy";
}
