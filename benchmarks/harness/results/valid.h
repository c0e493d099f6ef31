/* SPDX-License-Identifier: MIT */
#ifndef AL_VALID_H
#define AL_VALID_H

#include <jansson.h>

/* What a valid record is. Every reader of records, in C or Python, asks here: docs/reference/records.md. */

#define AL_SCHEMA_OLDEST  1
#define AL_SCHEMA_VERSION 2
#define AL_TRIAL_DIGITS   32
#define AL_SESSION_DIGITS 16

/* The outcomes of a trial; only times of the first count. */
extern const char *const al_outcomes[];

/* What `placement` says, by enum al_placed; NULL ends them, and is the first as well. */
extern const char *const al_placed_names[];

/* NULL if the record is valid, else one line that says what was expected of which key. */
const char *al_record_problem(const json_t *record);

#endif
