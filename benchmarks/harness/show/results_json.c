/* SPDX-License-Identifier: MIT */

/* What `actorlab results --json` prints. */

#include "benchmarks/harness/show/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/headline.h"
#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/pairs.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/show/json.h"
#include "benchmarks/harness/text/json.h"

static json_t *integer(size_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *keys_json(const struct al_keys *keys, bool bare)
{
    json_t *list = al_needed(json_array());
    for (size_t k = 0; k < keys->n; k++) {
        if (!bare || al_key_is_bare(&keys->all[k]))
            al_json_append(list, json_string(keys->all[k].name));
    }
    return list;
}

/* The keys of an object. */
static json_t *names_json(const json_t *object)
{
    json_t *list = al_needed(json_array()), *unused;
    const char *name;
    json_object_foreach((json_t *)object, name, unused) al_json_append(list, json_string(name));
    return list;
}

static json_t *values_json(const struct al_keys *keys, const json_t *identity)
{
    json_t *list = al_needed(json_array());
    for (size_t k = 0; k < keys->n; k++)
        al_json_append(list, al_json_or_null(al_key_value(identity, &keys->all[k])));
    return list;
}

/* The parameters that all cells of its benchmark share. */
static json_t *shared_json(const struct al_keys *keys, const json_t *identity)
{
    json_t *shared = al_needed(json_object()), *value;
    const char *key;
    json_object_foreach(json_object_get(identity, "parameters"), key, value)
    {
        if (!al_keys_have(keys, "parameters", key))
            al_json_set(shared, key, json_incref(value));
    }
    return shared;
}

/* Leaves out each parameter of which another cell has another value: one that grows with the
 * workers. */
static void drop_varying(json_t *shared, const json_t *others)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(shared, next, key, value)
    {
        if (!json_equal(value, json_object_get(others, key)))
            json_object_del(shared, key);
    }
}

/* Replaces each value that another cell has not by a list, which no value is. */
static void mark_varying(json_t *values, const json_t *others)
{
    size_t k;
    const json_t *other;
    json_array_foreach(others, k, other)
    {
        const json_t *known = json_array_get(values, k);
        if (!json_is_array(known) && !json_equal(known, other) &&
            json_array_set_new(values, k, json_array()) != 0)
            al_no_memory();
    }
}

static json_t *marked_json(const struct al_keys *keys, const json_t *values)
{
    json_t *list = al_needed(json_array());
    for (size_t k = 0; k < keys->n; k++) {
        if (json_is_array(json_array_get(values, k)))
            al_json_append(list, json_string(keys->all[k].name));
    }
    return list;
}

/* Of each benchmark the keys that vary in it, and the parameters that all of its cells share. */
static json_t *benchmarks_json(const struct al_study *study)
{
    json_t *all = al_needed(json_object()), *list = al_needed(json_array()), *row;
    for (size_t c = 0; c < study->n; c++) {
        const json_t *identity = study->cells[c]->identity;
        const char *name = json_string_value(json_object_get(identity, "benchmark"));
        json_t *values = values_json(&study->keys, identity);
        row = json_object_get(all, name);
        if (row != NULL) {
            mark_varying(json_object_get(row, "keys"), values);
            drop_varying(json_object_get(row, "parameters"),
                         json_object_get(identity, "parameters"));
            json_decref(values);
            continue;
        }
        row = json_pack("{s:s, s:o, s:o}", "benchmark", name, "parameters",
                        shared_json(&study->keys, identity), "keys", values);
        al_json_set(all, name, row);
        al_json_append(list, json_incref(row));
    }
    size_t b;
    json_array_foreach(list, b, row)
        al_json_set(row, "keys", marked_json(&study->keys, json_object_get(row, "keys")));
    json_decref(all);
    return list;
}

static json_t *lines_json(const struct al_study *study)
{
    json_t *list = al_needed(json_array());
    for (size_t l = 0; l < study->lines.n; l++)
        al_json_append(list,
                       json_pack("{s:s, s:O, s:o}", "label", study->lines.labels[l], "scheduler",
                                 json_object_get(study->lines.firsts[l], "scheduler"), "values",
                                 values_json(&study->keys, study->lines.firsts[l])));
    return list;
}

static json_t *strategies_json(const struct al_study *study)
{
    json_t *list = al_needed(json_array());
    for (size_t s = 0; s < study->strategies.n; s++)
        al_json_append(list, json_string(study->strategies.labels[s]));
    return list;
}

