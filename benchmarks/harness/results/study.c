/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/study.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/matching.h"
#include "benchmarks/harness/results/cells.h"

static const char *text_of(const struct al_cell *cell, const char *key)
{
    return json_string_value(json_object_get(cell->identity, key));
}

/* Notes what there is, and leaves out all other benchmarks than these. */
static bool is_wanted(const struct al_cell *cell, const struct al_study_request *request)
{
    const char *benchmark = text_of(cell, "benchmark"), *scheduler = text_of(cell, "scheduler");
    return (request->benchmarks == NULL ||
            json_object_get(request->benchmarks, benchmark) != NULL) &&
           (request->schedulers == NULL || json_object_get(request->schedulers, scheduler) != NULL);
}

static void keep_wanted(struct al_study *out, const struct al_study_request *request)
{
    size_t n = 0, n_failed = 0;
    out->benchmarks = al_needed(json_object());
    out->schedulers = al_needed(json_object());
    for (size_t i = 0; i < out->n; i++) {
        al_json_set(out->benchmarks, text_of(out->cells[i], "benchmark"), json_true());
        al_json_set(out->schedulers, text_of(out->cells[i], "scheduler"), json_true());
        if (is_wanted(out->cells[i], request))
            out->cells[n++] = out->cells[i];
    }
    for (size_t i = 0; i < out->n_failed; i++) {
        if (is_wanted(out->failed[i], request))
            out->failed[n_failed++] = out->failed[i];
    }
    out->n = n;
    out->n_failed = n_failed;
}

static void sort_cells(struct al_summary *summary, const struct al_study_request *request,
                       struct al_study *out)
{
    out->cells = al_needed(calloc(summary->count + 1, sizeof(struct al_cell *)));
    out->failed = al_needed(calloc(summary->count + 1, sizeof(struct al_cell *)));
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        bool failed = json_object_size(cell->failed) > 0 ||
                      (cell->twin != NULL && json_object_size(cell->twin->failed) > 0);
        if (cell->n > 0)
            out->cells[out->n++] = cell;
        if (failed)
            out->failed[out->n_failed++] = cell;
    }
    al_cells_sort(out->cells, out->n, request->order);
    keep_wanted(out, request);
    al_cells_sort(out->failed, out->n_failed, request->order);
    out->first = summary->cells;
    out->places = al_needed(calloc(summary->count + 1, sizeof *out->places));
    for (size_t i = 0; i < out->n; i++)
        out->places[out->cells[i] - out->first] = i;
}

size_t al_study_place(const struct al_study *study, const struct al_cell *cell)
{
    return study->places[cell - study->first];
}

bool al_study_wins(const struct al_study *study, const struct al_cell *cell)
{
    size_t place = al_study_place(study, cell), g = 0, fastest = 0;
    bool first = false;
    while (g < study->n_groups && !first)
        first = study->members[study->groups[g++]] == place;
    if (!first || study->groups[g] - study->groups[g - 1] < 2)
        return false;
    for (size_t m = study->groups[g - 1]; m < study->groups[g]; m++)
        fastest += study->fastest[study->members[m]];
    return fastest == 1;
}

/* What differs, and the lines and strategies that it makes. */
static void name_parts(const struct al_study_request *request, struct al_study *out)
{
    size_t n = out->n + out->n_failed;
    const json_t **entries = al_needed(calloc(n + 1, sizeof *entries));
    for (size_t i = 0; i < n; i++)
        entries[i] = (i < out->n ? out->cells[i] : out->failed[i - out->n])->identity;
    al_keys_find(entries, out->n, n, request->order, &out->keys);
    al_keys_of_strategies(&out->keys, &out->strategy_keys);
    al_parts_make(entries, out->n, n, &out->keys, &out->lines);
    al_parts_make(entries, out->n, n, &out->strategy_keys, &out->strategies);
    free(entries);
}

