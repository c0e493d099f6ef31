/* SPDX-License-Identifier: MIT */

/* `actorlab run`: one trial, its line for people, its record and its timeline. */

#include "benchmarks/harness/commands/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/interrupt.h"
#include "benchmarks/harness/measure/profile.h"
#include "benchmarks/harness/measure/record.h"
#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/measure/timeline.h"
#include "benchmarks/harness/show/run.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"
#include "core/observe/trace.h"
#include "core/plugin/scheduler.h"
#include "core/sync/sync.h"

static void print_trace(const struct al_trial *trial, const struct al_report *report, FILE *file)
{
    uint64_t left = 0, dropped = 0;
    for (uint32_t i = 0; i < report->n_workers; i++) {
        left += al_trace_left(report->workers[i].trace);
        dropped += report->workers[i].trace->n;
    }
    dropped -= left;
    fprintf(file, "timeline of the last iteration: %s, %s", trial->trace,
            al_counted(left, "event").text);
    if (dropped != 0)
        fprintf(file, "; dropped the oldest %" PRIu64 ", --trace-events keeps more", dropped);
    fputc('\n', file);
}

/* No message is delivered any more: the threads cannot be stopped, so the process ends. */
static void stalled(void *argument, const char *text)
{
    const struct al_trial *trial = argument;
    const struct al_config *config = &trial->config;
    fprintf(stderr, "actorlab run: ");
    al_run_case_print(trial->benchmark->plugin.name, &config->scheduler->plugin,
                      &config->victim->plugin, &config->idle->plugin, al_workers(), stderr);
    fprintf(stderr, ", seed %" PRIu64 ": %s\n", config->seed, text);
    fflush(NULL);
    _exit(AL_EXIT_TIMEOUT);
}

/* What is kept if a signal ends a run while its profile is measured. */
struct keeping {
    const struct al_run *run;
    json_t *record; /* or NULL */
};

static void look_at_profiling(void *argument, const struct al_outcome *outcome)
{
    const struct keeping *keeping = argument;
    struct al_error error;
    (void)outcome;
    int number = al_interrupt_caught();
    if (number == 0)
        return;
    if (keeping->record != NULL &&
        al_record_append(keeping->record, keeping->run->json, &error) != 0)
        al_refuse("run", "%s", error.text);
    fflush(NULL);
    al_interrupt_end(number);
}

/* Measure the profile, for the record (or NULL) and the file. An exit code. */
static int add_profile(const struct al_run *run, const struct al_outcome *outcome, json_t *record,
                       struct al_error *error)
{
    struct keeping keeping = {run, record};
    json_t *profile;
    if (al_profile_measure(&run->trial, outcome, look_at_profiling, &keeping, &profile, error) !=
        0) {
        al_refuse("run", "no profile: %s", error->text); /* the outcome counts all the same */
        error->text[0] = '\0';
        return AL_EXIT_FAILED;
    }
    if (record != NULL)
        json_object_set_new(record, "profile", json_copy(profile));
    json_object_set_new(profile, "workers", json_integer(outcome->report.n_workers));
    int code = run->profile != NULL ? al_profile_write(profile, run->profile, error) : 0;
    json_decref(profile);
    return code != 0 ? AL_EXIT_WRITE : AL_EXIT_OK;
}

/* Print and record the outcome of the trial. An exit code; `error` says what was not written. */
static int report(const struct al_run *run, const struct al_outcome *outcome,
                  struct al_error *error)
{
    const struct al_trial *trial = &run->trial;
    bool to_stdout = run->json != NULL && strcmp(run->json, "-") == 0;
    FILE *file = to_stdout ? stderr : stdout;
    int code = 0;
    al_run_line_print(trial, outcome, file);
    al_disturbed_print(trial, outcome, file);
    al_steady_print(trial, outcome, file);
    al_warm_print(outcome, stderr);
    al_doubts_print(trial, outcome, file);
    if (run->stats) {
        al_stats_print(&outcome->report, run->all_workers, file);
        if (trial->model == NULL) {
            al_hardware_print(outcome->hardware, outcome->report.n_workers, run->all_workers, file);
            al_handoff_print(&outcome->handoff, file);
        }
        al_simulated_print(trial, outcome, file);
    }
    /* Before the profile, which takes memory and time of its own. */
    json_t *record = run->json != NULL ? al_needed(al_record(trial, outcome)) : NULL;
    int profiled = AL_EXIT_OK;
    if (run->profiled && !outcome->wrong && !outcome->interrupted)
        profiled = add_profile(run, outcome, record, error);
    if (record != NULL)
        code = al_record_append(record, run->json, error);
    json_decref(record);
    /* A wrong iteration ends the trial, so the last one, which is traced, may not have run. */
    if (code == 0 && !outcome->interrupted && outcome->report.workers[0].trace != NULL) {
        print_trace(trial, &outcome->report, file);
        code = al_timeline_write(trial, outcome, trial->trace, error);
    }
    return code != 0 ? AL_EXIT_WRITE : outcome->wrong ? AL_EXIT_FAILED : profiled;
}

