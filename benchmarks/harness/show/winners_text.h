/* SPDX-License-Identifier: MIT */
#ifndef AL_WINNERS_TEXT_H
#define AL_WINNERS_TEXT_H

#include <stdio.h>

#include "benchmarks/harness/results/results.h"

/* al_headline, and a row for each group of several strategies: which are fastest, how many times as
 * fast as the next with the interval of the verdict, and the counters that set the two apart. */
void al_winners_print(const struct al_machine *machine, FILE *out);

#endif
