/* SPDX-License-Identifier: MIT */
#ifndef AL_TWINS_H
#define AL_TWINS_H

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/statistics/ratio.h"

/* Cells that run twice in each block check the sweep: equal cells must not differ more often than
 * chance makes them. docs/explanation/statistics.md, A/A. */

#define AL_TWINS_CHANCE 0.01 /* fewer sound sweeps than this have so many twins that differ */

struct al_twins {
    size_t n, differ; /* twins with enough blocks to differ at `alpha`, and those that do */
    double alpha;     /* 1 - the summary's level */
    double expected;  /* how many differ by chance, on average */
    double chance;    /* that so many or more do */
};

/* Compares each twin with its cell, by the test of verdicts, each on its own. */
void al_twins_make(const struct al_summary *summary, struct al_twins *out);

/* Whether so many differ that no verdict of the sweep is to be trusted. */
bool al_twins_are_too_many(const struct al_twins *twins);

/* One line for people, which the caller frees; NULL without twins. */
char *al_twins_text(const struct al_twins *twins);

/* The key `twins` of docs/reference/results.md. */
json_t *al_twins_json(const struct al_twins *twins);

/* The ratio of a twin to its cell, to be released; false without pairs. */
bool al_twin_ratio(const struct al_cell *cell, struct al_ratio *out);

#endif
