/* SPDX-License-Identifier: MIT */
#ifndef AL_TWINS_H
#define AL_TWINS_H

#include "benchmarks/harness/results/cells.h"

/* How far equal cells differ: cells that run twice in each block, and the bands that follow from
 * them. docs/explanation/statistics.md, A/A. */

/* The bands of a summary's twins, by work and number of workers. */
struct al_bands {
    json_t *places; /* work, as text: place in `all` */
    size_t n;
    double *all;   /* as ratios from 1 on; INFINITY where there are too few blocks */
    size_t *needs; /* there, how many more blocks bound it; else 0 */
    double widest; /* of those that are finite; 0 without any */
};

/* Makes the bands at the summary's level. */
void al_bands_make(const struct al_summary *summary, struct al_bands *out);

/* The band for a comparison of these cells, the wider one if they differ in work: 1 without twins
 * of it. Raises `needs` to the number of further blocks that bound it. */
double al_bands_of(const struct al_bands *bands, const struct al_cell *cell,
                   const struct al_cell *base, size_t *needs);

/* The ratio of a twin to its cell at this level; false without pairs. */
bool al_twin_ratio(const struct al_cell *cell, double level, struct al_interval *out);

/* How far that interval reaches from 1, as a ratio from 1 on. */
double al_band(const struct al_interval *twin);

/* How far the widest bounded band reaches from 1, in percent; negative without one. */
double al_bands_percent(const struct al_bands *bands);

void al_bands_release(struct al_bands *bands);

#endif
