/* SPDX-License-Identifier: MIT */

/* What `actorlab results` prints for people. */

#include "benchmarks/harness/show/results.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/marks.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/results/sources.h"
#include "benchmarks/harness/show/winners_text.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

enum { WORKLOAD, STRATEGY, WORKERS, MACHINE }; /* one column of each machine follows */

/* The cells of all machines, and then their failed cells, machine by machine. What varies is found
 * over all of them: two machines may each have one value, but not the same. */
struct overview {
    size_t n;         /* entries */
    json_t **entries; /* identities: entry_of */
    struct al_keys keys, strategy_keys;
    struct al_parts strategies;
    char **labels; /* by entry: its strategy */
};

/* Cells of several machines that agree share a row. */
struct rows {
    size_t n, columns;
    json_t *known; /* identity: its row */
    char **cells;
};

char *al_machine_name(const struct al_machine *machine)
{
    const json_t *cpu = machine->cpu, *hash = machine->topology_hash;
    char *name = cpu != NULL ? al_shown_text(cpu) : al_text("unknown machine");
    if (hash == NULL)
        return name;
    char *shown = al_shown_text(hash), *whole = al_text("%s (%s)", name, shown);
    free(shown);
    free(name);
    return whole;
}

char *al_workload_text(const struct al_keys *keys, const json_t *identity)
{
    char *text = NULL;
    size_t length;
    const char *key;
    json_t *value;
    FILE *out = al_needed(open_memstream(&text, &length));
    fputs(json_string_value(json_object_get(identity, "benchmark")), out);
    json_object_foreach(json_object_get(identity, "parameters"), key, value)
    {
        char *shown = al_value_text(value);
        if (al_keys_have(keys, "parameters", key))
            fprintf(out, " %s=%s", key, shown);
        free(shown);
    }
    if (fclose(out) != 0)
        al_no_memory();
    return text;
}

/* The identity of a cell, without what tells programs and machines apart, unless cells of this
 * machine differ in it. */
static json_t *entry_of(const struct al_study *study, const struct al_cell *cell)
{
    json_t *entry = al_needed(json_copy(cell->identity));
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const struct al_identity_key *key = &al_identity_keys[k];
        if ((key->roles & AL_BUILD) != 0 && !al_keys_have(&study->keys, NULL, key->name))
            al_json_set(entry, key->name, json_null());
    }
    return entry;
}

static void overview_make(const struct al_results *results, struct overview *out)
{
    size_t most = 0, n = 0;
    for (size_t m = 0; m < results->n; m++)
        most += results->machines[m]->study.n + results->machines[m]->study.n_failed;
    *out = (struct overview){.entries = al_needed(calloc(most + 1, sizeof *out->entries)),
                             .labels = al_needed(calloc(most + 1, sizeof *out->labels))};
    for (size_t m = 0; m < results->n; m++) {
        const struct al_study *study = &results->machines[m]->study;
        for (size_t c = 0; c < study->n; c++)
            out->entries[n++] = entry_of(study, study->cells[c]);
    }
    out->n = n;
    for (size_t m = 0; m < results->n; m++) {
        const struct al_study *study = &results->machines[m]->study;
        for (size_t f = 0; f < study->n_failed; f++)
            out->entries[out->n++] = entry_of(study, study->failed[f]);
    }
    const json_t *const *entries = (const json_t *const *)out->entries;
    al_keys_find(entries, n, out->n, al_results_order(results), &out->keys);
    al_keys_of_strategies(&out->keys, &out->strategy_keys);
    al_parts_make(entries, out->n, out->n, &out->strategy_keys, &out->strategies);
    for (size_t e = 0; e < out->n; e++)
        out->labels[e] = al_printable(out->strategies.labels[out->strategies.of[e]]);
}

static void overview_release(struct overview *overview)
{
    al_parts_release(&overview->strategies);
    al_keys_release(&overview->strategy_keys);
    al_keys_release(&overview->keys);
    for (size_t e = 0; e < overview->n; e++) {
        json_decref(overview->entries[e]);
        free(overview->labels[e]);
    }
    free(overview->entries);
    free(overview->labels);
}

/* The row of an entry, with its first columns filled. */
static char **row_of(struct rows *rows, const struct overview *overview, size_t entry,
                     const char *mark)
{
    const json_t *identity = overview->entries[entry];
    char *text = al_identity_text(identity, ~0U), *key = al_text("%s%s", text, mark);
    const json_t *place = json_object_get(rows->known, key);
    size_t row = place != NULL ? (size_t)json_integer_value(place) : rows->n;
    if (place == NULL) {
        al_json_set(rows->known, key, json_integer((json_int_t)rows->n++));
        rows->cells = al_needed(
            reallocarray(rows->cells, rows->n * rows->columns, sizeof *rows->cells));
        char **cells = &rows->cells[row * rows->columns];
        for (size_t c = 0; c < rows->columns; c++)
            cells[c] = NULL;
        char *workload = al_workload_text(&overview->keys, identity);
        cells[WORKLOAD] = al_printable(workload);
        cells[STRATEGY] = al_text("%s", overview->labels[entry]);
        cells[WORKERS] = al_text("%" JSON_INTEGER_FORMAT "%s",
                                 json_integer_value(json_object_get(identity, "workers")), mark);
        free(workload);
    }
    free(text);
    free(key);
    return &rows->cells[row * rows->columns];
}

