/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_RESULTS_H
#define AL_SHOW_RESULTS_H

/* What commands print of recorded runs. */

#include <stdio.h>

#include "benchmarks/harness/results/advice.h"
#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/compare.h"
#include "benchmarks/harness/results/results.h"

/* `actorlab results`: docs/reference/results.md. */

/* Everything, as one object. A new reference. */
json_t *al_results_json(struct al_results *results);

/* The CPU, and what is simulated. The caller frees it. */
char *al_machine_name(const struct al_machine *machine);

/* An overview for people. */
void al_results_table(const struct al_results *results, FILE *out);

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

/* `actorlab advise`: docs/explanation/which-strategy.md. */

/* Which strategy fits a profile with so many workers, and the similar workloads that say so. */
void al_advice_print(const struct al_advice *advice, const struct al_profile_values *profile,
                     uint32_t workers, FILE *out);

/* For each workload how far the choice from the others is from its best, and how far that strategy
 * is which is best for the others. */
void al_advice_evaluate(const struct al_advice *advice, FILE *out);

/* The numbers of workers that there are, ascending; the caller frees them. Returns how many. */
size_t al_advice_worker_counts(const struct al_advice *advice, uint32_t **counts);

/* `actorlab compare`: for people, as JSON, and as CSV. */

void al_compare_table(const struct al_compare *compare, FILE *out, bool color);
void al_compare_json(const struct al_compare *compare, FILE *out);
void al_compare_csv(const struct al_compare *compare, FILE *out);

/* `actorlab summarize`: medians and intervals of recorded runs, for people or as JSON. */

extern const char *const al_interval_keys[]; /* by enum al_interval_kind; NULL ends them */

/* To standard output. axes: those of the sweep, whose keys name cells first, or NULL. */
void al_summarize_json(const struct al_summary *summary, struct al_bootstrap *bootstrap);
void al_summarize_table(const struct al_summary *summary, const json_t *axes);

#endif
