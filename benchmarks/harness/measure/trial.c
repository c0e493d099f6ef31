/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "schedulers/victims/victims.h"

/*
 * Add the counters of one iteration to those of earlier ones. A worker counts as bound only if it
 * was bound in all. The high-water mark is that of the highest.
 */
static void add_counters(struct al_report *sum, const struct al_report *report)
{
    for (uint32_t i = 0; i <= report->n_workers; i++) {
        struct al_worker_report *to = &sum->workers[i];
        const struct al_worker_report *from = &report->workers[i];
        to->actors_created += from->actors_created;
        to->actors_terminated += from->actors_terminated;
        if (from->bound < 0)
            to->bound = -1;
#define ADD(name, help) to->counters.name += from->counters.name;
        AL_COUNTERS_LIST(ADD)
#undef ADD
        for (uint32_t k = 0; k < to->n_levels; k++)
            to->steals_by_level[k].steals += from->steals_by_level[k].steals;
    }
    if (report->queue_peak_bytes > sum->queue_peak_bytes)
        sum->queue_peak_bytes = report->queue_peak_bytes;
    if (sum->latencies != NULL && report->latencies != NULL)
        al_histogram_merge(sum->latencies, report->latencies);
}

/*
 * Check what holds for every workload: each actor has terminated, each message that was sent was
 * received, and there were as many as expected, or at least so many.
 */
static int check_counts(const struct al_report *report, uint64_t expected, bool at_least,
                        struct al_error *error)
{
    uint64_t created = 0, terminated = 0;
    for (uint32_t i = 0; i <= report->n_workers; i++) {
        created += report->workers[i].actors_created;
        terminated += report->workers[i].actors_terminated;
    }
    if (created != terminated)
        return al_error_set(error, -EBADMSG,
                            "%" PRIu64 " actors were created and %" PRIu64 " terminated", created,
                            terminated);
#if AL_COUNTERS
    uint64_t sent = 0, received = 0, attempts = 0, stolen = 0, failed = 0, levels = 0;
    for (uint32_t i = 0; i <= report->n_workers; i++) {
        for (uint32_t k = 0; k < report->workers[i].n_levels; k++)
            levels += report->workers[i].steals_by_level[k].steals;
        sent += report->workers[i].counters.messages_sent;
        received += report->workers[i].counters.messages_received;
        attempts += report->workers[i].counters.steal_attempts;
        stolen += report->workers[i].counters.steals;
        failed += report->workers[i].counters.steals_no_candidate +
                  report->workers[i].counters.steals_lost_swap;
    }
    if (stolen + failed != attempts)
        return al_error_set(error, -EBADMSG,
                            "%" PRIu64 " attempts to steal, but %" PRIu64 " outcomes", attempts,
                            stolen + failed);
    if (levels != stolen)
        return al_error_set(error, -EBADMSG,
                            "%" PRIu64 " steals, but %" PRIu64 " at the levels of locality", stolen,
                            levels);
    bool right = at_least ? received >= expected : received == expected;
    if (sent != received || !right)
        return al_error_set(error, -EBADMSG,
                            "%" PRIu64 " messages were sent and %" PRIu64
                            " received; both should be %s%" PRIu64,
                            sent, received, at_least ? "as many, and at least " : "", expected);
#else
    (void)expected;
    (void)at_least;
#endif
    return 0;
}

static void *prepare(const struct al_trial *trial)
{
    return trial->benchmark->prepare(trial->parameters.values, trial->config.seed);
}

/* Do actors land where the workload means them to? As al_benchmark_ops.probed. */
static int probe(const struct al_trial *trial, const struct al_config *config,
                 enum al_placed *placement, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = trial->benchmark;
    struct al_report report;
    struct al_system *system;
    void *state = prepare(trial);
    int code = al_system_start(config, &system, error);
    if (code == 0) {
        benchmark->place(state);
        benchmark->probe(state);
        code = al_system_stop(system, &report);
        if (code != 0)
            al_error_set(error, code, "messages of the probe were never received");
        else
            code = benchmark->probed(state, &report, placement, error);
        al_report_free(&report);
    }
    benchmark->release(state);
    return code;
}

/*
 * Probe without stealing, because a thief might take actors elsewhere at once; so without the
 * victim heuristic's options, too.
 */
