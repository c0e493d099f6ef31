/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_OBSERVED_H
#define AL_SHOW_OBSERVED_H

/* What `actorlab run --stats` prints of the machine, beside the counters of the runtime. */

#include <stdint.h>
#include <stdio.h>

struct al_handoff;
struct al_hardware;

/* One line. */
void al_handoff_print(const struct al_handoff *handoff, FILE *file);

/* Columns as of al_stats_print: a line for each counter that any thread knows, "-" for a thread
 * that does not. */
void al_hardware_print(const struct al_hardware *hardware, uint32_t n_workers, FILE *file);

#endif
