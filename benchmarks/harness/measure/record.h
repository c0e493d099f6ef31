/* SPDX-License-Identifier: MIT */
#ifndef AL_RECORD_H
#define AL_RECORD_H

/*
 * The record of an invocation: one JSON object, one line. docs/reference/records.md lists its keys.
 */

#include <jansson.h>

#include "benchmarks/harness/measure/trial.h"

/* A new object, or NULL without memory. */
json_t *al_record(const struct al_trial *trial, const struct al_outcome *outcome);

/*
 * Check that records can be appended to the file, and create it. 0, or a negative errno with a line
 * in error.
 */
__attribute__((warn_unused_result)) int al_record_check(const char *path, struct al_error *error);

/* Append the record to the file ("-": standard output) in one write, and sync it. 0 or a negative
 * errno with a line in error. */
__attribute__((warn_unused_result)) int al_record_append(json_t *record, const char *path,
                                                         struct al_error *error);

#endif
