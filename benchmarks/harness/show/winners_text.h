/* SPDX-License-Identifier: MIT */
#ifndef AL_WINNERS_TEXT_H
#define AL_WINNERS_TEXT_H

#include <stdio.h>

#include "benchmarks/harness/results/advice.h"

/* al_headline, and a row for each group: which strategies are fastest, the time of the first, how
 * many times as fast as the next it is with the interval of the verdict, and the counters that set
 * the two apart. */
void al_winners_print(const struct al_machine *machine, FILE *out);

/* The rows alone; with advice also the kind of workload, by which they are sorted then, and the
 * victim heuristic and idle policy of the first, but no counters. */
void al_winners_table(const struct al_machine *machine, const struct al_advice *advice, FILE *out);

/* Parts of a row, which the caller frees; NULL without a next. First who is fastest: "custody", or
 * of several that are not told apart "custody ~ deque ~ 2 more". */
char *al_winner_names(const struct al_machine *machine, size_t group);
/* The victim heuristic ("victim") or idle policy ("idle") of a cell. */
char *al_winner_plugin(const struct al_machine *machine, size_t place, const char *kind);
/* "1.66 [1.50, 1.73]": how many times as fast as the next, which the other names. "(quiet: 1.52)"
 * in front where it is another in the quiet blocks alone. */
char *al_winner_times(const struct al_standing *standing);
char *al_winner_next(const struct al_study *study, const struct al_standing *standing);

#endif