static json_t *place_or_null(size_t place)
{
    return place < SIZE_MAX ? integer(place) : json_null();
}

static json_t *cells_json(const struct al_machine *machine, struct al_bootstrap *bootstrap)
{
    const struct al_study *study = &machine->study;
    json_t *list = al_needed(json_array());
    for (size_t c = 0; c < study->n; c++) {
        json_t *row = al_cell_json(study->cells[c], &machine->cells, bootstrap);
        al_cell_json_more(row, study->cells[c], machine->cells.kind, bootstrap);
        char *workload = al_workload_text(&study->keys, study->cells[c]->identity);
        al_json_set(row, "workload", json_string(workload));
        free(workload);
        al_json_set(row, "line", integer(study->lines.of[c]));
        al_json_set(row, "strategy", integer(study->strategies.of[c]));
        al_json_set(row, "values", values_json(&study->keys, study->cells[c]->identity));
        al_json_append(list, row);
    }
    return list;
}

static json_t *failed_json(const struct al_study *study)
{
    json_t *list = al_needed(json_array()), *row;
    for (size_t f = 0; f < study->n_failed; f++) {
        size_t from = json_array_size(list), r;
        al_cell_failed_json(list, study->failed[f]);
        for (r = from; r < json_array_size(list); r++) {
            row = json_array_get(list, r);
            al_json_set(row, "line", place_or_null(study->lines.of[study->n + f]));
            al_json_set(row, "values", values_json(&study->keys, study->failed[f]->identity));
        }
    }
    return list;
}

/* The ratios of the pairs that a comparison is of, in the order of their blocks. */
static json_t *pair_ratios(const struct al_comparison *comparison)
{
    double *above, *below;
    size_t n = al_cells_pairs(comparison->cell, comparison->base, &above, &below);
    for (size_t i = 0; i < n; i++)
        above[i] /= below[i];
    json_t *list = al_json_reals(above, n);
    free(above);
    free(below);
    return list;
}

static json_t *comparisons_json(const struct al_study *study,
                                const struct al_comparisons *comparisons)
{
    json_t *family = al_family_json(&comparisons->family), *list = al_needed(json_array());
    for (size_t c = 0; c < comparisons->n; c++) {
        const struct al_comparison *one = &comparisons->all[c];
        json_t *row = al_needed(json_pack("{s:o, s:o}", "cell",
                                          integer(al_study_place(study, one->cell)), "base",
                                          integer(al_study_place(study, one->base))));
        al_comparison_json(row, one);
        al_json_set(row, "ratios", one->ratio.paired ? pair_ratios(one) : json_array());
        al_json_append(list, row);
    }
    al_json_set(family, "pairs", list);
    return family;
}

static json_t *averages_json(const struct al_study *study)
{
    json_t *list = al_needed(json_array());
    for (size_t a = 0; a < study->averages.n; a++) {
        const struct al_average *average = &study->averages.all[a];
        const struct al_cell *cell = study->to_baseline.all[average->first].cell;
        if (average->n < 2)
            continue;
        al_json_append(list, json_pack("{s:o, s:O, s:o}", "line",
                                       integer(study->lines.of[al_study_place(study, cell)]),
                                       "workers", json_object_get(cell->identity, "workers"),
                                       "ratio", al_json_interval(&average->interval)));
    }
    return list;
}

/* Which counters set the first of a group and the next apart. */
static json_t *reasons_json(const struct al_study *study, const struct al_standing *standing)
{
    char *text = al_standing_reasons(study, standing, 3);
    json_t *json = text != NULL ? json_string(text) : json_null();
    free(text);
    return json;
}

static json_t *groups_json(const struct al_machine *machine)
{
    const struct al_study *study = &machine->study;
    json_t *list = al_needed(json_array());
    for (size_t g = 0; g < study->n_groups; g++) {
        json_t *cells = al_needed(json_array()), *fastest = al_needed(json_array());
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++) {
            al_json_append(cells, integer(study->members[m]));
            if (study->fastest[study->members[m]])
                al_json_append(fastest, integer(study->members[m]));
        }
        const struct al_standing *standing = &machine->standings.all[g];
        al_json_append(list, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "cells", cells,
                                       "baseline", place_or_null(study->base[g]), "fastest",
                                       fastest, "lead", al_lead_names[standing->lead], "leaders",
                                       al_standing_names(study, &machine->standings, g), "next",
                                       place_or_null(standing->next), "counters",
                                       reasons_json(study, standing)));
    }
    return list;
}

