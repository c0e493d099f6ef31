/* SPDX-License-Identifier: MIT */
#ifndef AL_TALLY_H
#define AL_TALLY_H

#include <stddef.h>

#include <jansson.h>

#include "benchmarks/harness/results/disturbance.h"
#include "benchmarks/harness/results/reader.h"

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

/* What a report shows of the trials besides their times: how many there were and how they ended, on
 * what machine, and what disturbed them. */

struct al_tally {
    size_t trials, twins, interrupted;
    struct al_disturbance disturbance;
    char *first, *last; /* started_at */
    json_t *outcomes;   /* outcome: how many */
    json_t *methods;    /* "WARMUP ITERATIONS": {warmup, iterations, n} */
    json_t *peers;      /* version of another system: true */
    json_t *sessions;   /* "SOURCE SESSION": {source, session, trials, first, last} */
    json_t *failed;     /* of each failed trial an object */
    struct al_spread environment, noise; /* of all but twins */
};

void al_tally_add(struct al_tally *tally, const struct al_line *line, size_t source);

/* Sets the keys of docs/reference/results.md that are about trials. */
void al_tally_json(struct al_tally *tally, json_t *out);

void al_tally_release(struct al_tally *tally);

#endif
