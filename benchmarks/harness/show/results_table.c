/* SPDX-License-Identifier: MIT */

/* What `actorlab results` prints for people. */

#include "benchmarks/harness/show/results.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"

enum { WORKLOAD, STRATEGY, WORKERS, MACHINE }; /* one column of each machine follows */

/* The rows of all machines: what is the same on several shares a row. */
struct rows {
    size_t n, columns;
    json_t *known; /* "WORKLOAD\nSTRATEGY\nWORKERS": its row */
    char **cells;
};

static char *machine_name(const struct al_machine *machine)
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

/* Whether a parameter tells workloads of the same benchmark apart on this machine. */
static bool varies(const struct al_study *study, const char *parameter)
{
    for (size_t k = 0; k < study->keys.n; k++) {
        const struct al_key *key = &study->keys.all[k];
        if (key->section != NULL && strcmp(key->section, "parameters") == 0 &&
            strcmp(key->name, parameter) == 0)
            return true;
    }
    return false;
}

char *al_workload_text(const struct al_study *study, const json_t *identity)
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
        if (varies(study, key))
            fprintf(out, " %s=%s", key, shown);
        free(shown);
    }
    if (fclose(out) != 0)
        al_no_memory();
    return text;
}

static char **row_of(struct rows *rows, char *workload, const char *strategy, char *workers)
{
    char *key = al_text("%s\n%s\n%s", workload, strategy, workers);
    const json_t *place = json_object_get(rows->known, key);
    size_t row = place != NULL ? (size_t)json_integer_value(place) : rows->n;
    if (place == NULL) {
        al_json_set(rows->known, key, json_integer((json_int_t)rows->n++));
        rows->cells = al_needed(
            reallocarray(rows->cells, rows->n * rows->columns, sizeof *rows->cells));
        for (size_t c = 0; c < rows->columns; c++)
            rows->cells[row * rows->columns + c] = NULL;
        rows->cells[row * rows->columns + WORKLOAD] = al_printable(workload);
        rows->cells[row * rows->columns + STRATEGY] = al_printable(strategy);
        rows->cells[row * rows->columns + WORKERS] = al_text("%s", workers);
    }
    free(key);
    return &rows->cells[row * rows->columns];
}

/* "61.2 [58.3, 64.0]", with the verdict against the baseline in front if there is one. */
static char *time_text(const struct al_study *study, const struct al_cell *cell)
{
    const struct al_interval *i = &cell->intervals[PER_MESSAGE];
    const char *mark = "";
    for (size_t c = 0; c < study->to_baseline.n; c++) {
        const struct al_comparison *one = &study->to_baseline.all[c];
        if (one->cell == cell)
            mark = one->verdict == AL_FASTER ? "< " : one->verdict == AL_SLOWER ? "> " : "";
    }
    char *interval = i->n > 1 ? al_text(" [%s, %s]", al_format_number(i->low, 3).text,
                                        al_format_number(i->high, 3).text)
                              : al_text("%s", "");
    char *text = al_text("%s%s%s", mark, al_format_number(i->median, 3).text, interval);
    free(interval);
    return text;
}

static void add_machine(struct rows *rows, const struct al_machine *machine, size_t m)
{
    const struct al_study *study = &machine->study;
    for (size_t c = 0; c < study->n; c++) {
        const struct al_cell *cell = study->cells[c];
        char *workload = al_workload_text(study, cell->identity);
        char *workers = al_text("%" JSON_INTEGER_FORMAT "%s",
                                json_integer_value(json_object_get(cell->identity, "workers")),
                                cell->oversubscribed ? "*" : "");
        char **row = row_of(rows, workload, study->strategies.labels[study->strategies.of[c]],
                            workers);
        free(row[MACHINE + m]);
        row[MACHINE + m] = time_text(study, cell);
        free(workload);
        free(workers);
    }
}

static void print_cells(const struct al_results *results, FILE *out)
{
    static const char *const titles[] = {"workload", "strategy", "workers"};
    struct rows rows = {.columns = MACHINE + results->n, .known = al_needed(json_object())};
    rows.cells = al_needed(calloc(rows.columns, sizeof *rows.cells));
    rows.n = 1;
    for (size_t m = 0; m < results->n; m++) {
        rows.cells[MACHINE + m] = results->n == 1 ? al_text("ns/message")
                                                  : machine_name(results->machines[m]);
        add_machine(&rows, results->machines[m], m);
    }
    for (size_t c = 0; c < MACHINE; c++)
        rows.cells[c] = al_text("%s", titles[c]);
    for (size_t i = 0; i < rows.n * rows.columns; i++)
        rows.cells[i] = rows.cells[i] != NULL ? rows.cells[i] : al_text("%s", "");
    size_t *widths = al_needed(calloc(rows.columns, sizeof *widths));
    al_table_widths(rows.cells, rows.n, rows.columns, widths);
    for (size_t r = 0; rows.n > 1 && r < rows.n; r++)
        al_table_row(out, &rows.cells[r * rows.columns], rows.columns, widths, 1U << WORKERS);
    for (size_t i = 0; i < rows.n * rows.columns; i++)
        free(rows.cells[i]);
    free(rows.cells);
    free(widths);
    json_decref(rows.known);
}

static void print_failed(const struct al_study *study, FILE *out)
{
    for (size_t f = 0; f < study->n_failed; f++) {
        const struct al_cell *cell = study->failed[f];
        const char *outcome;
        json_t *count, *workers = json_object_get(cell->identity, "workers");
        char *workload = al_workload_text(study, cell->identity);
        char *shown = al_printable(workload);
        char *strategy = al_shown_text(json_object_get(cell->identity, "scheduler"));
        json_object_foreach(cell->failed, outcome, count)
            fprintf(out,
                    "failed: %s, %s, workers %" JSON_INTEGER_FORMAT ": %s, %" JSON_INTEGER_FORMAT
                    " time%s\n",
                    shown, strategy, json_integer_value(workers), outcome,
                    json_integer_value(count), json_integer_value(count) == 1 ? "" : "s");
        free(workload);
        free(shown);
        free(strategy);
    }
}

static void print_machine(const struct al_machine *machine, double level, FILE *out)
{
    const struct al_study *study = &machine->study;
    char *name = machine_name(machine);
    fprintf(out, "%s: %zu cells, %zu trials", name, study->n, machine->tally.trials);
    if (machine->tally.disturbed > 0)
        fprintf(out, ", %zu of them disturbed", machine->tally.disturbed);
    fputs(".\n", out);
    free(name);
    if (study->n > 0)
        fprintf(out, "Medians with %g%% intervals.", 100 * level);
    if (study->to_baseline.n > 0) {
        char *shown = al_printable(study->baseline);
        fprintf(out, " < faster, > slower than %s at the same work.", shown);
        free(shown);
    }
    if (study->n > 0)
        fputc('\n', out);
    if (study->noise >= 0)
        fprintf(out, "A/A: equal cells differ by up to %s%%.\n",
                al_format_number(study->noise, 2).text);
    print_failed(study, out);
}

void al_results_table(const struct al_results *results, FILE *out)
{
    print_cells(results, out);
    for (size_t m = 0; m < results->n; m++)
        print_machine(results->machines[m], results->level, out);
    if (results->n == 0)
        fputs("No records.\n", out);
}
