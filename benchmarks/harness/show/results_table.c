/* SPDX-License-Identifier: MIT */

/* What `actorlab results` prints for people. */

#include "benchmarks/harness/show/results.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

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

/* With the strategy by all keys in which any cell differs, also one that failed. */
static void print_all_failed(const struct al_study *study, FILE *out)
{
    size_t n = study->n + study->n_failed;
    struct al_parts parts;
    const json_t **entries = al_needed(calloc(n + 1, sizeof *entries));
    for (size_t i = 0; i < n; i++)
        entries[i] = (i < study->n ? study->cells[i] : study->failed[i - study->n])->identity;
    al_parts_make(entries, n, n, &study->strategy_keys, &parts);
    for (size_t f = 0; f < study->n_failed; f++) {
        char *workload = al_workload_text(&study->keys, study->failed[f]->identity);
        char *shown = al_printable(workload);
        char *strategy = al_printable(parts.labels[parts.of[study->n + f]]);
        print_failed(study->failed[f], shown, strategy, out);
        free(strategy);
        free(shown);
        free(workload);
    }
    al_parts_release(&parts);
    free(entries);
}

static void print_machine(const struct al_machine *machine, FILE *out)
{
    const struct al_study *study = &machine->study;
    char *name = al_machine_name(machine);
    fprintf(out, "%s: %s, %s", name, al_counted(study->n, "cell").text,
            al_counted(machine->tally.trials, "trial").text);
    if (machine->tally.interrupted > 0)
        fprintf(out, ", %zu of them interrupted", machine->tally.interrupted);
    fputs(".\n", out);
    free(name);
    char *sources = al_sources_of(study->cells, study->n);
    fprintf(out, "%s%s", sources, sources[0] != '\0' ? "\n" : "");
    free(sources);
    char *twins = al_twins_text(&study->twins);
    if (twins != NULL)
        fprintf(out, "%s.\n", twins);
    free(twins);
    print_all_failed(study, out);
}

void al_results_table(const struct al_results *results, FILE *out)
{
    for (size_t m = 0; m < results->n; m++) {
        if (m > 0)
            fputc('\n', out);
        if (results->n > 1) {
            char *name = al_machine_name(results->machines[m]);
            fprintf(out, "%s:\n", name);
            free(name);
        }
        al_winners_print(results->machines[m], out);
        print_machine(results->machines[m], out);
    }
    if (results->n == 0)
        fputs("No records.\n", out);
}
