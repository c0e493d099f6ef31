/* SPDX-License-Identifier: MIT */
#ifndef AL_FLOORS_H
#define AL_FLOORS_H

/*
 * What a message costs at least on this machine: the steps that a strategy is made of, each alone,
 * by the code of calibrate.h; and whole workloads over one ring of envelopes (the peer `ring`),
 * with strategies beside it.
 */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

enum al_floor {
    /* on one PU */
    AL_FLOOR_COUNTER,
    AL_FLOOR_UPDATE,
    AL_FLOOR_ENVELOPE,
    AL_FLOOR_BLOCK,
    AL_FLOOR_MALLOC,
    AL_FLOOR_FENCE,
    AL_FLOOR_EXCHANGE,
    AL_FLOOR_LOCK,
    /* on two */
    AL_FLOOR_POLLED,
    AL_FLOOR_HANDOFF,
    AL_FLOOR_PUBLISH_1,
    AL_FLOOR_PUBLISH_4,
    AL_FLOOR_PUBLISH_16,
    AL_FLOOR_PUBLISH_64,
    AL_FLOORS,
    AL_FLOORS_ALONE = AL_FLOOR_POLLED /* how many are on one PU */
};

/* The name of each, for programs, and what it is. */
struct al_floor_text {
    const char *name, *help;
};
extern const struct al_floor_text al_floor_texts[AL_FLOORS];

/* The workloads that only pass messages, in sizes that take well under a second. */
#define AL_FLOOR_WORKLOADS  10
#define AL_FLOOR_STRATEGIES 16 /* at most so many beside the ring */
struct al_floor_workload {
    const char *name, *size; /* the size as settings, separated by spaces */
};
extern const struct al_floor_workload al_floor_workloads[AL_FLOOR_WORKLOADS];

struct al_floors {
    /* what to measure */
    const struct al_topology *topology;
    size_t repeats; /* how often to measure each step */
    size_t rounds;  /* how often to run each workload */
    const char *strategies[AL_FLOOR_STRATEGIES];
    size_t n_strategies;
    /* NULL, or called before each part. */
    void (*progress)(void *argument, size_t step, size_t n_steps, const char *what);
    void *argument;
    /* what was found, in nanoseconds; NAN: it needs a second PU */
    unsigned pus[2]; /* that were measured on */
    size_t n_pus;
    double ns[AL_FLOORS];
    /* for each message: the ring's, then the strategies' */
    double message_ns[AL_FLOOR_WORKLOADS][1 + AL_FLOOR_STRATEGIES];
};

/* Measure all of it, on the first two PUs of the placement `close`. The caller's thread starts
 * others, and processes. A negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_floors_run(struct al_floors *floors,
                                                      struct al_error *error);

/*
 * Parts of it. Like those of calibrate.h, they add to the samples and return 0, -ENOMEM, -EAGAIN or
 * -EPERM.
 */

/* AL_FLOOR_UPDATE, _ENVELOPE, _BLOCK, _EXCHANGE and _LOCK, by loops on one PU. */
__attribute__((warn_unused_result)) int
al_floors_loops(struct al_calibrator *calibrator, unsigned pu, struct al_samples ns[AL_FLOORS]);

/* AL_FLOOR_POLLED: the loop of AL_FLOOR_LOCK, while another PU looks at the lock all the time. */
__attribute__((warn_unused_result)) int al_floors_polled(struct al_calibrator *calibrator,
                                                         unsigned pu, unsigned other,
                                                         struct al_samples *ns);

/* One envelope through a ring that one PU fills and another empties. The one that fills it says so
 * after every `batch` envelopes, which is a power of two up to 64. */
__attribute__((warn_unused_result)) int al_floors_spsc(struct al_calibrator *calibrator,
                                                       unsigned pu, unsigned other, uint64_t batch,
                                                       struct al_samples *ns);

/* The first part of al_floors_run, in floors_messages.c: the times of messages. How many of its
 * n_steps this takes. */
__attribute__((warn_unused_result)) int al_floors_messages(struct al_floors *floors, size_t n_steps,
                                                           struct al_error *error);
size_t al_floors_message_steps(const struct al_floors *floors);

#endif
