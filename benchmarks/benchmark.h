/* SPDX-License-Identifier: MIT */
#ifndef AL_BENCHMARK_H
#define AL_BENCHMARK_H

/*
 * The plug-in interface of workloads. A workload includes this file and nothing else of the
 * project; it is one const struct al_benchmark_ops, listed in benchmarks/registry.c.
 *
 * One iteration: prepare; start a system; [ start; stop the system ] timed; check; release.
 */

#include "core/actor.h"

struct al_benchmark_ops {
    struct al_plugin plugin;

    /* Allocate what an iteration needs; not timed. values are those of plugin.options. *state is
     * passed to the rest. Sizes that make no sense together: -EINVAL with a line in error. */
    int (*prepare)(const union al_value *values, void **state, struct al_error *error);

    /* How many messages an iteration delivers. */
    uint64_t (*messages)(const union al_value *values);

    /* Create the actors and send the first messages: the timed part begins here. External worker.
     */
    void (*start)(void *state);

    /* After the system has stopped: is the answer right? 0, or -EBADMSG with a line in error. */
    int (*check)(void *state, struct al_error *error);

    void (*release)(void *state);
};

extern const struct al_plugin *const al_benchmarks[];

#endif
