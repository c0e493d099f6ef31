/* SPDX-License-Identifier: MIT */
#ifndef AL_CALIBRATION_H
#define AL_CALIBRATION_H

/*
 * The parameters of a machine by measuring: which PUs to measure on (calibration_plan.c), and what
 * follows from what calibrate_*.c measure there. What cannot be measured on a machine is estimated,
 * and marked as such.
 */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

/* How often each quantity is measured, natively and on a simulated machine, whose values differ
 * only by what the measurement changes. */
#define AL_CALIBRATION_REPEATS     101
#define AL_CALIBRATION_REPEATS_SIM 3

#define AL_CALIBRATION_PAIRS_MOST 32

/* Two PUs to measure between. */
struct al_calibration_pair {
    enum al_model_key class; /* of hand-offs */
    unsigned pu, other;
    struct al_samples handoff, exchange, passes[AL_PASSES]; /* ns */
};

struct al_calibration {
    struct al_calibrator calibrator;
    bool needs[AL_MODEL_KEYS];
    unsigned *pus; /* in the order of placement */
    size_t n_pus;
    struct al_calibration_pair pairs[AL_CALIBRATION_PAIRS_MOST];
    size_t n_pairs;
    /* Called before each step. */
    void (*progress)(void *argument, size_t step, size_t n_steps, const char *what);
    void *argument;
    struct al_model_value values[AL_MODEL_KEYS]; /* the result; sources are owned */
};

/* Plan to measure this topology. -ENOMEM, -EINVAL. Free in any case. */
__attribute__((warn_unused_result)) int al_calibration_new(struct al_calibration *calibration,
                                                           const struct al_topology *topology,
                                                           size_t repeats, struct al_error *error);
void al_calibration_free(struct al_calibration *calibration);

/* Measure all that can be measured, natively or, called in a run of the simulated machine, there.
 * The caller's thread starts others. A negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_calibration_run(struct al_calibration *calibration,
                                                           struct al_error *error);

/* Add what another calibration of the same topology has measured. */
void al_calibration_pool(struct al_calibration *to, const struct al_calibration *from);

/* Which quantile of what one PU does alone is the value: a busy sibling that belongs to another
 * guest, an interrupt or a lower frequency only makes it slower. Of what two PUs do, it is the
 * median, because a host may also bring them closer together than they are. */
#define AL_CALIBRATION_ALONE 0.1

/* Fill in `values` from what was measured; `source` is that of each. */
void al_calibration_conclude(struct al_calibration *calibration, const char *source);

/* A value that was found out otherwise. */
void al_calibration_set(struct al_calibration *calibration, enum al_model_key key, double value,
                        double low, double high, enum al_model_quality quality, const char *source);

/* calibration_plan.c: the PUs and the pairs of them. Part of al_calibration_new. */
__attribute__((warn_unused_result)) int al_calibration_plan(struct al_calibration *calibration,
                                                            struct al_error *error);

/* The nearest pair of PUs of different cores, or the farthest; NULL: there is none. */
const struct al_calibration_pair *
al_calibration_between_cores(const struct al_calibration *calibration, bool farthest);

/* What is wrong if the measurements returned this; or 0. */
int al_calibration_check(int code, struct al_error *error);

/* PUs, at most `most`, of different cores that share the L3 of the first; returns how many. */
size_t al_calibration_sharers(const struct al_calibration *calibration, unsigned *pus, size_t most);

/* A PU of each core of the first one's package, or of its node; returns how many. `pus` has room
 * for all. */
size_t al_calibration_cores(const struct al_calibration *calibration, bool of_node, unsigned *pus);

/* Two PUs whose memories are in this class, and two PUs of a package beyond an L3 with a third in
 * another package. False: there are none. */
bool al_calibration_memory_pair(const struct al_calibration *calibration, enum al_model_key class,
                                unsigned *pu, unsigned *home);
bool al_calibration_away(const struct al_calibration *calibration, unsigned *pu, unsigned *other,
                         unsigned *home);

#endif
