/* SPDX-License-Identifier: MIT */
#ifndef AL_JSON_H
#define AL_JSON_H

/* JSON of statistics, and allocations whose failure ends the program. */

#include <jansson.h>
#include <stddef.h>

#include "benchmarks/harness/statistics/statistics.h"

/* For allocations and JSON values, which fail only when memory is out: none returns then. */
_Noreturn void al_no_memory(void);
void *al_needed(void *pointer);
void al_json_set(json_t *object, const char *key, json_t *value);
void al_json_append(json_t *list, json_t *value);

/* The object, which is made first if there is none. */
json_t *al_json_made(json_t **object);

/* Counts one more under this name. */
void al_json_count(json_t *counts, const char *name);

/* {NAME: true} of names with commas between them. A new reference. */
json_t *al_json_names(const char *given);

/* A further reference to the value, or null without one. */
json_t *al_json_or_null(const json_t *value);

/* Null for what JSON has no number for: an infinity, or not a number. */
json_t *al_json_real(double value);

/* An integer; a real where it has a fraction or is beyond 64 bits; null as above. */
json_t *al_json_whole(double value);

json_t *al_json_reals(const double *values, size_t n);

/* An interval; its ends are null where it is unbounded, and "achieved" where it is NAN. */
json_t *al_json_interval(const struct al_interval *interval);

#endif
