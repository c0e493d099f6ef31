/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/text/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

_Noreturn void al_no_memory(void)
{
    fputs("actorlab: out of memory\n", stderr);
    exit(AL_EXIT_MEMORY);
}

void *al_needed(void *pointer)
{
    if (pointer == NULL)
        al_no_memory();
    return pointer;
}

void al_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        al_no_memory();
}

void al_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0)
        al_no_memory();
}

json_t *al_json_made(json_t **object)
{
    if (*object == NULL)
        *object = al_needed(json_object());
    return *object;
}

void al_json_count(json_t *counts, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(counts, name));
    al_json_set(counts, name, json_integer(n + 1));
}

json_t *al_json_names(const char *given)
{
    json_t *names = al_needed(json_object());
    while (*given != '\0') {
        size_t length = strcspn(given, ",");
        char *name = al_needed(strndup(given, length));
        al_json_set(names, name, json_true());
        free(name);
        given += length + (given[length] == ',');
    }
    return names;
}

json_t *al_json_or_null(const json_t *value)
{
    return value != NULL ? json_incref((json_t *)value) : json_null();
}

json_t *al_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *al_json_whole(double value)
{
    /* 2^63 as a double, for INT64_MAX is not one. */
    bool fits = value >= -0x1p63 && value < 0x1p63 && value == trunc(value);
    return fits ? json_integer((json_int_t)value) : al_json_real(value);
}

json_t *al_json_reals(const double *values, size_t n)
{
    json_t *list = al_needed(json_array());
    for (size_t i = 0; i < n; i++)
        al_json_append(list, al_json_real(values[i]));
    return list;
}

json_t *al_json_interval(const struct al_interval *i)
{
    bool bounded = al_interval_is_bounded(i);
    return al_needed(json_pack("{s:o, s:o, s:o, s:o, s:I, s:b}", "median", al_json_real(i->median),
                               "low", bounded ? al_json_real(i->low) : json_null(), "high",
                               al_json_real(i->high), "achieved", al_json_real(i->achieved), "n",
                               (json_int_t)i->n, "degenerate", i->degenerate));
}
