/* SPDX-License-Identifier: MIT */
#ifndef AL_ORIGIN_H
#define AL_ORIGIN_H

#include <jansson.h>
#include <stdbool.h>

/* Where the time of a record comes from: the machine that it ran on, or one that was simulated. */

/* The second run of a cell in a block has the seed of the first plus this, if it is simulated: with
 * the same seed it would have the same time. More than a sweep can have blocks. */
#define AL_TWIN_SEED 1000000000

/* What intervals of simulated trials are, after "intervals". */
#define AL_OF_JITTER " of sensitivity to jitter in the model's costs"

bool al_record_is_simulated(const json_t *record);

/* The record's environment as far as it may decide its time; of a simulated one, `cpu` says which
 * machine that was, `topology_hash` is the hash of its model, and what is of the host alone is not
 * there. A new reference; NULL if the record has none. */
json_t *al_record_environment(const json_t *record);

/* The name of the simulated machine and what was overridden, "epyc-7662-2s locked=7"; null of a
 * native record. A new reference. */
json_t *al_record_machine(const json_t *record);

/* What a record of the other cell must agree in to form a pair with this one: the block of its
 * session, or the seed of a simulated record in any session. Negative: it forms none. */
double al_record_pair(const json_t *record);

/* The number at a path such as "latencies.p99"; or one over it, as of "1/costs.fairness", where
 * more is better. Negative if the record has none of which ratios can be. */
double al_record_measure(const json_t *record, const char *path);

#endif
