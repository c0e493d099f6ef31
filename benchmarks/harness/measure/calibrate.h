/* SPDX-License-Identifier: MIT */
#ifndef AL_CALIBRATE_H
#define AL_CALIBRATE_H

/*
 * Measures what the steps of a machine cost: the parameters of core/machine/model.h. The code of
 * calibrate_*.c runs natively and, compiled a second time, on the simulated machine, so it uses
 * nothing but core/sync/sync.h and al_topology_bind. What to measure where, and what to make of it,
 * is in calibration.h.
 *
 * Times are in nanoseconds. All functions return 0, -ENOMEM, -EAGAIN (no thread), or -EPERM: a
 * thread could not be bound to its PU. To be called from one thread at a time, which measures
 * nothing itself and may run anywhere.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine/model.h"
#include "core/sync/sync.h"

#define AL_SAMPLES_MOST         1024
#define AL_CALIBRATE_PAGE_BYTES ((size_t)1 << 12)

/* Values of one quantity, in the order in which they were measured; later ones than AL_SAMPLES_MOST
 * are dropped. */
struct al_samples {
    double values[AL_SAMPLES_MOST];
    size_t n;
};

static inline void al_samples_add(struct al_samples *samples, double value)
{
    if (samples->n < AL_SAMPLES_MOST)
        samples->values[samples->n++] = value;
}

/* NAN if there are none. */
double al_samples_median(const struct al_samples *samples);
double al_samples_quantile(const struct al_samples *samples, double p);

struct al_calibrator {
    const struct al_topology *topology;
    size_t repeats;      /* how often to measure each quantity */
    uint32_t l1, l2, l3; /* lines in each cache; 0: there is none */
    struct al_samples samples[AL_MODEL_KEYS];
    struct al_samples exchange; /* a hand-off by load and store */
    void *sweep;                /* memory to fill caches with, or NULL */
    void **blocks;              /* all memory to measure on, which is not used twice: it */
    size_t n_blocks;            /* would keep its NUMA node */
};

/* After all measurements. */
void al_calibrator_release(struct al_calibrator *calibrator);

/* A thread of al_calibrate_run. */
struct al_calibrate_thread {
    void (*function)(void *);
    void *argument;
    unsigned pu;
    /* al_calibrate_run's own */
    struct al_calibrate_meeting *meeting;
    struct al_thread thread;
};

/* Run these threads on their PUs, beginning at about the same time, until all have ended. */
__attribute__((warn_unused_result)) int
al_calibrate_run(const struct al_topology *topology, struct al_calibrate_thread *threads, size_t n);

/* Run a function on a PU; or two at the same time, with the same argument. */
__attribute__((warn_unused_result)) int al_calibrate_on(const struct al_calibrator *calibrator,
                                                        unsigned pu, void (*function)(void *),
                                                        void *argument);
__attribute__((warn_unused_result)) int al_calibrate_both(const struct al_calibrator *calibrator,
                                                          unsigned pu, void (*function)(void *),
                                                          unsigned other, void (*at_other)(void *),
                                                          void *argument);

/* Whose turn it is of two such threads, on memory of its own: a number that both count on. */
struct al_calibrate_turn {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 number;
};

static inline void al_calibrate_wait_for(const struct al_calibrate_turn *turn, uint32_t number)
{
    /* acquire: partner is the release in al_calibrate_pass_on. Without it a thread could begin
     * before the other's lines are prepared. */
    while (al_u32_load_acquire(&turn->number) != number)
        al_pause();
}

static inline void al_calibrate_pass_on(struct al_calibrate_turn *turn, uint32_t number)
{
    al_fence_seq_cst(); /* so that no write is under way when the other thread begins */
    al_u32_store_release(&turn->number, number); /* partner: acquire in al_calibrate_wait_for */
}

/* A loop of AL_CALIBRATE_LOOP steps: long enough for two readings of the clock not to matter, short
 * enough for most not to be interrupted. */
#define AL_CALIBRATE_LOOP 4000
struct al_calibrate_loop {
    void (*loop)(void *place);
    struct al_samples *ns; /* for each step */
};

/* Run the loops on the calling thread, one after the other, and again `repeats` times; add to the
 * samples of each what a step took. All have the same place. */
void al_calibrate_loops(const struct al_calibrate_loop *loops, size_t n, void *place,
                        size_t repeats);

/* Zeroed memory on the node of a PU, at the start of a page. Freed by al_calibrator_release. */
__attribute__((warn_unused_result)) int
al_calibrate_memory(struct al_calibrator *calibrator, unsigned pu, size_t bytes, void **memory);

