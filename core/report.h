/* SPDX-License-Identifier: MIT */
#ifndef AL_REPORT_H
#define AL_REPORT_H

/* The report of a run: what each worker counted, and where it ran. */

#include <stdbool.h>
#include <stdint.h>

#include "core/option.h"
#include "core/observe/counters.h"

struct al_histogram;
struct al_system;
struct al_trace;

/* Copied out by al_system_stop. Free it with al_report_free. */
struct al_report {
    uint32_t n_workers;
    struct al_worker_report {
        uint64_t actors_created, actors_terminated;
        struct al_counters counters;
        /* one for each level of the worker's locality, from small to large; NULL without
         * counters */
        struct al_level_steals {
            char level[24];
            uint64_t steals;
        } * steals_by_level;
        uint32_t n_levels;
        int pu, bound, node; /* PU asked for, PU seen, NUMA node of its memory: OS indices, or -1 */
        struct al_trace *trace;                  /* or NULL */
    } * workers;                                 /* n_workers, then the external one */
    struct al_selection scheduler, victim, idle; /* with the values in force */
    char locality[128]; /* al_locality_describe: the levels that the workers stand in */
    bool oversubscribed;
    struct al_histogram *latencies; /* of all workers, in cycles; NULL if none were recorded */
    double ns_per_cycle;
    uint64_t started_ns, started_cycles; /* both clocks when the system was started */
    uint64_t queue_bytes;                /* that the strategy's queues held at the end */
    uint64_t queue_peak_bytes;           /* the most that they held at once; 0 without counters */
    uint64_t ended_ns;   /* al_clock_ns() when no actor was left and the system was to stop */
    uint64_t unreceived; /* checks build: messages that were never received */
};

void al_report_free(struct al_report *report);

/* For al_system_stop, when the workers have ended and before the system is released. */
void al_report_fill(struct al_report *report, const struct al_system *system);

#endif
