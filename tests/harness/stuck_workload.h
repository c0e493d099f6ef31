/* SPDX-License-Identifier: MIT */
#ifndef AL_STUCK_WORKLOAD_H
#define AL_STUCK_WORKLOAD_H

/* A workload that never ends in one of these ways, which its only option chooses. */

#include "benchmarks/workloads/benchmark.h"

enum way {
    FORGOTTEN, /* an actor that nobody tells to terminate */
    FATAL,     /* a check fails */
    ENDLESS,   /* a behaviour that sleeps again and again */
    ENDS,      /* it does end */
};

#define STUCK_MESSAGES 5

extern const struct al_benchmark_ops al_stuck_workload;

#endif
