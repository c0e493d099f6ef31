/* SPDX-License-Identifier: MIT */
#ifndef AL_VALID_H
#define AL_VALID_H

#include "benchmarks/harness/results/schema.h"

/*
 * Whether something is a record. Every reader of records, in C or Python, uses this check, and so
 * does the program that writes them.
 */

/* NULL if the record is valid, else one line that says what was expected of which key. */
const char *al_record_problem(const json_t *record);

#endif
