/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_H
#define AL_RUN_H

/* What `actorlab run` was asked for. */

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/trial.h"
#include "schedulers/registry.h"

struct al_run {
    const char *topology, *json, *machine;
    const char *profile; /* the file for it, or NULL */
    unsigned engine;     /* its place in run_arguments.c's engines */
    unsigned coroutines;
    unsigned size; /* its place in run_arguments.c's sizes */
    uint64_t workers, iterations, warmup, timeout_s, trace_events, partner;
    bool stats, all_workers, profiled;
    struct al_pairs pairs;       /* --set */
    struct al_pairs model;       /* --model */
    char *machine_name;          /* as records have it */
    char *preset;                /* the settings of the size, cut at the spaces */
    struct al_setting *settings; /* of the size and --set; those of the system follow */
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

#endif
