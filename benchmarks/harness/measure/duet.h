/* SPDX-License-Identifier: MIT */
#ifndef AL_DUET_H
#define AL_DUET_H

#include <jansson.h>
#include <sched.h>
#include <stdint.h>

#include "core/actor.h"

/*
 * Two trials with one worker each that run at once, on a PU each, so that whatever disturbs the
 * machine disturbs both: docs/explanation/statistics.md, Duets. A socket connects them. They meet
 * before the measured iterations, and whoever is done first keeps its PU busy until the other is.
 */

struct al_duet {
    int socket;      /* to the partner; 0: there is none */
    uint64_t met_ns; /* al_clock_ns() when the measured iterations began, when they had ended */
    uint64_t done_ns;
    uint64_t left_ns; /* when this trial stopped to keep its PU busy */
    cpu_set_t before; /* where the starting thread might run */
};

/* Keep the starting thread from the partner's PU: to that of the worker. 0, or a negative errno
 * with a line in error. */
__attribute__((warn_unused_result)) int
al_duet_begin(struct al_duet *duet, const struct al_config *config, struct al_error *error);

/* Returns once the partner has come here, too, or has ended. */
void al_duet_meet(struct al_duet *duet);

/* After the measured iterations: until the partner is done, too, a process of its own calls
 * go_on(argument), which returns only if it cannot. */
void al_duet_end(struct al_duet *duet, void (*go_on)(void *argument), void *argument);

/* The key `duet` of a record; NULL without a partner. */
json_t *al_duet_json(const struct al_duet *duet);

#endif
