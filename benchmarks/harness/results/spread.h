/* SPDX-License-Identifier: MIT */
#ifndef AL_SPREAD_H
#define AL_SPREAD_H

#include <jansson.h>
#include <stddef.h>

/* Which values the objects that records have under one key take: of each key in them how many
 * records have which value, or the range of its numbers. */

struct al_column {
    char *name; /* of an inner object's key: "gate.waited_s" */
    size_t n, capacity;
    double *numbers;
    json_t *values; /* those that are not numbers, as text: [value, count] */
    json_t *last;   /* the entry of the value before */
};

struct al_spread {
    size_t records, n;
    struct al_column *columns; /* in order of appearance */
    json_t *index;             /* name: place in columns */
};

/* Adds the object of one record; NULL or null if it has none. */
void al_spread_add(struct al_spread *spread, const json_t *object);

/* A list of {"key", "missing"} with "values" (the most frequent of {"value", "count"}) and
 * "distinct", or for numbers that differ "least", "most" and "median". */
json_t *al_spread_json(struct al_spread *spread);

void al_spread_release(struct al_spread *spread);

#endif
