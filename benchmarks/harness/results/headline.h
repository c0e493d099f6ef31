/* SPDX-License-Identifier: MIT */
#ifndef AL_HEADLINE_H
#define AL_HEADLINE_H

#include <stdio.h>

#include "benchmarks/harness/results/results.h"
#include "benchmarks/harness/results/study.h"

/* The answer first: who wins where, by how much and how surely, in one to a few sentences that the
 * caller frees: "custody is fastest on 12 of 17 workloads with 2 workers, 1.2 to 8 times ahead;
 * deque wins 2; undecided on 3. 4 of 510 trials were disturbed." Numbers of workers that agree in
 * who is ahead share a sentence. */
char *al_headline(const struct al_machine *machine);

/* The part of al_headline for a sweep of several programs: a sentence for each on its verdicts
 * against the first. */
void al_headline_builds(const struct al_study *study, FILE *out);

#endif
