/* SPDX-License-Identifier: MIT */
#ifndef AL_ADVICE_TEXT_H
#define AL_ADVICE_TEXT_H

#include <stdio.h>

#include "benchmarks/harness/results/advice.h"

/* What `actorlab advise` prints: docs/explanation/which-strategy.md. */

/* Which strategy fits a profile with so many workers, and the similar workloads that say so. */
void al_advice_print(const struct al_advice *advice, const struct al_profile_values *profile,
                     uint32_t workers, FILE *out);

/* For each workload how far the choice from the others is from its best, and how far that strategy
 * is which is best for the others. */
void al_advice_evaluate(const struct al_advice *advice, FILE *out);

/* The numbers of workers that there are, ascending; the caller frees them. Returns how many. */
size_t al_advice_worker_counts(const struct al_advice *advice, uint32_t **counts);

#endif