static void report_interrupted(const struct al_run *run, const struct al_outcome *outcome)
{
    struct al_error error = {""};
    (void)report(run, outcome, &error); /* the exit code is that of the signal */
    if (error.text[0] != '\0')
        al_refuse("run", "%s", error.text);
}

static int load_topology(struct al_run *run, struct al_error *error)
{
    char *spec;
    int code = al_run_topology(run, &spec, error);
    if (code == 0)
        code = al_topology_load(spec, &run->trial.topology, error);
    free(spec);
    return code;
}

/* Run the trial. An exit code, with a line in error unless that is empty. */
static int run_trial(struct al_run *run, struct al_error *error)
{
    struct al_trial *trial = &run->trial;
    struct al_outcome outcome;
    /* Files are tried before anything is measured, not after. */
    if ((run->json != NULL && al_record_check(run->json, error) != 0) ||
        (run->profile != NULL && al_profile_write(NULL, run->profile, error) != 0) ||
        (trial->trace != NULL && al_timeline_check(trial, trial->trace, error) != 0) ||
        load_topology(run, error) != 0)
        return AL_EXIT_USAGE;
    struct al_model *model;
    if (al_run_model(run, trial->topology, &model, error) != 0) {
        al_model_free(model);
        al_topology_free(trial->topology);
        return AL_EXIT_USAGE;
    }
    struct al_run_watch watch = {.interrupted = report_interrupted};
    al_run_watch_begin(&watch, run);
    trial->config.stalled = stalled;
    trial->config.stalled_argument = trial;
    trial->config.topology = trial->topology;
    int code = model != NULL ? al_simulate(trial, &outcome, error)
                             : al_trial_run(trial, &outcome, error);
    al_run_watch_end(&watch);
    int exit_code;
    if (code == 0) {
        error->text[0] = '\0';
        exit_code = report(run, &outcome, error);
    } else {
        /* More than the machine can hold is a mistake in the configuration, too. */
        bool mistaken = code == -EINVAL || code == -ENOMEM || code == -EAGAIN;
        exit_code = mistaken ? AL_EXIT_USAGE : AL_EXIT_FAILED;
    }
    al_outcome_free(&outcome);
    al_model_free(model);
    al_topology_free(trial->topology);
    return exit_code;
}

/* A copy of the command's words, with the program's name before them. */
static char **copy_words(int argc, char **argv)
{
    char **words = al_needed(calloc((size_t)argc + 2, sizeof *words));
    words[0] = strdup("actorlab");
    for (int i = 0; i < argc; i++)
        words[i + 1] = strdup(argv[i]);
    return words;
}

static void free_words(char **words)
{
    for (char **word = words; *word != NULL; word++)
        free(*word);
    free(words);
}

static int run_main(int argc, char **argv)
{
    struct al_run run;
    struct al_error error = {""};
    int exit_code = AL_EXIT_USAGE;
    /* Parsing modifies the words, and the simulator needs them as they were. */
    char **words = copy_words(argc, argv);
    if (al_run_parse(argc, argv, &run, &error) == 0) {
        if (run.machine != NULL && !al_is_virtual)
            exit_code = al_simulate_exec(words, &error) != 0 ? AL_EXIT_FAILED : AL_EXIT_OK;
        else
            exit_code = run_trial(&run, &error);
    }
    free_words(words);
    if (error.text[0] != '\0')
        al_refuse("run", "%s", error.text);
    al_run_release(&run);
    return exit_code;
}

const struct al_command al_run_command = {
    .name = "run",
    .help = "run one workload on one strategy and measure it",
    .operand = "WORKLOAD",
    .least = 1,
    .most = 1,
    .usage = "WORKLOAD [options]",
    .arguments = al_run_arguments,
    .more = "`actorlab list` shows workloads and plug-ins with their options.",
    .run = run_main,
};
