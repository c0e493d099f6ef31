/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_RUN_H
#define AL_SHOW_RUN_H

/* What `actorlab run` prints of a trial. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "benchmarks/harness/measure/trial.h"

/* "executor on inverted, victim longest, 2 workers": what ran, or was to run. */
void al_run_case_print(const char *benchmark, const struct al_plugin *scheduler,
                       const struct al_plugin *victim, const struct al_plugin *idle,
                       uint32_t n_workers, FILE *file);

/* The case, with its median time and interval, or with what was wrong. */
void al_run_line_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/*
 * The counters of each worker, with their sums, as a table with a line of explanation each. Of more
 * than eight workers the quantiles, unless `all` are to have their columns.
 */
void al_stats_print(const struct al_report *report, bool all, FILE *file);

#define AL_STATS_UNKNOWN UINT64_MAX

/* A line of such a table: the values of the workers, and of the starting thread, which is last. */
void al_stats_row(FILE *file, const char *name, const uint64_t *values, uint32_t n_workers,
                  bool all, const char *help);

/* Of the machine, beside the counters of the runtime: one line. */
void al_handoff_print(const struct al_handoff *handoff, FILE *file);

/* Columns as of al_stats_print: a line for each counter that any thread knows, "-" for a thread
 * that does not. */
void al_hardware_print(const struct al_hardware *hardware, uint32_t n_workers, bool all,
                       FILE *file);

/* One line if the measured iterations are not in a steady state, else nothing. */
void al_steady_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/* One line if the warm-up ended before its iterations were steady, else nothing. */
void al_warm_print(const struct al_outcome *outcome, FILE *file);

/* ", simulated on 2 x AMD EPYC 7662 (hypothetical, 1 parameter overridden)"; nothing if native. */
void al_simulated_on_print(const struct al_trial *trial, FILE *file);

/* A line for --stats; nothing if native. */
void al_simulated_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/* A line for each doubt about a trial (benchmarks/harness/results/doubts.h). */
void al_doubts_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/* One line if a trial on this machine was disturbed so much that its time is not that of its
 * workload: docs/reference/noise.md. Nothing for a simulated one, nor without an iteration. */
void al_disturbed_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

#endif
