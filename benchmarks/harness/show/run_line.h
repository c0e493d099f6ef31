/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_LINE_H
#define AL_RUN_LINE_H

/* The summary line that `actorlab run` prints. */

#include <stdio.h>

#include "benchmarks/harness/measure/trial.h"

/* "executor on inverted, victim longest, 2 workers": what ran, or was to run. */
void al_run_case_print(const char *benchmark, const struct al_plugin *scheduler,
                       const struct al_plugin *victim, const struct al_plugin *idle,
                       uint32_t n_workers, FILE *file);

/* The case, with its median time and interval, or with what was wrong. */
void al_run_line_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

#endif
