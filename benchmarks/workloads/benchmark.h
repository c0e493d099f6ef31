/* SPDX-License-Identifier: MIT */
#ifndef AL_BENCHMARK_H
#define AL_BENCHMARK_H

/*
 * The plug-in interface of workloads. A workload includes this file and nothing else of the
 * project; it is one const struct al_benchmark_ops, listed in benchmarks/workloads/registry.c.
 *
 * One iteration: prepare; start a system; place; [ start; stop the system ] timed; check; release.
 */

#include "core/actor.h"
#include "core/observe/histogram.h"
#include "core/random.h"

struct al_benchmark_ops {
    struct al_plugin plugin;
    const char *stresses; /* one line: what it is meant to show */
    bool latencies;       /* behaviours call al_latency_record */

    /* Sizes, as settings separated by spaces that go before the user's own; the defaults of the options are
     * the default. small takes well under a second; paper is NULL if the source's size is the default. */
    const char *small, *paper;

    /* Optional. About how many bytes an iteration with so many workers needs at its peak, beside what the strategy
     * needs for its own queues. Not called for values that the options' ranges refuse. */
    double (*bytes)(const union al_value *values, uint32_t n_workers);

    /* Optional. 0, or for values that make no sense together -EINVAL with a line in error. Called before prepare, and
     * by whoever plans; any thread, and no system need run. Not called for values that the options' ranges refuse. */
    int (*check_parameters)(const union al_value *values, struct al_error *error);

    /* Allocate what an iteration needs, and return the state that the other operations are passed. Not timed. The
     * values are those of plugin.options and have passed check_parameters; seed determines all random choices. */
    void *(*prepare)(const union al_value *values, uint64_t seed);

    /* How many messages an iteration delivers in its time, the same in each. After the system has stopped. */
    uint64_t (*messages)(const void *state);

    /* Optional, with place: how many were delivered before the time began. After the system has stopped. */
    uint64_t (*untimed)(const void *state);

    /* Optional: for workloads that say which worker is to have the work. Create the actors on the workers that they
     * are meant for (al_actor_init_on). Not timed: what it sends must have been delivered when it returns. External
     * worker. */
    void (*place)(void *state);

    /* Optional, with place: in a system of its own, before anything is timed and without stealing, send each actor
     * one message that ends it; then say whether each ran where it was meant to. 0; 1 if the strategy ties no actor
     * to a worker; or -EBADMSG with a line in error. */
    void (*probe)(void *state);
    int (*probed)(void *state, const struct al_report *report, struct al_error *error);

    /* Create the actors, if place has not, and send the first messages: the timed part begins here. External
     * worker. */
    void (*start)(void *state);

    /* After the system has stopped: is the answer right? 0, or -EBADMSG with a line in error. */
    int (*check)(void *state, struct al_error *error);

    void (*release)(void *state);
};

extern const struct al_plugin *const al_benchmarks[];

/* Allocate, or report that there is no memory and end the program in order. free() the result. */
static inline void *al_allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL)
        al_out_of_memory("the workload", bytes);
    return memory;
}

/* An array of zeros, whose pages need not have been touched yet. */
static inline void *al_allocate_zeroed(size_t n, size_t bytes)
{
    void *memory = calloc(n, bytes);
    if (memory == NULL)
        al_out_of_memory("the workload", n * bytes);
    return memory;
}

/* An array, not initialised, that begins on a cache line. */
static inline void *al_allocate_lines(size_t n, size_t bytes)
{
    size_t line = AL_CACHE_LINE_BYTES;
    void *memory = aligned_alloc(line, (n * bytes + line - 1) / line * line);
    if (memory == NULL)
        al_out_of_memory("the workload", n * bytes);
    return memory;
}

#endif
