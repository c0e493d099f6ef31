/* SPDX-License-Identifier: MIT */
#ifndef AL_SERIES_H
#define AL_SERIES_H

#include <jansson.h>
#include <stddef.h>

/*
 * Values by name, from those records of a cell that have them. Running out of memory ends the
 * program, as in cells.h.
 */

struct al_series {
    char *name;
    size_t n, capacity;
    double *values;
};

struct al_series_list {
    size_t n;
    struct al_series *all; /* in order of first appearance */
};

/*
 * Add "p50", "p99", "p99.9" and "max" of a record's `latencies`, in ns; nothing if they are null.
 */
void al_series_add_latencies(struct al_series_list *list, const json_t *latencies);

/* Add each of a record's `costs`; nothing if they are null. */
void al_series_add_costs(struct al_series_list *list, const json_t *costs);

/*
 * Add each of a record's `counters`, summed over all threads and divided by `messages`. Adds
 * nothing if they are null.
 */
void al_series_add_counters(struct al_series_list *list, const json_t *counters, double messages);

/* Ratios of two counters, each summed over all threads: "steals_per_message" and others. */
void al_series_add_rates(struct al_series_list *list, const json_t *counters);

/* Adds each counter of the hardware that every thread of a record has: al_series_add_counters. */
void al_series_add_hardware(struct al_series_list *list, const json_t *hardware, double messages);

void al_series_release(struct al_series_list *list);

#endif