/* "61.2 [58.3, 64.0]", with the verdict against the baseline in front if there is one. */
static char *time_text(const struct al_study *study, const struct al_cell *cell)
{
    const struct al_interval *i = &cell->intervals[PER_MESSAGE];
    static const char *const marks[2][AL_VERDICTS] = {{"< ", "> ", "", "", ""},
                                                      {"(<) ", "(>) ", "", "", ""}};
    const char *mark = "";
    for (size_t c = 0; c < study->to_baseline.n; c++) {
        const struct al_comparison *one = &study->to_baseline.all[c];
        if (one->cell == cell)
            mark = marks[al_comparison_is_disturbed(one)][one->judged.verdict];
    }
    char *interval = i->n > 1 ? al_text(" [%s, %s]", al_format_number(i->low, 3).text,
                                        al_format_number(i->high, 3).text)
                              : al_text("%s", "");
    char *text = al_text("%s%s%s", mark, al_format_number(i->median, 3).text, interval);
    free(interval);
    return text;
}

static void print_cells(const struct al_results *results, const struct overview *overview,
                        FILE *out)
{
    static const char *const titles[] = {"workload", "strategy", "workers"};
    struct rows rows = {.columns = MACHINE + results->n, .known = al_needed(json_object())};
    rows.cells = al_needed(calloc(rows.columns, sizeof *rows.cells));
    rows.n = 1;
    struct al_marks marks = {0};
    size_t entry = 0;
    for (size_t m = 0; m < results->n; m++) {
        const struct al_study *study = &results->machines[m]->study;
        rows.cells[MACHINE + m] = results->n == 1 ? al_text("ns/message")
                                                  : al_machine_name(results->machines[m]);
        for (size_t c = 0; c < study->n; c++) {
            char **row = row_of(&rows, overview, entry++, al_cell_mark(study->cells[c]));
            row[MACHINE + m] = time_text(study, study->cells[c]);
            al_marks_add(&marks, study->cells[c]);
        }
    }
    for (size_t c = 0; c < MACHINE; c++)
        rows.cells[c] = al_text("%s", titles[c]);
    for (size_t i = 0; i < rows.n * rows.columns; i++)
        rows.cells[i] = rows.cells[i] != NULL ? rows.cells[i] : al_text("%s", "");
    size_t *widths = al_needed(calloc(rows.columns, sizeof *widths));
    al_table_widths(rows.cells, rows.n, rows.columns, widths);
    for (size_t r = 0; rows.n > 1 && r < rows.n; r++)
        al_table_row(out, &rows.cells[r * rows.columns], rows.columns, widths, 1U << WORKERS);
    al_marks_print(marks, out);
    for (size_t i = 0; i < rows.n * rows.columns; i++)
        free(rows.cells[i]);
    free(rows.cells);
    free(widths);
    json_decref(rows.known);
}

/* The failed trials of a cell, and of its A/A twin. */
static void print_failed(const struct al_cell *cell, const char *workload, const char *strategy,
                         FILE *out)
{
    const char *outcome;
    json_t *count, *workers = json_object_get(cell->identity, "workers");
    json_object_foreach(cell->failed, outcome, count)
        fprintf(out, "failed: %s, %s, workers %" JSON_INTEGER_FORMAT ": %s, %s\n", workload,
                strategy, json_integer_value(workers), outcome,
                al_counted((uint64_t)json_integer_value(count), "time").text);
    if (cell->twin != NULL) {
        char *twin = al_text("%s (A/A twin)", strategy);
        print_failed(cell->twin, workload, twin, out);
        free(twin);
    }
}

/* `failed`: the entry of its first failed cell. */
static void print_machine(const struct al_machine *machine, const struct overview *overview,
                          size_t failed, double level, FILE *out)
{
    const struct al_study *study = &machine->study;
    char *name = al_machine_name(machine);
    fprintf(out, "%s: %s, %s", name, al_counted(study->n, "cell").text,
            al_counted(machine->tally.trials, "trial").text);
    if (machine->tally.interrupted > 0)
        fprintf(out, ", %zu of them interrupted", machine->tally.interrupted);
    fputs(".\n", out);
    free(name);
    if (study->n > 0)
        fprintf(out, "Medians with %g%% intervals%s.", 100 * level,
                machine->simulated != NULL ? AL_OF_JITTER : "");
    if (study->to_baseline.n > 0) {
        char *shown = al_printable(study->baseline);
        fprintf(out, " < faster, > slower than %s at the same work.%s", shown,
                al_comparisons_disturbed(&study->to_baseline) > 0
                    ? " In brackets: more than half of the trials of either were disturbed."
                    : "");
        free(shown);
    }
    if (study->n > 0)
        fputc('\n', out);
    char *sources = al_sources_of(study->cells, study->n);
    fprintf(out, "%s%s", sources, sources[0] != '\0' ? "\n" : "");
    free(sources);
    char *twins = al_twins_text(&study->twins);
    if (twins != NULL)
        fprintf(out, "%s.\n", twins);
    free(twins);
    for (size_t f = 0; f < study->n_failed; f++) {
        char *workload = al_workload_text(&overview->keys, study->failed[f]->identity);
        char *shown = al_printable(workload);
        print_failed(study->failed[f], shown, overview->labels[failed + f], out);
        free(workload);
        free(shown);
    }
}

void al_results_table(const struct al_results *results, FILE *out)
{
    struct overview overview;
    size_t failed = 0;
    overview_make(results, &overview);
    for (size_t m = 0; m < results->n; m++) {
        char *name = al_machine_name(results->machines[m]);
        if (results->n > 1)
            fprintf(out, "%s:\n", name);
        free(name);
        al_winners_print(results->machines[m], out);
        fputc('\n', out);
    }
    print_cells(results, &overview, out);
    for (size_t m = 0; m < results->n; m++)
        failed += results->machines[m]->study.n;
    for (size_t m = 0; m < results->n; m++) {
        print_machine(results->machines[m], &overview, failed, results->level, out);
        failed += results->machines[m]->study.n_failed;
    }
    overview_release(&overview);
    if (results->n == 0)
        fputs("No records.\n", out);
}