/* The strata of hand-off times. */
static json_t *quiet_json(const struct al_strata *strata)
{
    json_t *list = al_needed(json_array());
    for (size_t s = 0; s < strata->n; s++) {
        const struct al_stratum *one = &strata->all[s];
        al_json_append(list,
                       json_pack("{s:O, s:O, s:f, s:f, s:f, s:I, s:I}", "workers", one->workers,
                                 "pin", one->pin, "median_ns", one->median, "lower_quartile_ns",
                                 one->lower_quartile, "limit_ns", one->limit, "trials",
                                 (json_int_t)one->trials, "quiet", (json_int_t)one->quiet));
    }
    return list;
}

/* The A/A cells, each with its place, or null if --benchmark leaves it out. */
static json_t *aa_json(const struct al_machine *machine)
{
    json_t *list = al_cells_aa_json(&machine->cells), *row;
    size_t r, c = 0;
    json_array_foreach(list, r, row)
    {
        for (c = 0; c < machine->study.n; c++) {
            if (al_identity_agrees(row, machine->study.cells[c]->identity, ~0U))
                break;
        }
        al_json_set(row, "cell", c < machine->study.n ? integer(c) : json_null());
    }
    return list;
}

static json_t *machine_json(struct al_machine *machine, const json_t *sweep,
                            struct al_bootstrap *bootstrap)
{
    const struct al_study *study = &machine->study;
    json_t *out = al_needed(json_pack(
        "{s:{s:O?, s:O?, s:O?}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "machine", "cpu", machine->cpu,
        "topology_hash", machine->topology_hash, "simulated", machine->simulated, "benchmarks",
        benchmarks_json(study), "keys", keys_json(&study->keys, false), "strategy_keys",
        keys_json(&study->strategy_keys, false), "lines", lines_json(study), "strategies",
        strategies_json(study), "cells", cells_json(machine, bootstrap), "failed",
        failed_json(study)));
    al_json_set(out, "bare_keys", keys_json(&study->keys, true));
    al_json_set(out, "known",
                json_pack("{s:o, s:o}", "benchmarks", names_json(study->benchmarks), "schedulers",
                          names_json(study->schedulers)));
    al_json_set(out, "groups", groups_json(machine));
    char *headline = al_headline(machine);
    al_json_set(out, "headline", json_string(headline));
    free(headline);
    al_json_set(out, "baseline",
                study->baseline != NULL ? json_string(study->baseline) : json_null());
    al_json_set(out, "first_binary",
                study->first_binary != NULL ? json_string(study->first_binary) : json_null());
    al_json_set(out, "comparisons",
                json_pack("{s:o, s:o, s:o, s:o}", "baseline",
                          comparisons_json(study, &study->to_baseline), "fastest",
                          comparisons_json(study, &study->to_fastest), "one_worker",
                          comparisons_json(study, &study->to_one_worker), "best_one_worker",
                          comparisons_json(study, &study->to_best_one_worker)));
    al_json_set(out, "averages", averages_json(study));
    char *few = al_few_seeds(study);
    al_json_set(out, "few_seeds", json_string(few));
    free(few);
    char *sources = al_sources_of(study->cells, study->n);
    al_json_set(out, "allocation", json_string(sources));
    free(sources);
    al_json_set(out, "aa", aa_json(machine));
    al_json_set(out, "twins", al_twins_json(&study->twins));
    al_json_set(out, "margin_percent", json_real(study->to_baseline.rules.margin_percent));
    al_json_set(out, "looks", al_sweep_looks_json(sweep, &machine->cells));
    al_json_set(out, "quiet", quiet_json(&study->strata));
    al_tally_json(&machine->tally, out);
    return out;
}

json_t *al_results_json(struct al_results *results)
{
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(results->resamples, results->level, results->seed));
    json_t *machines = al_needed(json_array());
    for (size_t m = 0; m < results->n; m++)
        al_json_append(machines, machine_json(results->machines[m], results->sweep, bootstrap));
    al_bootstrap_free(bootstrap);
    return al_needed(json_pack(
        "{s:i, s:f, s:I, s:I, s:s, s:o, s:O?, s:O, s:o}", "version", 3, "level", results->level,
        "resamples", (json_int_t)results->resamples, "seed", (json_int_t)results->seed, "interval",
        al_sweep_interval(results->sweep) == AL_PERCENTILE ? "percentile" : "order",
        "asked_baseline", results->baseline != NULL ? json_string(results->baseline) : json_null(),
        "sweep", results->sweep, "sources", results->intake.sources, "machines", machines));
}
