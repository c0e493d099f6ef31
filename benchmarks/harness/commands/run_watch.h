/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_WATCH_H
#define AL_RUN_WATCH_H

/* What `actorlab run` looks at while iterations run: whether somebody interrupts it, and whether it
 * takes so long that its progress is worth a line. */

#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/commands/run.h"

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
