/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_OBSERVED_H
#define AL_SHOW_OBSERVED_H

/* What `actorlab run --stats` prints of the machine, beside the counters of the runtime. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct al_handoff;
struct al_hardware;
struct al_outcome;
struct al_trial;

/* One line. */
void al_handoff_print(const struct al_handoff *handoff, FILE *file);

/* Columns as of al_stats_print: a line for each counter that any thread knows, "-" for a thread
 * that does not. */
void al_hardware_print(const struct al_hardware *hardware, uint32_t n_workers, bool all,
                       FILE *file);

/* One line if the measured iterations are not in a steady state, else nothing. */
void al_steady_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/* One line if the warm-up ended before its iterations were steady, else nothing. */
void al_warm_print(const struct al_outcome *outcome, FILE *file);

#endif
