/* SPDX-License-Identifier: MIT */
#ifndef AL_MEASURES_H
#define AL_MEASURES_H

#include <stdbool.h>

#include "benchmarks/harness/results/cells.h"

/* What is measured, as JSON, options and axes name it. */

/* By `name`: time_ns, ns_per_message, messages_per_s or peak_rss_bytes. */
struct al_measure {
    const char *name;
    const char *label;    /* of an axis; %s is the unit */
    const char *units[4]; /* of 1, 10^3, 10^6 and 10^9 */
    bool more_is_better;
};

extern const struct al_measure al_measures[MEASURES];

/* The measure of that name, or MEASURES after one line on stderr. */
enum measure al_measure_named(const char *command, const char *name);

#endif