static int probe_unstolen(const struct al_trial *trial, enum al_placed *placement,
                          struct al_error *error)
{
    struct al_config config = trial->config;
    struct al_setting *settings = al_needed(malloc((config.n_settings + 1) * sizeof *settings));
    size_t n = 0, index;
    for (size_t i = 0; i < config.n_settings; i++) {
        if (!al_option_matches(&config.victim->plugin, config.settings[i].key, &index))
            settings[n++] = config.settings[i];
    }
    config.settings = settings;
    config.n_settings = n;
    config.victim = &al_victim_none;
    config.latencies = false;
    int code = probe(trial, &config, placement, error);
    free(settings);
    return code;
}

/* What follows is no part of the simulated program. */
static void uncharged(const struct al_trial *trial)
{
    if (trial->model != NULL)
        al_engine_charge(false);
}

static void measure_memory(void *argument)
{
    struct al_memory *memory = argument;
    al_allocator_bytes(&memory->allocated, &memory->resident);
}

/* While the system of an iteration runs, and nothing else changes the outcome. */
struct waiting {
    const struct al_trial *trial;
    const struct al_outcome *outcome;
};

static void look(void *argument)
{
    const struct waiting *waiting = argument;
    if (waiting->trial->look != NULL)
        waiting->trial->look(waiting->trial->look_argument, waiting->outcome);
}

static int run_iteration(const struct al_trial *trial, bool measured, uint64_t *time_ns,
                         struct al_outcome *outcome, struct al_report *report,
                         struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = trial->benchmark;
    bool last = measured && outcome->n_times + 1 == trial->iterations;
    if (trial->model != NULL)
        al_engine_charge(true);
    void *state = prepare(trial);
    struct al_system *system;
    struct al_config config = trial->config;
    config.ended = trial->model == NULL ? measure_memory : NULL;
    config.ended_argument = &outcome->memory;
    config.trace_events = last ? trial->trace_events : 0;
    struct waiting waiting = {trial, outcome};
    if (trial->model == NULL && trial->look != NULL) {
        config.waiting = look;
        config.waiting_argument = &waiting;
    }
    bool observed = measured && trial->model == NULL;
    if (observed) {
        config.hooks = &al_hardware_hooks;
        config.hooks_argument = outcome->hardware;
        al_noise_begin(outcome->noise);
        al_hardware_hooks.started(outcome->hardware, AL_NO_WORKER);
    }
    uint64_t started_ns = al_clock_ns();
    int code = al_system_start(&config, &system, error);
    outcome->start_ns = observed ? al_clock_ns() - started_ns : 0;
    if (code != 0) {
        if (observed)
            al_hardware_hooks.ended(outcome->hardware, AL_NO_WORKER);
        benchmark->release(state);
        return code;
    }
    if (benchmark->place != NULL)
        benchmark->place(state);
    if (observed)
        al_hardware_hooks.begins(outcome->hardware, AL_NO_WORKER);
    outcome->began_ns = al_clock_ns();
    benchmark->start(state);
    if (trial->model != NULL)
        outcome->starter_ns = al_clock_ns() - outcome->began_ns;
    int stopped = al_system_stop(system, report);
    outcome->stop_ns = observed ? al_clock_ns() - report->ended_ns : 0;
    uncharged(trial);
    if (observed) {
        al_hardware_hooks.ended(outcome->hardware, AL_NO_WORKER);
        al_noise_end(outcome->noise, report);
    }
    outcome->messages = benchmark->messages(state);
    *time_ns = report->ended_ns - outcome->began_ns;
    uint64_t due_ns = benchmark->due_ns != NULL ? benchmark->due_ns(state) : 0;
    outcome->fairness = benchmark->fairness != NULL ? benchmark->fairness(state) : 0;
    uint64_t served_ns = benchmark->served_ns != NULL ? benchmark->served_ns(state) : *time_ns;
    outcome->overrun = due_ns > 0 ? (double)served_ns / (double)due_ns : 0;
    if (stopped != 0)
        code = al_error_set(error, stopped, "%" PRIu64 " messages were never received",
                            report->unreceived);
    if (code == 0)
        code = benchmark->check(state, error);
    uint64_t untimed = benchmark->untimed != NULL ? benchmark->untimed(state) : 0;
    if (code == 0 && benchmark->delivered != NULL)
        code = check_counts(report, benchmark->delivered(state), false, error);
    else if (code == 0)
        code = check_counts(report, outcome->messages + untimed, benchmark->more_messages, error);
    outcome->wrong = code != 0;
    benchmark->release(state);
    return 0;
}

