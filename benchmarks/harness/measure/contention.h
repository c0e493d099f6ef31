/* SPDX-License-Identifier: MIT */
#ifndef AL_CONTENTION_H
#define AL_CONTENTION_H

/*
 * Small programs that say what contention costs: some threads, each on a core of its own, do the
 * same operation again and again until one of them has done it so many times. The bodies
 * (contention_bodies.c) run natively and, compiled a second time, on the
 * simulated machine, so that what one does can be held against the other.
 */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/sync/lock.h"

#define AL_CONTENDERS_MOST 64

/* Operations between two looks at the clock's stand-in, the flag that ends a repetition. */
#define AL_CONTENTION_BATCH 16

/* What all threads of a repetition work on. Each of these is alone in a pair of lines. */
struct al_contended {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 word;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct {
        struct al_spinlock lock;
        uint64_t counter; /* beside its lock, as in a mailbox */
    } guarded;
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint64_t counter; /* of the locks below */
    _Alignas(2 * AL_CACHE_LINE_BYTES) union al_lock ticket;
    _Alignas(2 * AL_CACHE_LINE_BYTES) union al_lock queue;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_lock_choice by_ticket, by_queue; /* constant */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 over;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 arrived;
};

/* A thread. */
struct al_contender {
    /* The blocks that the thread before gives to this one. */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_ptr given;
    /* Its own. */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_contended *shared;
    const struct al_contention *what;
    struct al_contender *next; /* the last one's is the first */
    uint32_t n, repeats;
    bool thinks;
    void **own, **at; /* memory that no other thread uses */
    uint64_t sum, done, began_ns, ended_ns;
    struct al_contender *all; /* of the first: itself and the others, in their order */
    struct al_samples *ns;    /* of the first: what an operation took, of all threads together */
};

/* An experiment. */
struct al_contention {
    const char *name, *help;
    uint32_t operations; /* of the fastest thread in a repetition: a multiple of the batch */
    size_t own_bytes;    /* memory for each thread */
    bool random;         /* whose lines point to one another in random order, or to nothing */
    bool can_think;      /* also with AL_CONTENTION_PAUSES after each operation */
    void (*batch)(struct al_contender *self);
};
#define AL_CONTENTION_PAUSES 4

extern const struct al_contention al_contentions[];
extern const size_t al_contentions_n;

/*
 * A batch of an operation, which is a call. self->thinks is looked at once, so that nothing else is
 * between two operations.
 */
#define AL_CONTENTION_REPEAT(self, operation)                                                      \
    do {                                                                                           \
        bool thinks = (self)->thinks;                                                              \
        for (int i = 0; !thinks && i < AL_CONTENTION_BATCH; i++)                                   \
            operation;                                                                             \
        for (int i = 0; thinks && i < AL_CONTENTION_BATCH; i++) {                                  \
            operation;                                                                             \
            for (int pause = 0; pause < AL_CONTENTION_PAUSES; pause++)                             \
                al_pause();                                                                        \
        }                                                                                          \
    } while (0)

/* PUs of different cores, the nearest first; returns how many, at most AL_CONTENDERS_MOST, or a
 * negative errno with a line in error. */
__attribute__((warn_unused_result)) int al_contention_pus(const struct al_topology *topology,
                                                          unsigned pus[AL_CONTENDERS_MOST],
                                                          struct al_error *error);

/*
 * The first n of these PUs do an experiment `repeats` times. Adds to ns what an operation took,
 * of all threads together: the time of a repetition divided by all operations. Errors are those of
 * calibrate.h.
 */
__attribute__((warn_unused_result)) int
al_contention_run(const struct al_topology *topology, const struct al_contention *what, bool thinks,
                  const unsigned *pus, uint32_t n, uint32_t repeats, struct al_samples *ns);

#endif
