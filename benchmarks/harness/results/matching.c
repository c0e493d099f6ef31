/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/matching.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/pairs.h"

static bool listed(const char *key, const struct al_setting *against, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(against[i].key, key) == 0)
            return true;
    }
    return false;
}

/* What need not agree between two programs: their names and hashes, and what their defaults bring,
 * but not where workers are. */
static bool follows_from_binary(const struct al_identity_key *key)
{
    return strcmp(key->name, "binary") == 0 || strcmp(key->name, "binary_hash") == 0 ||
           ((key->roles & AL_BROUGHT) != 0 && (key->roles & (AL_PLACED | AL_WORK)) == 0);
}

/* What need not agree between engines, or simulated machines, beside themselves. */
static bool follows_from_engine(const char *key, bool engines)
{
    static const char *const machines[] = {"topology", "topology_hash"};
    static const char *const more[] = {"machine", "binary_hash"};
    bool follows = false;
    for (size_t i = 0; i < 2; i++)
        follows |= strcmp(key, machines[i]) == 0 || (engines && strcmp(key, more[i]) == 0);
    return follows;
}

/* What must agree, as text; options are looked at one by one, and so are parameters of two
 * programs. */
static char *strict_key(const struct al_cell *cell, const struct al_setting *against, size_t n,
                        unsigned loose)
{
    json_t *strict = al_needed(json_copy(cell->identity));
    json_t *parameters = al_needed(json_copy(json_object_get(strict, "parameters")));
    bool programs = listed("binary", against, n), engines = listed("engine", against, n);
    bool machines = engines || listed("machine", against, n);
    for (size_t i = 0; i < n; i++) {
        json_object_del(strict, against[i].key);
        json_object_del(parameters, against[i].key);
    }
    if (programs && json_object_clear(parameters) != 0)
        al_no_memory();
    al_json_set(strict, "parameters", parameters);
    json_object_del(strict, "options");
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const struct al_identity_key *key = &al_identity_keys[k];
        if ((key->roles & loose) != 0 || (programs && follows_from_binary(key)) ||
            (machines && follows_from_engine(key->name, engines)))
            json_object_del(strict, key->name);
    }
    char *text = al_needed(json_dumps(strict, JSON_SORT_KEYS | JSON_COMPACT));
    json_decref(strict);
    return text;
}

static char **strict_keys(const struct al_summary *summary, const struct al_setting *against,
                          size_t n, unsigned loose)
{
    char **keys = al_needed(calloc(summary->count + 1, sizeof *keys));
    for (size_t c = 0; c < summary->count; c++)
        keys[c] = strict_key(&summary->cells[c], against, n, loose);
    return keys;
}

static void free_keys(char **keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(keys[i]);
    free(keys);
}

static bool meets(const struct al_cell *cell, const struct al_setting *against, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n && all; i++) {
        char *value = al_label_text(al_cell_value(cell, against[i].key));
        all = strcmp(value, against[i].value) == 0;
        free(value);
    }
    return all;
}

/* Whether the parameters that both have, but for those compared, are the same. */
static bool same_parameters(const struct al_cell *a, const struct al_cell *b,
                            const struct al_setting *against, size_t n)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(a->identity, "parameters"), name, value)
    {
        const json_t *other = json_object_get(json_object_get(b->identity, "parameters"), name);
        if (other != NULL && !json_equal(value, other) && !listed(name, against, n))
            return false;
    }
    return true;
}

/* The candidates so far: the best of them, and how many are as good. */
struct choice {
    const struct al_cell *best;
    size_t fewest, ties;
};

static void consider(struct choice *choice, const struct al_cell *candidate, size_t differ)
{
    if (differ > choice->fewest)
        return;
    choice->ties = differ == choice->fewest ? choice->ties + 1 : 1;
    choice->fewest = differ;
    choice->best = candidate;
}

static struct al_match chosen(const struct choice *choice)
{
    return (struct al_match){.base = choice->ties == 1 ? choice->best : NULL,
                             .several = choice->ties > 1};
}

void al_match_files(const struct al_summary *newer, const struct al_summary *older,
                    struct al_match *out, bool *met)
{
    char **keys = strict_keys(newer, NULL, 0, AL_BUILD);
    char **old_keys = strict_keys(older, NULL, 0, AL_BUILD);
    for (size_t c = 0; c < newer->count; c++) {
        struct choice choice = {.fewest = SIZE_MAX};
        for (size_t o = 0; o < older->count; o++) {
            size_t shared, differ;
            if (strcmp(keys[c], old_keys[o]) != 0)
                continue;
            differ = al_cells_options(&newer->cells[c], &older->cells[o], &shared);
            if (shared > 0)
                continue;
            met[o] |= differ <= choice.fewest;
            consider(&choice, &older->cells[o], differ);
        }
        out[c] = chosen(&choice);
    }
    free_keys(keys, newer->count);
    free_keys(old_keys, older->count);
}

void al_match_within(const struct al_summary *summary, const struct al_setting *against,
                     size_t n_against, struct al_match *out)
{
    size_t *bases = al_needed(calloc(summary->count + 1, sizeof *bases)), n_bases = 0;
    char **keys = strict_keys(summary, against, n_against,
                              listed("scheduler", against, n_against) ? AL_BROUGHT : 0);
    for (size_t c = 0; c < summary->count; c++) {
        if (meets(&summary->cells[c], against, n_against))
            bases[n_bases++] = c;
    }
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        struct choice choice = {.fewest = SIZE_MAX};
        out[c] = (struct al_match){.is_base = true};
        if (meets(cell, against, 1))
            continue;
        for (size_t b = 0; b < n_bases; b++) {
            const struct al_cell *candidate = &summary->cells[bases[b]];
            if (strcmp(keys[c], keys[bases[b]]) == 0 &&
                same_parameters(cell, candidate, against, n_against))
                consider(&choice, candidate, al_cells_difference(cell, candidate));
        }
        out[c] = chosen(&choice);
    }
    free(bases);
    free_keys(keys, summary->count);
}
