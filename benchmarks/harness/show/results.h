/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_RESULTS_H
#define AL_SHOW_RESULTS_H

#include "benchmarks/harness/results/results.h"

/* What `actorlab results` prints: docs/reference/results.md. */

/* Everything, as one object. A new reference. */
json_t *al_results_json(struct al_results *results);

/* The benchmark, with those of its parameters that are among the keys. The caller frees it. */
char *al_workload_text(const struct al_keys *keys, const json_t *identity);

/* The CPU, and what is simulated. The caller frees it. */
char *al_machine_name(const struct al_machine *machine);

/* An overview for people. */
void al_results_table(const struct al_results *results, FILE *out);

#endif
