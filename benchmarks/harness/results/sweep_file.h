/* SPDX-License-Identifier: MIT */
#ifndef AL_SWEEP_FILE_H
#define AL_SWEEP_FILE_H

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/judge.h"

/* sweep.json beside the records: what scripts/sweep was asked for. A sweep without one, and one
 * that lacks a key, has the defaults. */

/* The object in it, for a file of records, a results folder, or "-"; NULL without one. A new
 * reference. */
json_t *al_sweep_read(const char *records);

/* Reads records for `command`, with the usual level of intervals, and the sweep's kind of them.
 * Returns as al_intake_read; *sweep as above. */
int al_sweep_cells(const char *records, const char *command, struct al_summary *summary,
                   json_t **sweep);

/* The kind of interval of the medians. */
enum al_interval_kind al_sweep_interval(const json_t *sweep);

/* The scheduler that others are compared with, by its name of today; NULL if none was asked for. */
const char *al_sweep_baseline(const json_t *sweep);

/* The rules of its verdicts, of which the share follows from the blocks that were measured. */
struct al_rules al_sweep_rules(const json_t *sweep, const struct al_summary *summary);

/* The level of the medians' intervals, if the sweep was to end once all of them are narrow: the
 * planned looks share what they may miss. */
void al_sweep_looked(const json_t *sweep, struct al_summary *summary);

/* Its planned looks: {"planned", "at", "share"}, or null. A new reference. */
json_t *al_sweep_looks_json(const json_t *sweep, const struct al_summary *summary);

#endif
