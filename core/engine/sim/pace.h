/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_PACE_H
#define AL_SIM_PACE_H

/*
 * The clock of cores, which is slower the more cores of the package run (cores.all). A core runs
 * while a task has one of its PUs, whether it computes or spins; not while all of its tasks sleep
 * or are parked.
 */

#include <stdint.h>

#define PACE_SHIFT 14

struct package {
    uint32_t cores, run; /* how many it has, and how many of them run */
    uint32_t all;        /* cores.all, in percent */
    uint32_t pace;       /* how much longer a step takes than on one core alone, << PACE_SHIFT */
};

/* How long a step takes that takes so long on one core alone. */
static inline uint64_t package_takes(const struct package *package, uint64_t ps)
{
    return ps * package->pace >> PACE_SHIFT;
}

struct sim;
struct core;

int sim_pace_new(struct sim *sim);
void sim_pace_free(struct sim *sim);

/* A task has got a PU of the core; or has given it up. */
void sim_core_runs(struct core *core);
void sim_core_rests(struct core *core);

#endif
