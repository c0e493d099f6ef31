/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/results.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/text/exit.h"

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

/* A machine that no record has named is its file's alone. */
static bool is_of(const struct al_machine *machine, const json_t *cpu, const json_t *hash)
{
    return (machine->cpu != NULL || machine->topology_hash != NULL) && may_be(machine->cpu, cpu) &&
           may_be(machine->topology_hash, hash);
}

static void learn(json_t **known, json_t *value)
{
    if (*known == NULL && json_is_string(value))
        *known = json_incref(value);
}

static struct al_machine *new_machine(struct al_results *results)
{
    results->machines = al_needed(
        reallocarray(results->machines, results->n + 1, sizeof *results->machines));
    struct al_machine *machine = al_needed(calloc(1, sizeof *machine));
    results->machines[results->n++] = machine;
    machine->cells.of = results->of;
    return machine;
}

/* The machine with this name, which is that of the record before if that may be. */
static struct al_machine *find_machine(struct al_results *results, json_t *cpu, json_t *hash)
{
    struct al_machine *found = results->current;
    if (found != NULL && !is_of(found, cpu, hash))
        found = NULL;
    for (size_t m = 0; m < results->n && found == NULL; m++) {
        if (is_of(results->machines[m], cpu, hash))
            found = results->machines[m];
    }
    if (found == NULL)
        found = new_machine(results);
    learn(&found->cpu, cpu);
    learn(&found->topology_hash, hash);
    return found;
}

static void add_line(struct al_machine *machine, const struct al_line *line, size_t source)
{
    al_cells_add(&machine->cells, line->record, line->session, source);
    al_tally_add(&machine->tally, line, source);
}

/* Keeps a record until its file names a machine. */
static void hold(struct al_results *results, const struct al_line *line)
{
    results->held = al_needed(
        reallocarray(results->held, results->n_held + 1, sizeof *results->held));
    results->held[results->n_held++] = (struct al_line){
        .number = line->number,
        .record = json_incref((json_t *)line->record),
        .session = line->session != NULL ? al_needed(strdup(line->session)) : NULL};
}

static void add_held(struct al_results *results, size_t source)
{
    for (size_t h = 0; h < results->n_held; h++) {
        struct al_line *line = &results->held[h];
        add_line(results->current, line, source);
        json_decref((json_t *)line->record);
        free((char *)line->session);
    }
    results->n_held = 0;
}

/* A record that names no machine goes with the one before it in its file; the first ones go with
 * the first that does. */
static void take(void *to, const struct al_line *line, size_t source)
{
    struct al_results *results = to;
    bool simulated = al_record_is_simulated(line->record);
    json_t *environment = al_record_environment(line->record);
    const char *topology = json_string_value(json_object_get(line->record, "topology"));
    json_t *cpu = json_object_get(environment, "cpu");
    json_t *hash = simulated || topology == NULL || strcmp(topology, HERE) == 0
                       ? json_object_get(environment, "topology_hash")
                       : NULL;
    bool named = json_is_string(cpu) || json_is_string(hash);
    if (!named && results->current == NULL) {
        hold(results, line);
        json_decref(environment);
        return;
    }
    if (named)
        results->current = find_machine(results, cpu, hash);
    if (simulated && results->current->simulated == NULL)
        results->current->simulated = json_incref(json_object_get(line->record, "machine"));
    json_decref(environment);
    add_held(results, source);
    add_line(results->current, line, source);
}

static int read_one(struct al_results *results, const char *name)
{
    size_t source = results->intake.n;
    if (source == 0)
        results->sweep = al_sweep_read(name);
    results->current = NULL;
    int code = al_intake_read(&results->intake, name, take, results);
    if (results->n_held > 0) { /* no record of the file names a machine */
        results->current = new_machine(results);
        add_held(results, source);
    }
    return code;
}

static void finish(struct al_results *results)
{
    struct al_study_request request = {
        .baseline = results->baseline != NULL ? al_today("scheduler", results->baseline)
                                              : al_sweep_baseline(results->sweep),
        .order = results->order != NULL ? results->order : json_object_get(results->sweep, "axes"),
        .benchmarks = results->benchmarks,
        .schedulers = results->schedulers};
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(results->resamples, results->level, results->seed));
    for (size_t m = 0; m < results->n; m++) {
        struct al_machine *machine = results->machines[m];
        machine->cells.level = results->level;
        machine->cells.resamples = results->resamples;
        machine->cells.seed = results->seed;
        machine->cells.kind = al_sweep_interval(results->sweep);
        request.rules = al_sweep_rules(results->sweep, &machine->cells);
        al_sweep_looked(results->sweep, &machine->cells);
        al_cells_intervals(&machine->cells, bootstrap, NULL);
        al_study_make(&machine->cells, &request, &machine->study);
        al_standings_make(&machine->study, &machine->standings);
    }
    al_bootstrap_free(bootstrap);
}

int al_results_read(struct al_results *results, char *const *names, size_t n)
{
    int code = AL_EXIT_OK;
    for (size_t i = 0; i < n && code != AL_EXIT_USAGE; i++) {
        int result = read_one(results, names[i]);
        code = result > code ? result : code;
    }
    if (code != AL_EXIT_USAGE)
        finish(results);
    return code;
}

json_t *al_results_known(const struct al_results *results, bool schedulers)
{
    json_t *known = al_needed(json_object());
    for (size_t m = 0; m < results->n; m++) {
        const struct al_study *study = &results->machines[m]->study;
        if (json_object_update(known, schedulers ? study->schedulers : study->benchmarks) != 0)
            al_no_memory();
    }
    return known;
}

void al_results_release(struct al_results *results)
{
    for (size_t m = 0; m < results->n; m++) {
        struct al_machine *machine = results->machines[m];
        json_decref(machine->cpu);
        json_decref(machine->topology_hash);
        json_decref(machine->simulated);
        al_standings_release(&machine->standings);
        al_study_release(&machine->study);
        al_tally_release(&machine->tally);
        al_cells_release(&machine->cells);
        free(machine);
    }
    free(results->machines);
    free(results->held);
    al_intake_release(&results->intake);
    json_decref(results->order);
    json_decref(results->benchmarks);
    json_decref(results->schedulers);
    json_decref(results->sweep);
}
