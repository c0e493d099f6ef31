/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"

const json_t *al_key_value(const json_t *identity, const struct al_key *key)
{
    const json_t *from = key->section != NULL ? json_object_get(identity, key->section) : identity;
    return json_object_get(from, key->name);
}

int al_value_order(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return (x > y) - (x < y);
    }
    if (json_is_number(a) != json_is_number(b))
        return json_is_number(a) ? -1 : 1;
    if (json_is_string(a) && json_is_string(b))
        return strcmp(json_string_value(a), json_string_value(b));
    char *left = al_value_text(a), *right = al_value_text(b);
    int order = strcmp(left, right);
    free(left);
    free(right);
    return order;
}

static void add_key(struct al_keys *keys, const char *section, const char *name)
{
    keys->all = al_needed(reallocarray(keys->all, keys->n + 1, sizeof *keys->all));
    keys->all[keys->n++] = (struct al_key){section, name};
}

/* Every key there is: first the identity's, then parameters and options in order of appearance. */
static void add_all(const json_t *const *entries, size_t n, struct al_keys *keys)
{
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if ((al_identity_keys[k].roles & AL_LINE) != 0)
            add_key(keys, NULL, al_identity_keys[k].name);
    }
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *section = al_identity_keys[k].name, *name;
        if ((al_identity_keys[k].roles & AL_SECTION) == 0)
            continue;
        json_t *known = al_needed(json_object()), *value;
        for (size_t e = 0; e < n; e++) {
            json_object_foreach(json_object_get(entries[e], section), name, value)
            {
                if (json_object_get(known, name) == NULL) {
                    al_json_set(known, name, json_true());
                    add_key(keys, section, name);
                }
            }
        }
        json_decref(known);
    }
}

/* Moves the keys that the order names to the front, in its order; returns how many these are. */
static size_t put_in_order(struct al_keys *keys, const json_t *order)
{
    size_t front = 0;
    const char *name;
    json_t *unused;
    json_object_foreach((json_t *)order, name, unused)
    {
        for (size_t k = front; k < keys->n; k++) {
            struct al_key key = keys->all[k];
            if (strcmp(key.name, name) != 0)
                continue;
            memmove(&keys->all[front + 1], &keys->all[front], (k - front) * sizeof key);
            keys->all[front++] = key;
        }
    }
    return front;
}

/* Whether entries of one place have several values of the key. */
static bool varies(const json_t *const *entries, size_t n, size_t n_all, char *const *places,
                   const struct al_key *key)
{
    json_t *seen = al_needed(json_object());
    bool found = false;
    for (size_t e = 0; e < n_all && !found; e++) {
        const json_t *value = al_key_value(entries[e], key);
        const json_t *first = json_object_get(seen, places[e]);
        value = value != NULL ? value : json_null();
        if (e >= n && json_is_null(value)) /* what failed early does not know it */
            continue;
        found = first != NULL && !json_equal(first, value);
        if (first == NULL)
            al_json_set(seen, places[e], json_incref((json_t *)value));
    }
    json_decref(seen);
    return found;
}

static char *longer_place(const char *place, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    char *longer = al_text("%s\n%s", place, text != NULL ? text : "");
    free(text);
    return longer;
}

void al_keys_find(const json_t *const *entries, size_t n, size_t n_all, const json_t *order,
                  struct al_keys *out)
{
    *out = (struct al_keys){0};
    add_all(entries, n_all, out);
    size_t ordered = put_in_order(out, order), n_keys = out->n;
    char **places = al_needed(calloc(n_all + 1, sizeof *places));
    for (size_t e = 0; e < n_all; e++) {
        const char *benchmark = json_string_value(json_object_get(entries[e], "benchmark"));
        places[e] = longer_place(benchmark, json_object_get(entries[e], "workers"));
    }
    out->n = 0;
    for (size_t k = 0; k < n_keys; k++) {
        const struct al_key key = out->all[k];
        if (!varies(entries, n, k < ordered ? n_all : n, places, &key))
            continue;
        for (size_t e = 0; e < n_all; e++) {
            char *longer = longer_place(places[e], al_key_value(entries[e], &key));
            free(places[e]);
            places[e] = longer;
        }
        out->all[out->n++] = key;
    }
    for (size_t e = 0; e < n_all; e++)
        free(places[e]);
    free(places);
}