int al_trial_check_parameters(const struct al_trial *trial, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = trial->benchmark;
    if (benchmark->check_parameters == NULL)
        return 0;
    return benchmark->check_parameters(trial->parameters.values, error);
}

uint32_t al_trial_workers(const struct al_trial *trial)
{
    return trial->config.workers != 0 ? trial->config.workers : al_thread_limit();
}

int al_trial_check_memory(const struct al_trial *trial, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = trial->benchmark;
    double available = (double)al_available_bytes();
    double bytes = 0;
    if (benchmark->bytes != NULL)
        bytes = benchmark->bytes(trial->parameters.values, al_trial_workers(trial));
    if (available == 0 || bytes <= available)
        return 0;
    return al_error_set(error, -EINVAL,
                        "%s of this size needs about %s of memory, and %s are free; valid: a "
                        "smaller size, such as --size small",
                        benchmark->plugin.name, al_format_bytes(bytes).text,
                        al_format_bytes(available).text);
}

int al_trial_report_nothing(const struct al_trial *trial, struct al_report *report,
                            struct al_error *error)
{
    struct al_system *system;
    int code = al_system_start(&trial->config, &system, error);
    return code != 0 ? code : al_system_stop(system, report);
}

/* Run an iteration, unless an earlier one's answer was wrong, and add it to the outcome. */
static int iterate(const struct al_trial *trial, bool measured, uint64_t *time_ns,
                   struct al_outcome *outcome, struct al_error *error)
{
    struct al_report report = {0};
    int code = run_iteration(trial, measured, time_ns, outcome, &report, error);
    if (code != 0)
        return code;
    if (outcome->wrong)
        outcome->error = *error;
    if (measured && outcome->n_times > 0)
        add_counters(&report, &outcome->report);
    al_report_free(&outcome->report);
    outcome->report = report;
    if (measured && !outcome->wrong)
        outcome->time_ns[outcome->n_times++] = *time_ns;
    else
        outcome->warmup += !measured;
    look(&(struct waiting){trial, outcome});
    return 0;
}

/* The iterations before the measured ones: as many as asked for, or until they are steady. */
static int warm_up(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error)
{
    uint64_t times[AL_WARMUP_MOST], time_ns = 0;
    uint32_t most = trial->warmup_auto ? AL_WARMUP_MOST : trial->warmup;
    int code = 0;
    while (outcome->warmup < most && outcome->warm != AL_STEADY_YES && !outcome->wrong &&
           code == 0) {
        code = iterate(trial, false, &time_ns, outcome, error);
        if (code != 0 || !trial->warmup_auto)
            continue;
        times[outcome->warmup - 1] = time_ns;
        outcome->warm = al_warm(times, outcome->warmup);
    }
    return code;
}

static int measure(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error)
{
    int code = 0;
    uint64_t time_ns;
    while (outcome->n_times < trial->iterations && !outcome->wrong && code == 0)
        code = iterate(trial, true, &time_ns, outcome, error);
    return code;
}

int al_trial_run(const struct al_trial *trial, struct al_outcome *outcome, struct al_error *error)
{
    *outcome = (struct al_outcome){
        .started = time(NULL),
        .noise = trial->model == NULL ? al_noise_new("") : NULL,
        .hardware = al_hardware_new(&al_hardware_linux, NULL, al_trial_workers(trial),
                                    trial->model == NULL && !trial->no_hardware),
    };
    outcome->time_ns = calloc(trial->iterations, sizeof *outcome->time_ns);
    if (outcome->time_ns == NULL)
        return al_error_set(error, -ENOMEM, "no memory for %u iterations", trial->iterations);
    int code = al_trial_check_parameters(trial, error);
    if (code == 0)
        code = al_trial_check_memory(trial, error);
    if (code == 0 && trial->model == NULL)
        al_handoff_probe(&trial->config, al_trial_workers(trial), &outcome->handoff);
    uncharged(trial);
    if (code == 0 && trial->benchmark->probe != NULL)
        code = probe_unstolen(trial, &outcome->placement, error);
    if (code == -EBADMSG) {
        outcome->wrong = true;
        outcome->error = *error;
        return al_trial_report_nothing(trial, &outcome->report, error);
    }
    if (code != 0)
        return code;
    code = warm_up(trial, outcome, error);
    return code != 0 ? code : measure(trial, outcome, error);
}

void al_outcome_free(struct al_outcome *outcome)
{
    free(outcome->time_ns);
    al_report_free(&outcome->report);
    al_noise_free(outcome->noise);
    al_hardware_free(outcome->hardware);
}
