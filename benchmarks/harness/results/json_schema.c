/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/schema.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"
#include "benchmarks/workloads/benchmark.h"

/*
 * The rules of al_schema in the language of JSON Schema, draft 2020-12. What is required of a
 * record with the outcome ok alone, or of version 2 alone, is in the `then` of a condition.
 */

#define DRAFT "https://json-schema.org/draft/2020-12/schema"

/* The object behind this key, which is made if there is none. */
static json_t *at(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (found == NULL) {
        found = al_needed(json_object());
        al_json_set(object, key, found);
    }
    return found;
}

static void append_once(json_t *object, const char *key, const char *text)
{
    json_t *list = json_object_get(object, key), *item;
    size_t i;
    if (list == NULL) {
        list = al_needed(json_array());
        al_json_set(object, key, list);
    }
    json_array_foreach(list, i, item) if (strcmp(json_string_value(item), text) == 0) return;
    al_json_append(list, json_string(text));
}

static bool is_list(const json_t *node)
{
    json_t *types = json_object_get(node, "type"), *type;
    size_t i;
    bool list = false;
    json_array_foreach(types, i, type) list |= strcmp(json_string_value(type), "array") == 0;
    return list;
}

/* The schema of what the first n parts of a path lead to. */
static json_t *node_at(json_t *root, const char *const *path, size_t n)
{
    json_t *node = root;
    for (size_t i = 0; i < n; i++) {
        const char *part = path[i];
        if (isdigit((unsigned char)part[0])) {
            json_t *items = json_object_get(node, "prefixItems");
            if (items == NULL)
                al_json_set(node, "prefixItems", items = al_needed(json_array()));
            while (json_array_size(items) <= (size_t)(part[0] - '0'))
                al_json_append(items, json_object());
            node = json_array_get(items, (size_t)(part[0] - '0'));
        } else if (part[0] == '*') {
            node = at(node, is_list(node) ? "items" : "additionalProperties");
        } else {
            node = at(at(node, "properties"), part);
        }
    }
    return node;
}

static void add_types(json_t *node, unsigned kinds)
{
    static const struct {
        unsigned kinds;
        const char *type;
    } types[] = {{AL_IS_TEXT | AL_IS_HEX | AL_IS_OUTCOME | AL_IS_PLACED, "string"},
                 {AL_IS_REAL, "number"},
                 {AL_IS_INTEGER, "integer"},
                 {AL_IS_BOOLEAN, "boolean"},
                 {AL_IS_OBJECT, "object"},
                 {AL_IS_LIST | AL_IS_PAIR, "array"},
                 {AL_IS_NIL, "null"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool number = (kinds & AL_IS_REAL) != 0 && types[i].kinds == AL_IS_INTEGER;
        if ((kinds & types[i].kinds) != 0 && !number)
            append_once(node, "type", types[i].type);
    }
}

static void add_words(json_t *node, const char *const *words, bool or_null)
{
    json_t *list = al_needed(json_array());
    for (; *words != NULL; words++)
        al_json_append(list, json_string(*words));
    if (or_null)
        al_json_append(list, json_null());
    al_json_set(node, "enum", list);
}

static void add_length(json_t *node, double least, double most)
{
    al_json_set(node, "minItems", al_json_whole(least));
    al_json_set(node, "maxItems", al_json_whole(most));
}

/* What a value must be that is there. */
static void add_rule(json_t *node, const struct al_rule *rule, unsigned kinds, bool ranged)
{
    add_types(node, kinds);
    al_json_set(node, "description", json_string(rule->problem));
    if ((kinds & AL_IS_HEX) != 0) {
        char pattern[32];
        snprintf(pattern, sizeof pattern, "^[0-9a-f]{%d}$", (int)rule->high);
        al_json_set(node, "pattern", json_string(pattern));
    } else if ((kinds & AL_IS_PAIR) != 0) {
        add_length(node, 2, 2);
    } else if (ranged && rule->low != rule->high) {
        if ((kinds & AL_IS_LIST) != 0)
            add_length(node, rule->low, rule->high);
        if ((kinds & AL_IS_NUMBER) != 0) {
            al_json_set(node, "minimum", al_json_whole(rule->low));
            al_json_set(node, "maximum", al_json_whole(rule->high));
        }
    }
    if ((kinds & AL_IS_OUTCOME) != 0)
        add_words(node, al_outcomes, false);
    if ((kinds & AL_IS_PLACED) != 0)
        add_words(node, al_placed_names + AL_PLACED_VERIFIED, (kinds & AL_IS_NIL) != 0);
}

/* {"if": {"properties": {KEY: WHAT}}, "then": {}}; returns the latter. */
static json_t *add_condition(json_t *root, const char *key, json_t *what)
{
    json_t *list = json_object_get(root, "allOf"), *then = al_needed(json_object());
    if (list == NULL)
        al_json_set(root, "allOf", list = al_needed(json_array()));
    al_json_append(list, al_needed(json_pack("{s:{s:{s:o}, s:[s]}, s:o}", "if", "properties", key,
                                             what, "required", key, "then", then)));
    return then;
}

json_t *al_json_schema(void)
{
    json_t *root = al_needed(json_pack(
        "{s:s, s:s, s:[s], s:{s:{s:s, s:i, s:i}}, s:[s]}", "$schema", DRAFT, "title",
        "A record of actorlab", "type", "object", "properties", "schema_version", "type", "integer",
        "minimum", AL_SCHEMA_OLDEST, "maximum", AL_SCHEMA_VERSION, "required", "schema_version"));
    json_t *ok = add_condition(root, "outcome", json_pack("{s:s}", "const", al_outcomes[0]));
    json_t *later = add_condition(root, "schema_version", json_pack("{s:i}", "minimum", 2));
    for (const struct al_rule *rule = al_schema; rule->path[0] != NULL; rule++) {
        size_t n = 0;
        while (rule->path[n] != NULL)
            n++;
        bool if_ok = (rule->kinds & AL_REQUIRED_IF_OK) != 0;
        json_t *whole = (rule->kinds & AL_SINCE_2) != 0 ? later : root;
        if (if_ok) {
            add_rule(node_at(root, rule->path, n), rule, rule->kinds | AL_IS_NIL, false);
            whole = ok;
        }
        add_rule(node_at(whole, rule->path, n), rule, rule->kinds, true);
        if (if_ok || (rule->kinds & AL_REQUIRED) != 0)
            append_once(node_at(whole, rule->path, n - 1), "required", rule->path[n - 1]);
    }
    return root;
}
