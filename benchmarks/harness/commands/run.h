/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_H
#define AL_RUN_H

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/trial.h"
#include "schedulers/registry.h"

/* What `actorlab run` was asked for. */

struct al_run {
    const char *topology, *json, *machine;
    const char *like;    /* the file of a profile, or NULL */
    const char *profile; /* the file for it, or NULL */
    unsigned engine;     /* its place in run_arguments.c's engines */
    unsigned coroutines;
    unsigned size; /* its place in run_arguments.c's sizes */
    uint64_t workers, iterations, warmup, timeout_s, trace_events;
    bool stats, all_workers, profiled;
    struct al_pairs pairs;       /* --set */
    struct al_pairs model;       /* --model */
    char *machine_name;          /* as records have it */
    char *preset;                /* the settings of the size or the profile, cut at the spaces */
    struct al_setting *settings; /* of these and --set; those of the system follow */
    struct al_choice choice;
    struct al_trial trial;
};

extern const struct al_argument al_run_arguments[];

/*
 * Parse the words of a run, look up its plug-ins and parse their options. -EINVAL with a line in
 * error for a mistake. Release it in either case. It refers to the words, and modifies them.
 */
__attribute__((warn_unused_result)) int al_run_parse(int argc, char **argv, struct al_run *run,
                                                     struct al_error *error);
void al_run_release(struct al_run *run);

/* Parameters of the workload synthetic that imitate the profile in this file, as "key=value" with
 * spaces between them. 0, or -EINVAL with a line in error. The caller frees them. */
__attribute__((warn_unused_result)) int al_run_like(const char *path, char **settings,
                                                    struct al_error *error);

/* What al_topology_load takes for this run: the file of its machine, its --topology, or NULL for
 * this machine. -EINVAL with a line in error for an unknown machine. The caller frees it. */
__attribute__((warn_unused_result)) int al_run_topology(const struct al_run *run, char **spec,
                                                        struct al_error *error);

/*
 * The machine of a run that simulates one, with its --model, into its trial; NULL for a native one.
 * -EINVAL with a line in error for a mistake. Free the model with al_model_free in either case.
 */
__attribute__((warn_unused_result)) int al_run_model(struct al_run *run,
                                                     const struct al_topology *topology,
                                                     struct al_model **model,
                                                     struct al_error *error);

/* What `actorlab run` looks at while iterations run: whether somebody interrupts it, and whether it
 * takes so long that its progress is worth a line. */

struct al_run_watch {
    const struct al_run *run;
    /* Prints and records the outcome of a trial that a signal ends. */
    void (*interrupted)(const struct al_run *run, const struct al_outcome *outcome);
    bool terminal; /* stderr is one */
    struct al_progress progress;
};

/* Begin to watch a trial, before it is run. */
void al_run_watch_begin(struct al_run_watch *watch, struct al_run *run);

/* Remove the line, once the trial has ended. */
void al_run_watch_end(const struct al_run_watch *watch);

#endif
