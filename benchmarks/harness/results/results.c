/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "benchmarks/harness/results/labels.h"

#define HERE "this machine" /* the topology of a trial that was not given another */

void al_results_init(struct al_results *results, const char *command)
{
    *results = (struct al_results){
        .intake = {.command = command, .sources = al_needed(json_array())},
        .level = AL_LEVEL,
        .resamples = AL_RESAMPLES,
        .seed = AL_SEED};
}

/* An unknown value may be anything. */
static bool may_be(const json_t *a, const json_t *b)
{
    return !json_is_string(a) || !json_is_string(b) || json_equal(a, b);
}

static bool is_of(const struct al_machine *machine, const json_t *cpu, const json_t *hash)
{
    return may_be(machine->cpu, cpu) && may_be(machine->topology_hash, hash);
}

static void learn(json_t **known, json_t *value)
{
    if (*known == NULL && json_is_string(value))
        *known = json_incref(value);
}

/* The machine that a record is of. What does not say may be of any: it goes with the record before
 * it in its file. */
static struct al_machine *find_machine(struct al_results *results, const json_t *record,
                                       size_t source)
{
    const json_t *environment = json_object_get(record, "environment");
    const char *topology = json_string_value(json_object_get(record, "topology"));
    json_t *cpu = json_object_get(environment, "cpu");
    json_t *hash = topology == NULL || strcmp(topology, HERE) == 0
                       ? json_object_get(environment, "topology_hash")
                       : NULL;
    size_t m = results->last;
    if (results->n == 0 || source != results->last_source ||
        !is_of(results->machines[m], cpu, hash)) {
        m = 0;
        while (m < results->n && !is_of(results->machines[m], cpu, hash))
            m++;
    }
    if (m == results->n) {
        results->machines = al_needed(
            reallocarray(results->machines, m + 1, sizeof *results->machines));
        results->machines[m] = al_needed(calloc(1, sizeof *results->machines[m]));
        results->n++;
    }
    learn(&results->machines[m]->cpu, cpu);
    learn(&results->machines[m]->topology_hash, hash);
    results->last = m;
    results->last_source = source;
    return results->machines[m];
}

static void take(void *to, const struct al_line *line, size_t source)
{
    struct al_machine *machine = find_machine(to, line->record, source);
    al_cells_add(&machine->cells, line->record, line->session, source);
    al_tally_add(&machine->tally, line, source);
}

/* A sweep keeps what it was asked for beside its records. */
static void read_sweep(struct al_results *results, const char *name)
{
    struct stat found;
    bool folder = stat(name, &found) == 0 && S_ISDIR(found.st_mode);
    const char *slash = strrchr(name, '/');
    char *path = folder          ? al_text("%s/sweep.json", name)
                 : slash != NULL ? al_text("%.*s/sweep.json", (int)(slash - name), name)
                                 : al_text("sweep.json");
    results->sweep = json_load_file(path, 0, NULL);
    free(path);
    if (json_is_object(results->sweep))
        return;
    json_decref(results->sweep);
    results->sweep = NULL;
}

int al_results_read(struct al_results *results, const char *name)
{
    if (results->sweep == NULL)
        read_sweep(results, name);
    return al_intake_read(&results->intake, name, take, results);
}

const json_t *al_results_order(const struct al_results *results)
{
    return results->order != NULL ? results->order : json_object_get(results->sweep, "axes");
}

void al_results_finish(struct al_results *results)
{
    struct al_study_request request = {.baseline = results->baseline,
                                       .order = al_results_order(results),
                                       .benchmarks = results->benchmarks};
    if (request.baseline == NULL)
        request.baseline = json_string_value(json_object_get(results->sweep, "baseline"));
    if (request.baseline != NULL)
        request.baseline = al_today("scheduler", request.baseline);
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(results->resamples, results->level, results->seed));
    for (size_t m = 0; m < results->n; m++) {
        struct al_machine *machine = results->machines[m];
        machine->cells.level = results->level;
        machine->cells.baseline = request.baseline;
        al_cells_intervals(&machine->cells, bootstrap, NULL);
        if (request.baseline != NULL)
            al_cells_compare(&machine->cells, bootstrap);
        al_study_make(&machine->cells, &request, bootstrap, &machine->study);
    }
    al_bootstrap_free(bootstrap);
}

void al_results_release(struct al_results *results)
{
    for (size_t m = 0; m < results->n; m++) {
        struct al_machine *machine = results->machines[m];
        json_decref(machine->cpu);
        json_decref(machine->topology_hash);
        al_study_release(&machine->study);
        al_tally_release(&machine->tally);
        al_cells_release(&machine->cells);
        free(machine);
    }
    free(results->machines);
    al_intake_release(&results->intake);
    json_decref(results->order);
    json_decref(results->benchmarks);
    json_decref(results->sweep);
}
