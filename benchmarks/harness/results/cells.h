/* SPDX-License-Identifier: MIT */
#ifndef AL_CELLS_H
#define AL_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "benchmarks/harness/results/disturbance.h"
#include "benchmarks/harness/results/intake.h"
#include "benchmarks/harness/results/series.h"
#include "benchmarks/harness/statistics/letters.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/json.h"

/* Recorded runs, grouped by cell. Running out of memory ends the program with AL_EXIT_MEMORY. */

/*
 * What each record adds to its cell; the first MEASURES get intervals. BLOCK: what it pairs by
 * (al_record_pair), or -1. SESSION: the number of the session, from 0 and over all files; all
 * simulated trials share one. HANDOFF: the median time to pass a cache line between the workers'
 * PUs before the trial, ns, or -1. BUSY: for which part of the time the starter was busy, or -1.
 * TOOK_PART: which part of the workers took part (al_took_part), or -1. OVERRUN: the time over that
 * of the schedule of open load, or -1. From MEMORY on: the keys of
 * a record's memory, in bytes, or -1.
 */
enum measure {
    TIME,
    PER_MESSAGE,
    RATE,
    PEAK,
    MEASURES,
    MESSAGES = MEASURES,
    BLOCK,
    SESSION,
    HANDOFF,
    BUSY,
    TOOK_PART,
    OVERRUN,
    MEMORY,
    SERIES = MEMORY + 4
};

extern const char *const al_memory_keys[SERIES - MEMORY];

struct al_cell {
    json_t *identity;       /* the values of al_identity_keys */
    json_t *failed;         /* outcome: how many records */
    size_t n_failed;        /* of those that ran: a peer that is missing did not */
    double (*failed_at)[2]; /* their BLOCK and SESSION */
    bool oversubscribed, simulated;
    unsigned doubts;  /* al_doubts */
    bool mixed_kinds; /* workers on cores of several kinds, such as P and E cores */
    size_t n, capacity;
    double *values[SERIES];
    struct al_series_list latencies, costs, counters, rates, hardware;
    size_t unsteady; /* processes whose measured iterations had not reached a steady state */
    size_t watched, disturbed; /* processes that the gate of a sweep judged, and found disturbed */
    double quiet_limit;        /* ns; hand-offs up to it are quiet: al_strata_make */
    struct al_bin *bins;       /* latencies of all processes, ns */
    size_t n_bins;
    json_t *pus; /* where the workers of the first process were to run; or NULL */
    struct al_interval intervals[MEASURES];
    struct al_outliers outliers; /* of the times per message */
    struct al_cell *twin; /* its A/A run in each block, or NULL; not counted among its values */
};

struct al_summary {
    /* What cells are compared by: a number of the records, as al_record_measure says; records
     * without it are left out. NULL: the time per message. Set before anything is read. */
    const char *of;
    double level;
    size_t resamples;
    uint64_t seed;
    enum al_interval_kind kind;
    double looked_level; /* of the medians' intervals at a planned look: al_sweep_looked; else 0 */
    size_t count, capacity;
    struct al_cell *cells;  /* in order of first appearance */
    json_t *index;          /* identity as text: place in cells; NULL before the first */
    json_t *records;        /* NULL, or a list to which al_cells_read adds the records themselves */
    json_t *profiles;       /* the work of a group, as text: the profile of a record; or NULL */
    json_t *environment;    /* of each al_environment_keys, the values that records have; or NULL */
    bool native, simulated; /* whether any record is */
    struct al_intake intake;
    struct al_disturbance disturbance;
    json_t *sessions; /* "SOURCE SESSION": its number */
    json_t *blocks;   /* "SESSION BLOCK": how many cells ran in it, whatever came of it; or NULL */
};

/* The keys of a record's environment that stay the same over a sweep. */
#define AL_ENVIRONMENT_KEYS 15
extern const char *const al_environment_keys[AL_ENVIRONMENT_KEYS];

/* The median of a measure; negative where a record says nothing. */
double al_cell_median(const struct al_cell *cell, enum measure measure);

/* The level of the medians' intervals. */
double al_median_level(const struct al_summary *summary);

/*
 * All intervals and outliers, once everything is read. The resampled medians go to `dump`, a line
 * of JSON for each measure of each cell, unless it is NULL.
 */
void al_cells_intervals(struct al_summary *summary, struct al_bootstrap *bootstrap, FILE *dump);

/* Adds a valid record of the file with this number. */
void al_cells_add(struct al_summary *summary, const json_t *record, const char *session,
                  size_t source);

/* Whether the workers were on cores of several kinds. */
bool al_record_mixes_kinds(const json_t *record);

/* Which share of a cell's trials failed. */
double al_cell_failed_share(const struct al_cell *cell);

/* "10 of 20", which the caller frees. */
char *al_cell_failed_text(const struct al_cell *cell);

/* Whether it is a simulated cell with so few seeds that its value may be an accident of them. */
bool al_cell_has_few_seeds(const struct al_cell *cell);

/* "Fewer than three seeds: 5 cells." Empty of none. The caller frees it. */
char *al_few_seeds_text(size_t n_cells);

/* Whether more than half of a cell's trials were disturbed. */
bool al_cell_is_disturbed(const struct al_cell *cell);

/* Adds the records of a file: al_intake_read. */
int al_cells_read(struct al_summary *summary, const char *name);

void al_cells_release(struct al_summary *summary);

/* The order of cells wherever they are shown: by benchmark, strategy, parameters, options and
 * workers; the values of each as the configuration of the sweep wrote them, others after these. */

/* `order`: {key: [values]}, or NULL. */
void al_cells_sort(struct al_cell **cells, size_t n, const json_t *order);

/* Those of a summary themselves, once all records are in: by benchmark, workers, strategy,
 * parameters and options. */
void al_summary_sort(struct al_summary *summary);

#endif
