/* SPDX-License-Identifier: MIT */

/* The table that `actorlab summarize` prints. */

#include "benchmarks/harness/show/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/results/twins.h"
#include "benchmarks/harness/show/json.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

static const char *const interval_names[] = {
    [AL_PERCENTILE] = "percentile bootstrap", [AL_BCA] = "BCa bootstrap"};

/* With fewer values than this no 95% interval of a median exists: show the values themselves. */
#define FEW 6

static const json_t *lookup(const struct al_cell *cell, const char *key)
{
    return json_object_get(cell->identity, key);
}

enum { BENCHMARK, STRATEGY, WORKERS, MEDIAN, INTERVAL, ACHIEVED, COUNT, PER_S, MEGABYTES, COLUMNS };
#define RIGHT                                                                                      \
    (1u << WORKERS | 1u << MEDIAN | 1u << INTERVAL | 1u << ACHIEVED | 1u << COUNT | 1u << PER_S |  \
     1u << MEGABYTES)

static void fill_identity(const struct al_names *names, const struct al_cell *cell, char **row)
{
    row[BENCHMARK] = al_shown_text(lookup(cell, "benchmark"));
    row[STRATEGY] = al_names_of(names, cell);
    row[WORKERS] = al_text("%" JSON_INTEGER_FORMAT "%s",
                           json_integer_value(lookup(cell, "workers")), al_cell_mark(cell));
}

static void add_row(struct al_table *table, const struct al_names *names,
                    const struct al_cell *cell)
{
    char *row[COLUMNS] = {NULL};
    const struct al_interval *i = &cell->intervals[PER_MESSAGE];
    fill_identity(names, cell, row);
    row[MEDIAN] = al_text("%s", al_format_number(i->median, 4).text);
    row[INTERVAL] = i->n == 1
                        ? al_text("-")
                        : al_text("[%s, %s]%s", al_format_number(i->low, 4).text,
                                  al_format_number(i->high, 4).text, i->degenerate ? "=" : "");
    row[ACHIEVED] = i->n == 1 ? al_text("-") : al_text("%.1f%%", 100 * i->achieved);
    row[COUNT] = al_text("%zu", i->n);
    row[PER_S] = al_text("%s", al_format_count(cell->intervals[RATE].median).text);
    if (!cell->simulated) /* else it is the simulator's */
        row[MEGABYTES] = al_text("%s",
                                 al_format_number(cell->intervals[PEAK].median / 1e6, 3).text);
    al_table_add(table, row);
}

static void print_values(const struct al_cell *cell)
{
    fputs("    each:", stdout);
    for (size_t i = 0; i < cell->n; i++)
        printf(" %s", al_format_number(cell->values[PER_MESSAGE][i], 4).text);
    putchar('\n');
}

static void print_method(const struct al_summary *summary)
{
    if (summary->kind == AL_ORDER)
        fputs("Medians with intervals between ranks; ", stdout);
    else
        printf("Medians with %s intervals, %s, seed %" PRIu64 "; ", interval_names[summary->kind],
               al_counted(summary->resamples, "resample").text, summary->seed);
    puts("achieved: what an interval really covers.");
    if (summary->simulated)
        printf("Simulated trials: intervals%s.\n", AL_OF_JITTER);
    size_t few = 0;
    for (size_t c = 0; c < summary->count; c++)
        few += al_cell_has_few_seeds(&summary->cells[c]);
    char *text = al_few_seeds_text(few);
    fprintf(stdout, few > 0 ? "%s\n" : "%s", text);
    free(text);
}

static void print_table(const struct al_summary *summary, const struct al_names *names)
{
    size_t shown = 0, mild = 0, severe = 0;
    bool native = false, degenerate = false;
    struct al_table table = {.columns = COLUMNS, .right = RIGHT};
    struct al_marks marks = {0};
    for (size_t c = 0; c < summary->count; c++)
        native |= summary->cells[c].n > 0 && !summary->cells[c].simulated;
    char *level = al_text("%g%% interval", 100 * summary->level);
    al_table_add_copies(&table, (const char *[]){"benchmark", al_names_head(names), "workers",
                                                 "ns/message", level, "achieved", "n", "messages/s",
                                                 native ? "peak MB" : NULL});
    free(level);
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        if (cell->n == 0)
            continue;
        add_row(&table, names, cell);
        al_marks_add(&marks, cell);
        mild += cell->outliers.mild;
        severe += cell->outliers.severe;
        degenerate |= cell->n > 1 && cell->intervals[PER_MESSAGE].degenerate;
    }
    for (size_t c = 0; c < summary->count; c++) {
        if (summary->cells[c].n == 0)
            continue;
        if (shown++ == 0)
            al_table_row(&table, 0, stdout);
        al_table_row(&table, shown, stdout);
        if (summary->cells[c].n < FEW)
            print_values(&summary->cells[c]);
    }
    al_table_release(&table);
    if (shown > 0)
        print_method(summary);
    else
        puts("No record with outcome ok.");
    if (mild + severe > 0)
        printf("Outliers (Tukey, of the times), none left out: %zu mild, %zu severe.\n", mild,
               severe);
    al_marks_print(marks, stdout);
    if (degenerate)
        puts("= no width: too many equal values");
}

/* Of a cell, or of its twin, which has the same name. */
static void print_failed(const struct al_names *names, const struct al_cell *named,
                         const struct al_cell *cell)
{
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count)
    {
        char *row[COLUMNS];
        char *shown = al_printable(outcome);
        fill_identity(names, named, row);
        printf("failed: %s, %s, workers %s: %s, %s\n", row[BENCHMARK], row[STRATEGY], row[WORKERS],
               shown, al_counted((uint64_t)json_integer_value(count), "time").text);
        for (int i = 0; i <= WORKERS; i++)
            free(row[i]);
        free(shown);
    }
    if (cell->twin != NULL)
        print_failed(names, named, cell->twin);
}

static void print_twins(const struct al_summary *summary)
{
    struct al_twins twins;
    al_twins_make(summary, &twins);
    char *text = al_twins_text(&twins);
    if (text != NULL)
        printf("%s.\n", text);
    free(text);
}

void al_summarize_table(const struct al_summary *summary, const json_t *axes)
{
    struct al_names names;
    al_names_make(summary, axes, &names);
    print_table(summary, &names);
    al_sources_print(summary, 120, stdout);
    print_twins(summary);
    for (size_t c = 0; c < summary->count; c++)
        print_failed(&names, &summary->cells[c], &summary->cells[c]);
    al_names_release(&names);
}