/* A cell and what it is sorted by. */
struct member {
    double median;
    size_t group, place;
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->median != b->median)
        return a->median < b->median ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void find_groups(struct al_study *out)
{
    struct member *members = al_needed(calloc(out->n + 1, sizeof *members));
    json_t *known = al_needed(json_object());
    for (size_t i = 0; i < out->n; i++) {
        char *text = al_identity_text(out->cells[i]->identity, AL_WORK);
        if (json_object_get(known, text) == NULL)
            al_json_set(known, text, json_integer((json_int_t)out->n_groups++));
        members[i] = (struct member){out->cells[i]->intervals[PER_MESSAGE].median,
                                     (size_t)json_integer_value(json_object_get(known, text)), i};
        free(text);
    }
    json_decref(known);
    qsort(members, out->n, sizeof *members, compare_members);
    out->members = al_needed(calloc(out->n + 1, sizeof *out->members));
    out->groups = al_needed(calloc(out->n_groups + 1, sizeof *out->groups));
    out->base = al_needed(calloc(out->n_groups + 1, sizeof *out->base));
    for (size_t i = 0; i < out->n; i++) {
        out->members[i] = members[i].place;
        out->groups[members[i].group + 1] = i + 1;
    }
    free(members);
    for (size_t g = 0; g < out->n_groups; g++) {
        out->base[g] = SIZE_MAX;
        for (size_t m = out->groups[g]; m < out->groups[g + 1]; m++) {
            size_t place = out->members[m];
            if (strcmp(text_of(out->cells[place], "scheduler"), out->baseline) == 0 &&
                place < out->base[g])
                out->base[g] = place;
        }
    }
}

static char *line_of(const struct al_study *study, size_t place)
{
    return al_text("%zu %s", study->lines.of[place], text_of(study->cells[place], "benchmark"));
}

static void put_value(FILE *out, const json_t *value)
{
    char *word = al_value_text(value);
    fprintf(out, "\n%s", word);
    free(word);
}

/* What cells have in common that do the same kind of work, with whatever number of workers. */
static char *kind_of_work(const struct al_study *study, size_t place)
{
    const json_t *identity = study->cells[place]->identity;
    struct al_growing kind;
    FILE *out = al_growing_open(&kind);
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const struct al_identity_key *key = &al_identity_keys[k];
        bool counts = (key->roles & AL_WORK) != 0 && (key->roles & AL_SECTION) == 0;
        if (counts && strcmp(key->name, "workers") != 0)
            put_value(out, json_object_get(identity, key->name));
    }
    for (size_t k = 0; k < study->keys.n; k++) {
        const struct al_key *key = &study->keys.all[k];
        if (key->section != NULL && strcmp(key->section, "parameters") == 0)
            put_value(out, al_key_value(identity, key));
    }
    return al_growing_close(&kind);
}

static double median_of(const struct al_study *study, size_t place)
{
    return study->cells[place]->intervals[PER_MESSAGE].median;
}

/*
 * Pairs of each cell with the one with one worker that has the same key; returns how many. Of
 * several such cells the fastest counts, or none.
 */
static size_t pair_with_one_worker(const struct al_study *study,
                                   char *(*key_of)(const struct al_study *study, size_t place),
                                   bool fastest, struct al_pair *pairs)
{
    json_t *alone = al_needed(json_object());
    size_t n = 0;
    for (size_t i = 0; i < study->n; i++) {
        if (json_integer_value(json_object_get(study->cells[i]->identity, "workers")) != 1)
            continue;
        char *key = key_of(study, i);
        const json_t *known = json_object_get(alone, key);
        if (known == NULL ||
            (fastest && median_of(study, i) < median_of(study, (size_t)json_integer_value(known))))
            al_json_set(alone, key, json_integer((json_int_t)i));
        else if (!fastest)
            al_json_set(alone, key, json_null());
        free(key);
    }
    for (size_t i = 0; i < study->n; i++) {
        char *key = key_of(study, i);
        const json_t *place = json_object_get(alone, key);
        if (json_is_integer(place) && (size_t)json_integer_value(place) != i)
            pairs[n++] = (struct al_pair){study->cells[i], study->cells[json_integer_value(place)]};
        free(key);
    }
    json_decref(alone);
    return n;
}

/* The first program of a sweep that compares several, by the order of its axis; NULL without.
 * Peers are programs of their own. */
