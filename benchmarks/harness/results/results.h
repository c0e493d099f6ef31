/* SPDX-License-Identifier: MIT */
#ifndef AL_RESULTS_H
#define AL_RESULTS_H

#include "benchmarks/harness/results/standings.h"
#include "benchmarks/harness/results/study.h"
#include "benchmarks/harness/results/tally.h"

/* Everything computed from folders of results: the model that `actorlab results` shows, and whose
 * JSON all drawing and printing is made from. */

/* The records of one machine. Times of different machines stand side by side; nothing compares
 * them. */
struct al_machine {
    json_t *cpu, *topology_hash; /* of the machine itself; NULL while no record has said it */
    json_t *simulated;           /* a record's `machine`; NULL: it is none that was simulated */
    struct al_summary cells;
    struct al_tally tally;
    struct al_study study;
    struct al_standings standings;
};

struct al_results {
    struct al_intake intake;
    double level;
    size_t resamples;
    uint64_t seed;
    const char *of;       /* of struct al_summary; NULL: times */
    const char *baseline; /* as asked for; NULL: what the first folder's sweep.json says */
    json_t *order;        /* likewise */
    json_t *benchmarks;   /* {benchmark: true} that count; NULL: all */
    json_t *schedulers;   /* likewise */
    json_t *sweep;        /* the first folder's sweep.json; NULL without one */
    size_t n;
    struct al_machine **machines; /* in order of appearance */
    /* While a file is read: the machine of the record before, or NULL; and the records that came
     * before the first that names a machine. */
    struct al_machine *current;
    struct al_line *held;
    size_t n_held;
};

/* Starts with the defaults: 95% intervals; what is resampled, 10,000 times. */
void al_results_init(struct al_results *results, const char *command);

/* Reads files, results folders, or standard input for "-", and computes everything, unless one
 * cannot be read: al_intake_read. */
int al_results_read(struct al_results *results, char *const *names, size_t n);

/* {NAME: true} of the workloads, or the schedulers, of all records. A new reference. */
json_t *al_results_known(const struct al_results *results, bool schedulers);

void al_results_release(struct al_results *results);

#endif
