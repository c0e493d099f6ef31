/* SPDX-License-Identifier: MIT */
#ifndef AL_BENCHMARK_H
#define AL_BENCHMARK_H

/*
 * The plug-in interface of workloads. A workload is one const struct al_benchmark_ops, listed in
 * benchmarks/workloads/registry.c. It includes this file and benchmarks/workloads/support.
 *
 * One iteration: prepare; start a system; place; [ start; stop the system ] timed; check; release.
 */

#include "core/later.h"
#include "core/source.h"
#include "core/observe/histogram.h"
#include "core/random.h"

/* Whether a workload's actors ran on the workers that it placed them on. */
enum al_placed {
    AL_PLACED_UNKNOWN,  /* the workload places none, or was not asked */
    AL_PLACED_VERIFIED, /* each ran on its worker */
    AL_PLACED_UNTIED,   /* the strategy ties no actor to a worker */
};

struct al_benchmark_ops {
    struct al_plugin plugin;
    const char *stresses; /* one line: what the workload is meant to show */
    bool latencies;       /* behaviours call al_latency_record */
    bool more_messages;   /* messages says how many there are at least; the schedule decides */
    /* The number of the records by which strategies are compared, as of `actorlab compare --of`;
     * NULL: the time per message. */
    const char *judged_by;

    /* Sizes, as settings separated by spaces, which the user's own settings override. The default
     * size is that of the options. small takes well under a second; paper is NULL if the source's
     * size is the default. sim is for simulated machines: some milliseconds with 48 workers,
     * of which the starting thread is busy for less than a tenth; NULL if small will do. */
    const char *small, *paper, *sim;

    /* Optional. The approximate peak memory of an iteration in bytes, without the strategy's
     * queues. Only called for values within the options' ranges. */
    double (*bytes)(const union al_value *values, uint32_t n_workers);

    /* Optional. How many actors have about as much of the work each, or as much of their part of it
     * where one has a part of its own; the starting thread or one actor creates them in turn. */
    uint64_t (*alike)(const union al_value *values);

    /* Optional. Returns 0, or -EINVAL with a line in error for values that make no sense together.
     * Called before prepare, and by commands that only plan; on any thread, also without a system.
     * Only called for values within the options' ranges. */
    int (*check_parameters)(const union al_value *values, struct al_error *error);

    /* Allocate what an iteration needs, and return the state that the other operations are passed.
     * Not timed. The values are those of plugin.options and have passed check_parameters; seed
     * determines all random choices. */
    void *(*prepare)(const union al_value *values, uint64_t seed);

    /* The number of messages that the timed part delivers, the same in each iteration. Called after
     * the system has stopped; of workloads without place also after prepare. */
    uint64_t (*messages)(const void *state);

    /* Optional, with more_messages: how many were delivered this time, by what the actors have
     * counted. Called after the system has stopped. */
    uint64_t (*delivered)(const void *state);

    /* Optional, of open load: how long after start the last request was due, in ns; 0: the load is
     * not open. Called after the system has stopped. */
    uint64_t (*due_ns)(const void *state);

    /* Optional, with due_ns: how long after start the last request had been served, in ns; else the
     * whole time counts. Called after the system has stopped. */
    uint64_t (*served_ns)(const void *state);

    /* Optional: how evenly actors that are alike have got on, from 1 / their number, if only one
     * has, to 1: al_fairness (support/fairness.h). Called after the system has stopped. */
    double (*fairness)(const void *state);

    /* Optional, with place: the number of messages delivered before the timed part. Called after
     * the system has stopped. */
    uint64_t (*untimed)(const void *state);

    /* Optional: for workloads that determine which workers get the work. Create the actors on the
     * workers that they are meant for (al_actor_init_on). Not timed, and all messages that it sends
     * must have been delivered when it returns. Called by the external worker. */
    void (*place)(void *state);

    /* Optional, with place. In a system of its own without stealing, before anything is timed,
     * probe sends each actor one message that ends it; then probed checks that each actor ran where
     * it was meant to. Returns 0 with the answer in placement, or -EBADMSG with a line in error. */
    void (*probe)(void *state);
    int (*probed)(void *state, const struct al_report *report, enum al_placed *placement,
                  struct al_error *error);

    /* Create the actors, unless place has, and send the first messages. The timed part begins here.
     * Called by the external worker. */
    void (*start)(void *state);

    /* Is the answer right? Returns 0, or -EBADMSG with a line in error. Called after the system has
     * stopped. */
    int (*check)(void *state, struct al_error *error);

    void (*release)(void *state);
};

/* Ends with NULL. Only al_plugin_add writes to it. */
extern const struct al_plugin *al_benchmarks[AL_PLUGINS_MOST];

/* Allocate, or report that there is no memory and end the program in order. Give the result to
 * al_free. */
static inline void *al_allocate(size_t bytes)
{
    void *memory = al_malloc(bytes);
    if (memory == NULL)
        al_out_of_memory("the workload", bytes);
    return memory;
}

/* An array of zeros. Large arrays consist of pages that nobody has touched yet. */
static inline void *al_allocate_zeroed(size_t n, size_t bytes)
{
    void *memory = al_calloc(n, bytes);
    if (memory == NULL)
        al_out_of_memory("the workload", n * bytes);
    return memory;
}

/* An uninitialised array that begins on a cache line. */
static inline void *al_allocate_lines(size_t n, size_t bytes)
{
    size_t line = AL_CACHE_LINE_BYTES;
    void *memory = al_aligned_alloc(line, (n * bytes + line - 1) / line * line);
    if (memory == NULL)
        al_out_of_memory("the workload", n * bytes);
    return memory;
}

#endif
