/* SPDX-License-Identifier: MIT */
#ifndef AL_COMPARISON_JSON_H
#define AL_COMPARISON_JSON_H

#include "benchmarks/harness/results/comparison.h"

/* A comparison as JSON: docs/reference/results.md. */

/* Adds ratio, p-values, verdict and what they rest on to an object. */
void al_comparison_json(json_t *row, const struct al_comparison *comparison);

/* How a family is corrected: a new object. */
json_t *al_family_json(const struct al_family *family);

#endif
