/* SPDX-License-Identifier: MIT */
#ifndef AL_BATCH_H
#define AL_BATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The lines of a file of records, parsed and checked a batch at a time, on as many threads as there
 * are PUs: to parse takes most of the time of reading.
 */

#define AL_LINE_MOST_MIB 64 /* a record takes about 400 bytes for each worker */

struct al_parsed {
    size_t number;    /* of the line, from 1 */
    const char *text; /* without the white space at its end; not terminated */
    size_t length;
    json_t *record;      /* NULL: not JSON */
    const char *problem; /* why it is no valid record, or NULL */
    char *said;          /* the problem's text, if it is the line's own */
};

struct al_batch {
    int file;         /* negative: none */
    int copy;         /* what is read is written to, if `only` is given; negative: nowhere */
    const char *only; /* the lines that have this text in them; NULL: all */
    bool endless;     /* a device such as /dev/zero, whose lines need have no end */
    bool ended;
    bool skipping; /* the rest of a line that is too long */
    int error;     /* errno of a read or write that failed */
    size_t number; /* lines so far, blank ones too */

    char *text; /* read; from `start` to `end` it is not split into lines yet */
    size_t start, end, capacity;

    struct al_parsed *lines;
    size_t n, room;
};

/* Read and parse the next lines, at least one. False: the file has ended, or could not be read. */
bool al_batch_next(struct al_batch *batch);

void al_batch_release(struct al_batch *batch);

#endif
