/* SPDX-License-Identifier: MIT */
#ifndef AL_MEASURES_H
#define AL_MEASURES_H

#include <stdbool.h>

#include "benchmarks/harness/results/cells.h"

/* What is measured, and its names in JSON, options and axes. */

extern const char *const al_measure_names[MEASURES + 1]; /* NULL ends them */

struct al_measure {
    const char *label;    /* of an axis; %s is the unit */
    const char *units[4]; /* of 1, 10^3, 10^6 and 10^9 */
    bool more_is_better;
};

extern const struct al_measure al_measures[MEASURES];

#endif
