/* SPDX-License-Identifier: MIT */
#ifndef AL_HEADLINE_BUILDS_H
#define AL_HEADLINE_BUILDS_H

#include <stdio.h>

#include "benchmarks/harness/results/study.h"

/* The part of al_headline for a sweep of several programs: a sentence for each on its verdicts
 * against the first. */
void al_headline_builds(const struct al_study *study, FILE *out);

#endif
