/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_COMPARE_H
#define AL_SHOW_COMPARE_H

#include <stdio.h>

#include "benchmarks/harness/results/compare.h"

/* What `actorlab compare` prints: for people, as JSON, and as CSV. */

void al_compare_table(const struct al_compare *compare, FILE *out, bool color);
void al_compare_json(const struct al_compare *compare, FILE *out);
void al_compare_csv(const struct al_compare *compare, FILE *out);

#endif
