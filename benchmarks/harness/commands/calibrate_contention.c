/* SPDX-License-Identifier: MIT */

/* `actorlab calibrate --contention`: what contention costs on this machine or on a simulated one,
 * beside what a file of another says. */

#include "benchmarks/harness/commands/calibrate_contention.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/calibration.h"
#include "benchmarks/harness/measure/contention.h"
#include "benchmarks/harness/show/contention.h"
#include "benchmarks/harness/text/json.h"
#include "core/engine/sim/sim.h"

/* How often natively; enough for a median that a few preemptions do not move. */
#define REPEATS 101
/* The simulator varies transfers by the seed, but little. */
#define REPEATS_SIM 3

/* As many threads as there are cores, and fewer. */
static const uint32_t numbers[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

struct job {
    const struct al_contention_choices *choices;
    const struct al_topology *topology;
    struct al_contention_points points;
    struct al_error *error;
    struct al_progress progress;
    unsigned pus[AL_CONTENDERS_MOST];
    int code;
};

static void run_experiment(struct job *job, const struct al_contention *what, bool thinks,
                           uint32_t threads)
{
    struct al_samples *ns = al_needed(calloc(1, sizeof *ns));
    uint64_t usual = job->choices->simulated ? REPEATS_SIM : REPEATS;
    uint64_t repeats = job->choices->repeats != 0 ? job->choices->repeats : usual;
    int code = al_contention_run(job->topology, what, thinks, job->pus, threads, (uint32_t)repeats,
                                 ns);
    if (code == 0)
        al_contention_add(&job->points, what->name, thinks, threads, ns);
    free(ns);
    job->code = al_calibration_check(code, job->error);
}

static void run_all(void *argument)
{
    struct job *job = argument;
    int n = al_contention_pus(job->topology, job->pus, job->error);
    if (n < 0) {
        job->code = n;
        return;
    }
    for (size_t i = 0; i < al_contentions_n; i++) {
        const struct al_contention *what = &al_contentions[i];
        if (isatty(STDERR_FILENO))
            al_progress_show(&job->progress, i, al_contentions_n, what->name);
        for (int thinks = 0; thinks <= what->can_think; thinks++) {
            for (size_t k = 0; k < N_NUMBERS && job->code == 0; k++) {
                if (numbers[k] <= (uint32_t)n)
                    run_experiment(job, what, thinks != 0, numbers[k]);
            }
        }
    }
}

static int run_simulated(struct job *job)
{
    struct al_model *model;
    if (al_model_load(job->topology, &model, job->error) != 0)
        return AL_EXIT_USAGE;
    struct al_machine *machine = al_needed(al_machine_new(model));
    struct al_sim_config sim = {.machine = machine};
    struct al_engine_result result;
    al_engine_run(&(struct al_engine_config){.ops = &al_engine_sim, .model = &sim, .seed = 1},
                  run_all, job, &result);
    if (result.end != AL_ENGINE_DONE)
        job->code = al_error_set(job->error, -EDEADLK, "%s", result.text);
    al_machine_free(machine);
    al_model_free(model);
    return job->code == 0 ? AL_EXIT_OK : AL_EXIT_FAILED;
}

static int write_file(const struct job *job, const char *title)
{
    json_t *json = al_contention_json(&job->points, title,
                                      job->choices->simulated ? "sim" : "native");
    int code = json_dump_file(json, job->choices->out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(json);
    if (code == 0)
        return AL_EXIT_OK;
    al_error_set(job->error, -EIO, "could not write '%s'", job->choices->out);
    return AL_EXIT_WRITE;
}

int al_contention_command(const struct al_contention_choices *choices,
                          const struct al_topology *topology, const char *title,
                          struct al_error *error)
{
    struct job job = {.choices = choices,
                      .topology = topology,
                      .error = error,
                      .progress = {.began = time(NULL), .rounds = 1}};
    struct al_contention_points other = {0};
    if (choices->against != NULL && al_contention_read(choices->against, &other, error) != 0) {
        al_contention_free(&other);
        return AL_EXIT_USAGE;
    }
    int code = AL_EXIT_OK;
    if (choices->out != NULL && !al_can_write(choices->out, error))
        code = AL_EXIT_WRITE;
    else if (choices->simulated)
        code = run_simulated(&job);
    else
        run_all(&job);
    al_progress_end();
    if (code == AL_EXIT_OK && job.code != 0)
        code = AL_EXIT_FAILED;
    if (code == AL_EXIT_OK &&
        !al_contention_print(&job.points, choices->against != NULL ? &other : NULL, stdout)) {
        al_error_set(error, -EINVAL, "%s has no point that was measured", choices->against);
        code = AL_EXIT_USAGE;
    }
    if (code == AL_EXIT_OK && choices->out != NULL)
        code = write_file(&job, title);
    al_contention_free(&job.points);
    al_contention_free(&other);
    return code;
}
