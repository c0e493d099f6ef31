/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/run.h"

#include <stdio.h>
#include <unistd.h>

#include "benchmarks/harness/measure/interrupt.h"

/* A shorter run needs no progress. */
#define SHORT_S 10

/* A starting thread that sends for longer than this after a signal does not look for it. */
#define PATIENCE_S 5

static void look(void *argument, const struct al_outcome *outcome)
{
    struct al_run_watch *watch = argument;
    const struct al_trial *trial = &watch->run->trial;
    uint32_t warmup = outcome->n_times > 0 ? outcome->warmup
                      : trial->warmup_auto ? AL_WARMUP_MOST
                                           : trial->warmup;
    bool ends = outcome->wrong || outcome->n_times == trial->iterations;
    int number = ends ? 0 : al_interrupt_caught();
    if (number != 0) {
        struct al_outcome ended = *outcome;
        ended.interrupted = true;
        al_run_watch_end(watch);
        if (outcome->n_times == 0)
            fputs("actorlab run: interrupted before the first measured iteration had ended: there "
                  "is nothing to report\n",
                  stderr);
        else
            watch->interrupted(watch->run, &ended);
        fflush(NULL);
        al_interrupt_end(number);
    }
    watch->progress.at_most = trial->warmup_auto && outcome->n_times == 0;
    if (watch->terminal && !ends)
        al_progress_show(&watch->progress, outcome->warmup + outcome->n_times,
                         warmup + trial->iterations, trial->benchmark->plugin.name);
}

void al_run_watch_begin(struct al_run_watch *watch, struct al_run *run)
{
    watch->run = run;
    watch->terminal = isatty(STDERR_FILENO);
    watch->progress = (struct al_progress){
        .began = time(NULL), .rounds = 1, .least_s = SHORT_S, .alike = true};
    run->trial.look = look;
    run->trial.look_argument = watch;
    al_interrupt_catch(run->trial.model == NULL ? PATIENCE_S : 0);
}

void al_run_watch_end(const struct al_run_watch *watch)
{
    if (watch->terminal)
        al_progress_end();
}