static const char *first_binary(const struct al_study *study, const json_t *order)
{
    const char *named = json_string_value(json_array_get(json_object_get(order, "binary"), 0));
    const char *first = NULL;
    bool several = false, there = false;
    for (size_t i = 0; i < study->n; i++) {
        const char *binary = text_of(study->cells[i], "binary");
        if (binary == NULL)
            continue;
        first = first != NULL ? first : binary;
        several |= strcmp(first, binary) != 0;
        there |= named != NULL && strcmp(named, binary) == 0;
    }
    return !several ? NULL : there ? named : first;
}

/* Each cell with the same one of the first program. */
static size_t pair_with_first_binary(const struct al_study *study, const struct al_summary *summary,
                                     struct al_pair *pairs)
{
    const struct al_setting against = {"binary", study->first_binary};
    struct al_match *matches = al_needed(calloc(summary->count + 1, sizeof *matches));
    size_t n = 0;
    al_match_within(summary, &against, 1, matches);
    for (size_t i = 0; i < study->n; i++) {
        const struct al_cell *base = matches[study->cells[i] - study->first].base;
        if (base != NULL && base->n > 0)
            pairs[n++] = (struct al_pair){study->cells[i], base};
    }
    free(matches);
    return n;
}

static size_t pair_with_baseline(const struct al_study *study, struct al_pair *pairs)
{
    size_t n = 0;
    for (size_t g = 0; g < study->n_groups; g++) {
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++) {
            size_t place = study->members[m], base = study->base[g];
            if (base != SIZE_MAX && place != base)
                pairs[n++] = (struct al_pair){study->cells[place], study->cells[base]};
        }
    }
    return n;
}

static void compare_all(const struct al_summary *summary, const struct al_study_request *request,
                        struct al_study *out)
{
    struct al_comparisons family = {.rules = request->rules};
    struct al_pair *pairs = al_needed(calloc(out->n + 1, sizeof *pairs));
    out->first_binary = first_binary(out, request->order);
    out->to_baseline = out->to_one_worker = out->to_best_one_worker = family;
    al_study_rank(out, &request->rules);
    size_t n = out->first_binary != NULL ? pair_with_first_binary(out, summary, pairs)
                                         : pair_with_baseline(out, pairs);
    al_compare_pairs(&out->to_baseline, pairs, n);
    n = pair_with_one_worker(out, line_of, false, pairs);
    al_compare_pairs(&out->to_one_worker, pairs, n);
    n = pair_with_one_worker(out, kind_of_work, true, pairs);
    al_compare_pairs(&out->to_best_one_worker, pairs, n);
    free(pairs);
}

/* Of a line with a number of workers, whatever the workload. */
static char *line_and_workers(const struct al_comparison *comparison, const void *data)
{
    const struct al_study *study = data;
    return al_text("%zu %" JSON_INTEGER_FORMAT,
                   study->lines.of[al_study_place(study, comparison->cell)],
                   json_integer_value(json_object_get(comparison->cell->identity, "workers")));
}

void al_study_make(struct al_summary *summary, const struct al_study_request *request,
                   struct al_study *out)
{
    *out = (struct al_study){.baseline = request->baseline};
    al_twins_make(summary, &out->twins);
    al_strata_make(summary, &out->strata);
    sort_cells(summary, request, out);
    if (out->baseline == NULL && out->n > 0)
        out->baseline = text_of(out->cells[0], "scheduler");
    name_parts(request, out);
    find_groups(out);
    compare_all(summary, request, out);
    al_averages_make(&out->to_baseline, line_and_workers, out, summary, &out->averages);
}

void al_study_release(struct al_study *study)
{
    al_averages_release(&study->averages);
    al_comparisons_release(&study->to_baseline);
    al_comparisons_release(&study->to_fastest);
    al_comparisons_release(&study->to_one_worker);
    al_comparisons_release(&study->to_best_one_worker);
    al_strata_release(&study->strata);
    free(study->fastest);
    al_parts_release(&study->lines);
    al_parts_release(&study->strategies);
    al_keys_release(&study->keys);
    al_keys_release(&study->strategy_keys);
    json_decref(study->benchmarks);
    json_decref(study->schedulers);
    free(study->places);
    free(study->cells);
    free(study->failed);
    free(study->members);
    free(study->groups);
    free(study->base);
}
