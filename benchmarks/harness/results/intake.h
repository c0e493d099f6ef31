/* SPDX-License-Identifier: MIT */
#ifndef AL_INTAKE_H
#define AL_INTAKE_H

#include <jansson.h>
#include <stddef.h>

#include "benchmarks/harness/results/reader.h"

/* Reads files of records, passes on each record that counts, and keeps what did not. */

struct al_intake {
    const char *command; /* the subcommand, for messages */
    size_t n;            /* how many files were read */
    json_t *trials;      /* those that were read; NULL before the first file */
    /* NULL, or a list that gets an object for each file: docs/reference/results.md */
    json_t *sources;
};

/* Called with each record that counts. `source` is the number of its file, from 0. */
typedef void al_take(void *to, const struct al_line *line, size_t source);

/*
 * Reads a file, a results folder, or standard input for "-". A line that is not a record, a trial
 * that was read before, and a traced run (tracing distorts its times) are left out, with a line on
 * stderr; a trial that a later line supersedes, without. Returns AL_EXIT_OK; AL_EXIT_FAILED if a
 * line was not a record or a trial was read before; AL_EXIT_USAGE if the file cannot be read.
 */
int al_intake_read(struct al_intake *intake, const char *name, al_take *take, void *to);

void al_intake_release(struct al_intake *intake);

#endif
