/* SPDX-License-Identifier: MIT */
#ifndef AL_HEADLINE_H
#define AL_HEADLINE_H

#include <math.h>
#include <stdio.h>

#include "benchmarks/harness/results/results.h"
#include "benchmarks/harness/results/study.h"
#include "benchmarks/harness/text/format.h"

/* The smallest and the largest of some numbers, in words. */
struct al_range {
    double least, most;
};

#define AL_NO_RANGE ((struct al_range){INFINITY, -INFINITY}) /* of no number yet */

static inline void al_range_widen(struct al_range *range, double least, double most)
{
    range->least = fmin(range->least, least);
    range->most = fmax(range->most, most);
}

/* "3", "1 to 3", or "up to 3": numbers of things. */
struct al_text al_range_count(struct al_range range);

/* ", 1.2 to 8 times" and what follows; nothing where that would be 1.00. */
void al_range_times(struct al_range range, const char *what, FILE *out);

/* The answer first: who wins where, by how much and how surely, in one to a few sentences that the
 * caller frees: "custody is fastest on 12 of 17 workloads with 2 workers, 1.2 to 8 times ahead;
 * deque wins 2; undecided on 3. 4 of 510 trials were disturbed." Numbers of workers that agree in
 * who is ahead share a sentence. */
char *al_headline(const struct al_machine *machine);

/* The part of al_headline for a sweep of several programs: a sentence for each on its verdicts
 * against the first. */
void al_headline_builds(const struct al_study *study, FILE *out);

/* How many simulated cells have fewer than three seeds, in words. The caller frees it. */
char *al_few_seeds(const struct al_study *study);

#endif