/*
 * The measurements. Each adds to calibrator->samples, or to `ns`, what it names.
 */

/* On one PU: locked, locked.amid, fence, pause, yield, clock, counter, frequency, wake.nobody,
 * park.refused, sleep.slack. To be called first: others need clock and yield. */
__attribute__((warn_unused_result)) int al_calibrate_instructions(struct al_calibrator *calibrator,
                                                                  unsigned pu);

/* Loads by one PU that depend on each other: l1.hit, l2.hit and l3.hit. */
__attribute__((warn_unused_result)) int al_calibrate_caches(struct al_calibrator *calibrator,
                                                            unsigned pu);

/* The same from the memory of the node of `home`, beyond a load from the L1. After
 * al_calibrate_caches. */
__attribute__((warn_unused_result)) int al_calibrate_memories(struct al_calibrator *calibrator,
                                                              unsigned pu, unsigned home,
                                                              struct al_samples *ns);

/* Hand-offs of a line between two PUs, by a compare-and-swap or by a load and a store. The line's
 * home is the node of `home`. */
__attribute__((warn_unused_result)) int al_calibrate_handoff(struct al_calibrator *calibrator,
                                                             unsigned pu, unsigned other,
                                                             unsigned home, bool swaps,
                                                             struct al_samples *ns);

/* How a PU accesses lines of which another has the only copy. */
enum al_calibrate_pass {
    AL_PASS_DEPENDENT,   /* reads each line for the address of the next */
    AL_PASS_INDEPENDENT, /* reads them in random order */
    AL_PASS_SEQUENTIAL,  /* reads them in the order of their addresses */
    AL_PASS_UPDATE,      /* has read them, as the other has; changes each for the next's address */
    AL_PASS_TAKE,        /* changes each for the next's address */
    AL_PASSES
};

/* The time for each line, beyond that for a line in the own L1. */
__attribute__((warn_unused_result)) int al_calibrate_lines(struct al_calibrator *calibrator,
                                                           unsigned pu, unsigned other,
                                                           struct al_samples ns[AL_PASSES]);

/* Threads and the kernel on one PU: thread.start, switch, slice, park. */
__attribute__((warn_unused_result)) int al_calibrate_threads(struct al_calibrator *calibrator,
                                                             unsigned pu);

/* A sleeper on another PU: wake, wake.latency, idle.poll, wake.halted, wake.halted.latency. After
 * al_calibrate_instructions and al_calibrate_threads. */
__attribute__((warn_unused_result)) int al_calibrate_wake(struct al_calibrator *calibrator,
                                                          unsigned pu, unsigned sleeper);

/* malloc, free, page.fault, and malloc.flush, which is by blocks that another PU allocated. */
__attribute__((warn_unused_result)) int al_calibrate_allocator(struct al_calibrator *calibrator,
                                                               unsigned pu, unsigned other);

/* line.busy, by so many readers on cores that share an L3, with each other and with the writer. */
#define AL_READERS_LEAST 4
#define AL_READERS_MOST  15
__attribute__((warn_unused_result)) int al_calibrate_readers(struct al_calibrator *calibrator,
                                                             unsigned writer,
                                                             const unsigned *readers, size_t n);

/* line.kept, by additions to one word by two PUs of different cores, whose hand-off takes
 * handoff_ns. After al_calibrate_instructions. */
__attribute__((warn_unused_result)) int
al_calibrate_kept(struct al_calibrator *calibrator, unsigned pu, unsigned other, double handoff_ns);

/* store.buffer, by storing to lines of another core, each of which takes handoff_ns. Adds nothing
 * if no store waits. After al_calibrate_instructions. */
__attribute__((warn_unused_result)) int al_calibrate_stores(struct al_calibrator *calibrator,
                                                            unsigned pu, unsigned other,
                                                            double handoff_ns);

/* smt, by two PUs of a core, or cores.all, by one PU of each core of a package: the speed of the
 * first while the others work too, in percent of that alone. */
__attribute__((warn_unused_result)) int al_calibrate_beside(struct al_calibrator *calibrator,
                                                            const unsigned *pus, size_t n,
                                                            struct al_samples *share);

/* memory.bandwidth, by PUs of different cores of a node. Adds nothing if memory does not limit
 * them. */
__attribute__((warn_unused_result)) int al_calibrate_bandwidth(struct al_calibrator *calibrator,
                                                               const unsigned *pus, size_t n);

#endif
