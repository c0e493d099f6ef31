/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_SCHEDULE_H
#define AL_CHECK_SCHEDULE_H

/*
 * One execution, step by step, from which the search can make it again: also in another process,
 * where memory has other addresses. As text it has a line for each step:
 *
 *     THREAD read WRITE     what is read
 *     THREAD write WRITE    what it comes after in co, of the writes before it
 *     THREAD choice WAY
 *     THREAD fence, THREAD membarrier, THREAD light
 *
 * WRITE is THREAD.EVENT, both from 0, or "initial".
 */

#include <stdio.h>

#include "core/engine/check/graph.h"
#include "core/error.h"

struct check_model;

struct check_move {
    uint8_t kind; /* enum check_kind */
    uint8_t thread;
    check_id of; /* WRITE, or WAY */
};

struct check_schedule {
    unsigned n;
    struct check_move moves[CHECK_THREADS * CHECK_EVENTS];
};

/* The schedule of a graph that the model allows. */
void check_schedule_make(struct check_schedule *schedule, const struct check_graph *graph,
                         const struct check_model *model);
void check_schedule_write(const struct check_schedule *schedule, FILE *file);
/* Add a line's step. False: it has none. */
bool check_schedule_read(struct check_schedule *schedule, const char *line);

#endif
