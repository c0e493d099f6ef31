/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/schema.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "benchmarks/workloads/benchmark.h"

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

static bool is_hex(const char *text, size_t digits)
{
    return strspn(text, "0123456789abcdef") == digits && text[digits] == '\0';
}

static bool in_range(const json_t *value, const struct al_rule *rule)
{
    if (rule->low == rule->high || !(json_is_number(value) || json_is_array(value)))
        return true;
    double size = json_is_array(value) ? (double)json_array_size(value) : json_number_value(value);
    return rule->low <= size && size <= rule->high;
}

static bool matches(const json_t *value, const struct al_rule *rule, bool is_ok)
{
    static const unsigned kinds[] = {[JSON_OBJECT] = AL_IS_OBJECT,
                                     [JSON_ARRAY] = AL_IS_LIST | AL_IS_PAIR,
                                     [JSON_STRING] = AL_IS_TEXT | AL_IS_HEX | AL_IS_OUTCOME |
                                                     AL_IS_PLACED,
                                     [JSON_INTEGER] = AL_IS_INTEGER,
                                     [JSON_REAL] = AL_IS_REAL,
                                     [JSON_TRUE] = AL_IS_BOOLEAN,
                                     [JSON_FALSE] = AL_IS_BOOLEAN,
                                     [JSON_NULL] = AL_IS_NIL};
    bool relaxed = (rule->kinds & AL_REQUIRED_IF_OK) != 0 && !is_ok;
    if (value == NULL)
        return relaxed || (rule->kinds & (AL_REQUIRED | AL_REQUIRED_IF_OK)) == 0;
    if (relaxed && json_is_null(value))
        return true;
    if ((rule->kinds & kinds[json_typeof(value)]) == 0)
        return false;
    if (json_is_string(value) && (rule->kinds & AL_IS_HEX) != 0)
        return is_hex(json_string_value(value), (size_t)rule->high);
    if (json_is_string(value) && (rule->kinds & AL_IS_OUTCOME) != 0)
        return is_one_of(json_string_value(value), al_outcomes);
    if (json_is_string(value) && (rule->kinds & AL_IS_PLACED) != 0)
        return is_one_of(json_string_value(value), al_placed_names + AL_PLACED_VERIFIED);
    if (json_is_array(value) && (rule->kinds & AL_IS_PAIR) != 0)
        return json_array_size(value) == 2;
    return relaxed || in_range(value, rule);
}

/* Whether the rule holds for all that the rest of its path leads to from here. */
static bool holds(const json_t *value, const struct al_rule *rule, const char *const *path,
                  bool is_ok)
{
    const char *name = *path;
    bool good = true;
    if (name == NULL)
        return matches(value, rule, is_ok);
    if (name[0] == '*' && json_is_object(value)) {
        const char *key;
        json_t *item;
        json_object_foreach((json_t *)value, key, item) good &= holds(item, rule, path + 1, is_ok);
    } else if (name[0] == '*') {
        for (size_t i = 0; i < json_array_size(value) && good; i++)
            good = holds(json_array_get(value, i), rule, path + 1, is_ok);
    } else if (isdigit((unsigned char)name[0])) {
        good = holds(json_array_get(value, (size_t)(name[0] - '0')), rule, path + 1, is_ok);
    } else if (json_is_object(value)) {
        good = holds(json_object_get(value, name), rule, path + 1, is_ok);
    }
    return good;
}

static bool is_deeper(const json_t *value, size_t most)
{
    const char *key;
    json_t *item;
    size_t i;
    bool deeper = (json_is_object(value) || json_is_array(value)) && most == 0;
    if (deeper)
        return true;
    json_object_foreach((json_t *)value, key, item) deeper = deeper || is_deeper(item, most - 1);
    json_array_foreach(value, i, item) deeper = deeper || is_deeper(item, most - 1);
    return deeper;
}

const char *al_record_problem(const json_t *record)
{
    if (!json_is_object(record))
        return "expected an object";
    const json_t *version = json_object_get(record, "schema_version");
    json_int_t schema = json_integer_value(version);
    if (!json_is_integer(version) || schema < AL_SCHEMA_OLDEST || schema > AL_SCHEMA_VERSION)
        return "expected schema_version " AL_TEXT_OF(AL_SCHEMA_OLDEST) " or " AL_TEXT_OF(
            AL_SCHEMA_VERSION);
    if (is_deeper(record, AL_DEPTH_MOST))
        return "expected lists and objects nested no deeper than " AL_TEXT_OF(AL_DEPTH_MOST);
    const char *outcome = json_string_value(json_object_get(record, "outcome"));
    bool is_ok = outcome != NULL && strcmp(outcome, al_outcomes[0]) == 0;
    const char *name = NULL;
    const json_t *value = NULL;
    for (const struct al_rule *rule = al_schema; rule->path[0] != NULL; rule++) {
        if (schema < 2 && (rule->kinds & AL_SINCE_2) != 0)
            continue;
        if (name == NULL || strcmp(name, rule->path[0]) != 0)
            value = json_object_get(record, rule->path[0]);
        name = rule->path[0];
        if (!holds(value, rule, rule->path + 1, is_ok))
            return rule->problem;
    }
    return NULL;
}
