/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/simulated.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/stuck.h"
#include "benchmarks/harness/text/json.h"
#include "core/sync/sync.h"

#define SIMULATOR  "actorlab-sim"
#define LOOK_STEPS (1 << 20) /* every half a second or so */

int al_simulate_exec(char **argv, struct al_error *error)
{
    char path[PATH_MAX];
    int code = al_child_beside(SIMULATOR, path, sizeof path, error);
    if (code != 0)
        return code;
    if (access(path, X_OK) == 0 && access(path, R_OK) != 0)
        return al_error_set(error, -errno,
                            "cannot read the simulator %s, to compare its sources with those of "
                            "this program: %s; valid: a file that may be read and executed",
                            path, strerror(errno));
    if (access(path, X_OK) == 0 && !al_binary_is_alike(path))
        return al_error_set(error, -ESTALE,
                            "the simulator %s was not built from the sources of this program; "
                            "`ninja -C build actorlab` builds both",
                            path);
    execv(path, argv);
    return al_error_set(error, -errno,
                        "cannot run the simulator %s: %s; `ninja -C build actorlab` builds both",
                        path, strerror(errno));
}

/* What the first task of the engine does, and what is seen of it. */
struct job {
    const struct al_trial *trial;
    struct al_outcome *outcome;
    struct al_error *error;
    int code;
    uint64_t progress; /* of all tasks, when it last changed */
    time_t since;
    char stuck[sizeof((struct al_error *)NULL)->text]; /* where everybody was */
};

static time_t host_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void run_trial(void *argument)
{
    struct job *job = argument;
    job->code = al_trial_run(job->trial, job->outcome, job->error);
}

static void run_nothing(void *argument)
{
    struct job *job = argument;
    job->code = al_trial_report_nothing(job->trial, &job->outcome->report, job->error);
}

/* End a run that makes no progress, or that somebody interrupts. */
static void look(void *argument)
{
    struct job *job = argument;
    if (job->trial->look != NULL)
        job->trial->look(job->trial->look_argument, job->outcome);
    uint64_t progress = al_stuck_progress(al_engine);
    uint32_t patience_s = job->trial->config.stall_s;
    if (progress != job->progress) {
        job->progress = progress;
        job->since = host_seconds();
    } else if (patience_s != 0 && host_seconds() - job->since > (time_t)patience_s) {
        al_engine_stop(al_engine, AL_ENGINE_LIVELOCK, "livelock: nothing happened for %u s",
                       patience_s);
    }
}

static void ended(void *argument)
{
    struct job *job = argument;
    al_engine_charge(false);
    al_stuck_describe(al_engine, job->stuck, sizeof job->stuck);
}

static void run_engine(struct job *job, void (*function)(void *), struct al_sim_config *sim,
                       struct al_engine_result *result)
{
    struct al_engine_watch watch = {
        .argument = job, .every = LOOK_STEPS, .look = look, .ended = ended};
    struct al_engine_config config = {.seed = job->trial->config.seed,
                                      .backend = job->trial->coroutines,
                                      .ops = &al_engine_sim,
                                      .model = sim,
                                      .watch = &watch};
    job->since = host_seconds();
    al_engine_run(&config, function, job, result);
}

/* The run has no end: that is its outcome, with the report of a system without work if no
 * iteration has left one. */
static void give_verdict(struct job *job, struct al_sim_config *sim,
                         const struct al_engine_result *result)
{
    struct al_outcome *outcome = job->outcome;
    struct al_error *text = &outcome->error;
    size_t kind = strcspn(result->text, " :");
    outcome->wrong = true;
    if (result->end == AL_ENGINE_FATAL || result->end == AL_ENGINE_UNJOINED)
        job->code = al_error_set(text, 0, "%s (%s)", result->text, job->stuck);
    else
        job->code = al_error_set(text, 0, "%.*s: %s", (int)kind, result->text, job->stuck);
    if (outcome->report.workers != NULL)
        return;
    struct al_engine_result empty;
    sim->report = NULL;
    run_engine(job, run_nothing, sim, &empty);
    if (empty.end != AL_ENGINE_DONE)
        job->code = al_error_set(job->error, -EDEADLK, "even without work: %s", text->text);
}

int al_simulate(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error)
{
    unsigned *pus;
    size_t n_pus;
    memset(outcome, 0, sizeof *outcome);
    int code = al_topology_order(trial->topology, trial->config.pin, &pus, &n_pus, error);
    if (code != 0)
        return code;
    struct al_machine *machine = al_needed(al_machine_new(trial->model));
    size_t workers = al_trial_workers(trial);
    struct al_sim_config sim = {.machine = machine,
                                .reserved = pus,
                                .n_reserved = (uint32_t)(workers < n_pus ? workers : n_pus),
                                .report = &outcome->simulated,
                                .jitter = trial->model->jitter};
    struct job job = {.trial = trial, .outcome = outcome, .error = error};
    struct al_engine_result result;
    clock_t began = clock();
    run_engine(&job, run_trial, &sim, &result);
    outcome->host_s = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (result.end != AL_ENGINE_DONE)
        give_verdict(&job, &sim, &result);
    al_machine_free(machine);
    free(pus);
    return job.code;
}
