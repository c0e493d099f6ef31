/* SPDX-License-Identifier: MIT */
#ifndef AL_DISTURBANCE_H
#define AL_DISTURBANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* How many trials of sweeps were disturbed, and by what: docs/reference/noise.md. */

struct al_disturbance {
    size_t watched, disturbed, unwatched; /* judged by the gate of a sweep, or not */
    double waited_s;
    json_t *reasons; /* what disturbed trials: how many; NULL: nothing */
};

/* Whether a gate has judged the trial of this record; then disturbed says its judgement. */
bool al_record_is_watched(const json_t *record, bool *disturbed);

void al_disturbance_add(struct al_disturbance *disturbance, const json_t *record);

/* "noise: 3 of 40 trials disturbed (steal: 3)", which the caller frees; NULL if no gate looked. */
char *al_disturbance_text(const struct al_disturbance *disturbance);

/* If more than half of the watched trials were disturbed: that, and what to do about their reasons;
 * else NULL. The caller frees it. */
char *al_disturbance_warning(const struct al_disturbance *disturbance);

/* The key `disturbance` of docs/reference/results.md. */
json_t *al_disturbance_json(const struct al_disturbance *disturbance);

void al_disturbance_release(struct al_disturbance *disturbance);

#endif
