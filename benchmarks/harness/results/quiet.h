/* SPDX-License-Identifier: MIT */
#ifndef AL_QUIET_H
#define AL_QUIET_H

#include "benchmarks/harness/results/cells.h"

/*
 * The quiet stratum: trials before which a cache line passed between the workers' PUs about as fast
 * as it does here at rest. Hosts move virtual cores apart, and then every hand-off takes several
 * times as long. docs/explanation/statistics.md, Strata.
 */

#define AL_QUIET_WITHIN 1.25 /* of the lower quartile */

/* Trials with as many workers on PUs in the same order, whose hand-offs have the same distances. */
struct al_stratum {
    json_t *workers, *pin;
    size_t trials, quiet;
    double median, lower_quartile, limit; /* ns */
};

struct al_strata {
    size_t n;
    struct al_stratum *all; /* in order of first appearance */
};

/* Finds the strata of all trials with a hand-off, twins included, and sets the cells' limits. */
void al_strata_make(struct al_summary *summary, struct al_strata *out);
void al_strata_release(struct al_strata *strata);

/* Whether value i of a cell is quiet; false also if it is not known, or beyond the values: of a
 * trial that failed. */
bool al_cell_is_quiet(const struct al_cell *cell, size_t i);

#endif