void al_keys_of_strategies(const struct al_keys *keys, struct al_keys *out)
{
    *out = (struct al_keys){0};
    for (size_t k = 0; k < keys->n; k++) {
        const char *section = keys->all[k].section;
        if (section == NULL || strcmp(section, "parameters") != 0)
            add_key(out, section, keys->all[k].name);
    }
}

bool al_keys_have(const struct al_keys *keys, const char *section, const char *name)
{
    for (size_t k = 0; k < keys->n; k++) {
        const struct al_key *key = &keys->all[k];
        bool within = section == NULL || key->section == NULL ? section == key->section
                                                              : strcmp(key->section, section) == 0;
        if (within && strcmp(key->name, name) == 0)
            return true;
    }
    return false;
}

void al_keys_release(struct al_keys *keys)
{
    free(keys->all);
}

/* Whether the values of a key tell the part from another that agrees with it in all keys before. */
static bool tells_apart(const struct al_parts *parts, const struct al_keys *keys,
                        const json_t *entry, size_t key)
{
    for (size_t p = 0; p < parts->n; p++) {
        size_t k = 0;
        while (k <= key && al_value_order(al_key_value(parts->firsts[p], &keys->all[k]),
                                          al_key_value(entry, &keys->all[k])) == 0)
            k++;
        if (k == key)
            return true;
    }
    return false;
}

bool al_key_is_bare(const struct al_key *key)
{
    for (size_t k = 0; key->section == NULL && k < AL_IDENTITY_KEYS; k++) {
        if (strcmp(key->name, al_identity_keys[k].name) == 0)
            return (al_identity_keys[k].roles & AL_BARE) != 0;
    }
    return false;
}

/* "inverted shards=4", "deque locked", "inverted victim=none". */
static char *label_of(const struct al_parts *parts, const struct al_keys *keys, const json_t *entry)
{
    struct al_growing label;
    FILE *out = al_growing_open(&label);
    for (size_t k = 0; k < keys->n; k++) {
        const struct al_key *key = &keys->all[k];
        char *value = al_value_text(al_key_value(entry, key));
        if (value[0] != '\0' && tells_apart(parts, keys, entry, k)) {
            fflush(out);
            /* An option may be named after its strategy: not "deque deque=locked". And "none",
             * unless there are only values of its key, does not say of what. */
            bool bare = (al_key_is_bare(key) && (keys->n == 1 || strcmp(value, "none") != 0)) ||
                        strcmp(label.text, key->name) == 0;
            fprintf(out, "%s%s%s%s", label.length > 0 ? " " : "", bare ? "" : key->name,
                    bare ? "" : "=", value);
        }
        free(value);
    }
    char *text = al_growing_close(&label);
    if (label.length > 0)
        return text;
    free(text);
    return al_value_text(json_object_get(entry, "scheduler"));
}

void al_parts_make(const json_t *const *entries, size_t n, size_t n_all, const struct al_keys *keys,
                   struct al_parts *out)
{
    json_t *known = al_needed(json_object());
    *out = (struct al_parts){.of = al_needed(calloc(n_all + 1, sizeof *out->of)),
                             .firsts = al_needed(calloc(n + 1, sizeof *out->firsts))};
    for (size_t e = 0; e < n_all; e++) {
        char *text = al_text("%s", "");
        for (size_t k = 0; k < keys->n; k++) {
            char *longer = longer_place(text, al_key_value(entries[e], &keys->all[k]));
            free(text);
            text = longer;
        }
        const json_t *part = json_object_get(known, text);
        out->of[e] = part != NULL ? (size_t)json_integer_value(part) : e < n ? out->n : AL_NO_PART;
        if (part == NULL && e < n) {
            al_json_set(known, text, json_integer((json_int_t)out->n));
            out->firsts[out->n++] = entries[e];
        }
        free(text);
    }
    json_decref(known);
    out->labels = al_needed(calloc(out->n + 1, sizeof *out->labels));
    for (size_t p = 0; p < out->n; p++)
        out->labels[p] = label_of(out, keys, out->firsts[p]);
}

void al_parts_release(struct al_parts *parts)
{
    for (size_t p = 0; p < parts->n; p++)
        free(parts->labels[p]);
    free(parts->labels);
    free(parts->firsts);
    free(parts->of);
}
