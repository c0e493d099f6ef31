/* SPDX-License-Identifier: MIT */
#ifndef AL_TALLY_H
#define AL_TALLY_H

#include <jansson.h>
#include <stddef.h>

#include "benchmarks/harness/results/disturbance.h"
#include "benchmarks/harness/results/reader.h"
#include "benchmarks/harness/results/spread.h"

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
