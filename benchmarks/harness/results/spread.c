/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/json.h"

#define VALUES_MOST 8 /* of a key that are named */

static struct al_column *find_column(struct al_spread *spread, const char *name)
{
    const json_t *place = json_object_get(al_json_made(&spread->index), name);
    if (place != NULL)
        return &spread->columns[json_integer_value(place)];
    spread->columns = al_needed(
        reallocarray(spread->columns, spread->n + 1, sizeof *spread->columns));
    al_json_set(spread->index, name, json_integer((json_int_t)spread->n));
    spread->columns[spread->n] = (struct al_column){.name = al_needed(strdup(name)),
                                                    .values = al_needed(json_object())};
    return &spread->columns[spread->n++];
}

static void count_value(struct al_column *column, json_t *value)
{
    json_t *entry = column->last;
    if (entry == NULL || !json_equal(json_array_get(entry, 0), value)) {
        char *text = al_needed(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT));
        entry = json_object_get(column->values, text);
        if (entry == NULL) {
            entry = al_needed(json_pack("[O, i]", value, 0));
            al_json_set(column->values, text, entry);
        }
        column->last = entry;
        free(text);
    }
    json_integer_set(json_array_get(entry, 1), json_integer_value(json_array_get(entry, 1)) + 1);
}

static void add_value(struct al_column *column, json_t *value)
{
    if (json_is_null(value))
        return;
    if (!json_is_number(value)) {
        count_value(column, value);
        return;
    }
    if (column->n == column->capacity) {
        column->capacity = 2 * column->capacity + 8;
        column->numbers = al_needed(
            reallocarray(column->numbers, column->capacity, sizeof *column->numbers));
    }
    column->numbers[column->n++] = json_number_value(value);
}

static void add_object(struct al_spread *spread, const char *prefix, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char *name = prefix != NULL ? al_text("%s.%s", prefix, key) : NULL;
        const char *whole = name != NULL ? name : key;
        if (json_is_object(value))
            add_object(spread, whole, value);
        else
            add_value(find_column(spread, whole), value);
        free(name);
    }
}

void al_spread_add(struct al_spread *spread, const json_t *object)
{
    spread->records++;
    add_object(spread, NULL, object);
}

/* A value, how often it is there, and which place it has in order of appearance. */
struct entry {
    json_t *value;
    json_int_t count;
    size_t place;
};

static int by_count(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The most frequent ones; of equally frequent ones those that appeared first. */
static void set_values(json_t *row, const struct al_column *column)
{
    size_t n = json_object_size(column->values), i = 0;
    struct entry *entries = al_needed(calloc(n + 1, sizeof *entries));
    json_t *list = al_needed(json_array()), *known;
    const char *text;
    json_object_foreach(column->values, text, known)
    {
        json_int_t count = json_integer_value(json_array_get(known, 1));
        entries[i] = (struct entry){json_array_get(known, 0), count, i};
        i++;
    }
    qsort(entries, n, sizeof *entries, by_count);
    for (i = 0; i < n && i < VALUES_MOST; i++)
        al_json_append(
            list, json_pack("{s:O, s:I}", "value", entries[i].value, "count", entries[i].count));
    free(entries);
    al_json_set(row, "values", list);
    al_json_set(row, "distinct", json_integer((json_int_t)n));
}

static json_t *column_json(struct al_column *column, size_t records)
{
    json_t *row = al_needed(json_pack("{s:s}", "key", column->name));
    size_t known = column->n;
    const char *text;
    json_t *entry;
    json_object_foreach(column->values, text, entry)
        known += (size_t)json_integer_value(json_array_get(entry, 1));
    al_json_set(row, "missing", json_integer((json_int_t)(records - known)));
    double median = column->n > 0 ? al_median(column->numbers, column->n) : 0; /* sorts */
    bool alike = column->n > 0 && column->numbers[0] == column->numbers[column->n - 1];
    if (column->n > 0 && !alike && json_object_size(column->values) == 0) {
        al_json_set(row, "least", al_json_whole(column->numbers[0]));
        al_json_set(row, "most", al_json_whole(column->numbers[column->n - 1]));
        al_json_set(row, "median", al_json_whole(median));
        return row;
    }
    column->last = NULL;
    for (size_t i = 0; i < column->n; i++) {
        json_t *number = al_needed(al_json_whole(column->numbers[i]));
        count_value(column, number);
        json_decref(number);
    }
    set_values(row, column);
    return row;
}

json_t *al_spread_json(struct al_spread *spread)
{
    json_t *list = al_needed(json_array());
    for (size_t c = 0; c < spread->n; c++)
        al_json_append(list, column_json(&spread->columns[c], spread->records));
    return list;
}

void al_spread_release(struct al_spread *spread)
{
    for (size_t c = 0; c < spread->n; c++) {
        free(spread->columns[c].name);
        free(spread->columns[c].numbers);
        json_decref(spread->columns[c].values);
    }
    free(spread->columns);
    json_decref(spread->index);
}
