/* SPDX-License-Identifier: MIT */
#ifndef AL_CONFORMANCE_H
#define AL_CONFORMANCE_H

/* One case of the conformance suite: on the virtual engine with many seeds (seeds.c), on a
 * simulated machine with few (machine.c), on threads in a few rounds (rounds.c). */

#include <stdbool.h>
#include <stdint.h>

#include "tests/conformance/combinations.h"
#include "tests/conformance/scenarios.h"

/* What --seeds or --rounds sets. */
extern const struct repetition {
    const char *option;
    uint64_t n, n_deep;
    uint64_t parts; /* one part of the scenarios runs with another heuristic or policy; 1: all do */
    bool subset;    /* by default without other heuristics and policies */
} repetition;

struct options {
    const char *program, *filter;
    bool list, one_seed, subset;
    uint64_t seed, n; /* n: seeds or rounds */
    uint64_t parts;
};

/* How to report a crash or an abort; the signal handler reads it. */
extern char replay[1024];

/* The configuration of the i-th repetition, with its seed; sets replay. when: "with seed" or "in
 * round". */
struct al_config nth_config(const struct options *options, const struct combination *combination,
                            uint64_t i, const char *when);

struct job {
    const struct scenario *scenario;
    const struct al_config *config;
    bool large, refused;
};

/* Call function(job), on the engine or on this thread. */
void run_job(void (*function)(void *), struct job *job);

/* True if the scenario holds with all seeds or rounds; most failures abort. */
bool run_case(const struct options *options, const struct scenario *scenario,
              const struct combination *combination);

/* True if a flood of messages runs with this combination. */
bool takes_floods(const struct combination *combination);

/* For run_job: run the scenario of a job. */
void run_scenario(void *job);

#endif
