/* SPDX-License-Identifier: MIT */
#ifndef AL_TRIAL_H
#define AL_TRIAL_H

/* One workload on one strategy, run and timed several times in this process: an invocation. */

#include <time.h>

#include "benchmarks/harness/measure/handoff.h"
#include "benchmarks/harness/measure/hardware.h"
#include "benchmarks/harness/measure/steady.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/engine/sim/sim.h"
#include "core/machine/topology.h"

struct al_outcome;

/* What to run. */
struct al_trial {
    const struct al_benchmark_ops *benchmark;
    struct al_selection parameters; /* of the benchmark */
    struct al_config config;        /* with all three plug-ins */
    struct al_topology *topology;
    uint32_t warmup, iterations;
    bool warmup_auto; /* not `warmup` iterations, but until al_warm */
    bool no_hardware; /* open no hardware counters */
    /* NULL, or called at least twice a second while iterations run, and after each. It need not
     * return; the outcome is then that of the iterations that have ended. */
    void (*look)(void *argument, const struct al_outcome *outcome);
    void *look_argument;
    uint32_t trace_events;        /* events of the last iteration to keep, as in struct al_config */
    const char *trace;            /* the file for these events, or NULL */
    const struct al_model *model; /* of the machine to simulate; NULL: this one, natively */
    const char *machine;          /* its name, for records */
    enum al_coroutine_backend coroutines; /* of a simulated machine */
};

/*
 * Bytes by jemalloc's count, after the last iteration's workers ended and before anything was
 * released; 0: unknown.
 */
struct al_memory {
    uint64_t allocated, resident;
};

/* The result of a trial. */
struct al_outcome {
    uint64_t *time_ns; /* one per iteration with a right answer, warm-up excluded */
    uint32_t n_times;
    enum al_placed placement;
    uint32_t warmup;           /* iterations before the measured ones */
    enum al_steady warm;       /* with warmup_auto: whether they became steady */
    struct al_handoff handoff; /* probed before the first iteration */
    time_t started;            /* wall-clock time of its start */
    uint64_t messages;         /* per iteration */
    uint64_t began_ns;         /* al_clock_ns() when the time of the last iteration began */
    double overrun;    /* when the last request was served, over when it was due; 0: no open load */
    double fairness;   /* Jain's index of its actors; 0: it has none */
    uint64_t start_ns; /* how long its system took to start; 0: simulated */
    uint64_t stop_ns;  /* and to stop, after the last message */
    struct al_report report; /* of the last iteration; counters are sums over all measured ones */
    struct al_memory memory;
    struct al_noise *noise; /* during the measured iterations */
    struct al_hardware *hardware;
    struct al_sim_report simulated; /* of a simulated trial, once it has ended */
    uint64_t starter_ns;            /* likewise: how long the last iteration's starter was busy */
    double host_s;                  /* likewise: processor time that the simulation took */
    struct al_error error;          /* what was wrong, if an iteration's answer was */
    bool wrong;
    bool interrupted; /* a signal ended the trial before its last iteration */
};

/* The number of workers asked for, by default one for each processor of this process. */
uint32_t al_trial_workers(const struct al_trial *trial);

/* Do the benchmark's parameters make sense together? 0, or -EINVAL with a line in error. */
__attribute__((warn_unused_result)) int al_trial_check_parameters(const struct al_trial *trial,
                                                                  struct al_error *error);

/* Refuse a trial that needs more memory than is free: 0, or -EINVAL with a line in error. */
__attribute__((warn_unused_result)) int al_trial_check_memory(const struct al_trial *trial,
                                                              struct al_error *error);

/*
 * Run a trial. 0, also if an answer was wrong; a negative errno with a line in error if it could
 * not run as configured. Free the outcome with al_outcome_free in either case.
 */
__attribute__((warn_unused_result)) int
al_trial_run(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error);

/* Report on a system without work, for the record of a trial that ended before it began. As
 * al_system_start. */
__attribute__((warn_unused_result)) int al_trial_report_nothing(const struct al_trial *trial,
                                                                struct al_report *report,
                                                                struct al_error *error);

void al_outcome_free(struct al_outcome *outcome);

#endif
