/* SPDX-License-Identifier: MIT */
#ifndef AL_READER_H
#define AL_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "benchmarks/harness/results/schema.h"

/* Reads files of records line by line. Running out of memory ends the program. */

/* A line that is not blank. All of it belongs to the reader, until the next line is read. */
struct al_line {
    size_t number;        /* from 1 */
    const json_t *record; /* NULL if there is a problem */
    const char *problem;  /* what keeps it from being a record, or from counting; or NULL */
    const char *first; /* the problem is that it was read already: where, as FILE:LINE; else NULL */
    bool newer;        /* the problem is a schema_version beyond ours */
    const char
        *session;      /* one run of a sweep, within this file; NULL if the record is of no sweep */
    const char *trial; /* the record's identity: AL_TRIAL_DIGITS hexadecimal digits */
};

/* What a value of old records is called today: the same text if it has always been called that. */
const char *al_today(const char *key, const char *value);

/*
 * The file of records: records.jsonl of a folder, otherwise the name as given. The caller frees it.
 */
char *al_records_path(const char *records);

/*
 * Open a file, the records of a results folder, or standard input for "-"; never NULL. The reader
 * notes every trial in the object `trials`. A trial that is in it already, from whatever file, is a
 * duplicate and not a record.
 */
struct al_reader *al_reader_open(const char *records, json_t *trials);

/*
 * Before the first line: an object whose keys are the trials that lines of the file supersede
 * (`sweep.supersedes`). It reads the file once to its end, and standard input into a file of its
 * own. The caller releases it.
 */
json_t *al_reader_superseded(struct al_reader *reader);

const char *al_reader_path(const struct al_reader *reader);

/*
 * A descriptor to read the file of this name in a results folder, which may come from a stranger:
 * a pipe or a device, which could make us wait or read for ever, is refused. Or a negative errno.
 */
int al_open_regular(const char *path);

/* False at the end, and when the file cannot be read. */
bool al_reader_next(struct al_reader *reader, struct al_line *out);

/* 0, or the errno of what kept the file from being read to its end. */
int al_reader_close(struct al_reader *reader);

/* The same in words. */
const char *al_reader_error(int error);

#endif
