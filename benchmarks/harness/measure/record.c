/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/results/schema.h"

static json_t *option_value(const struct al_option *option, union al_value value)
{
    switch (option->type) {
    case AL_OPTION_UINT:
        return json_integer((json_int_t)value.uint);
    case AL_OPTION_REAL:
        return json_real(value.real);
    case AL_OPTION_ENUM:
        return json_string(al_option_choice(option, value));
    }
    return NULL;
}

/* {"name": value} */
static json_t *options_of(const struct al_selection *selection)
{
    json_t *object = json_object();
    size_t n = al_options_count(selection->plugin);
    for (size_t i = 0; i < n; i++) {
        const struct al_option *option = &selection->plugin->options[i];
        json_object_set_new(object, option->name, option_value(option, selection->values[i]));
    }
    return object;
}

static json_t *all_options(const struct al_report *report)
{
    json_t *options = options_of(&report->scheduler);
    json_object_update_new(options, options_of(&report->victim));
    json_object_update_new(options, options_of(&report->idle));
    return options;
}

static json_t *counters_of(const struct al_worker_report *worker)
{
    json_t *object = json_pack("{s:I, s:I}", "actors_created", (json_int_t)worker->actors_created,
                               "actors_terminated", (json_int_t)worker->actors_terminated);
#if AL_COUNTERS
#define SET(name, help)                                                                            \
    json_object_set_new(object, #name, json_integer((json_int_t)worker->counters.name));
    AL_COUNTERS_LIST(SET)
#undef SET
    json_t *levels = json_object();
    for (uint32_t k = 0; k < worker->n_levels; k++)
        json_object_set_new(levels, worker->steals_by_level[k].level,
                            json_integer((json_int_t)worker->steals_by_level[k].steals));
    json_object_set_new(object, "steals_by_level", levels);
#endif
    return object;
}

static json_t *pu_or_null(int pu)
{
    return pu >= 0 ? json_integer(pu) : json_null();
}

static json_t *utc_time(time_t seconds)
{
    char text[32];
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    return json_string(text);
}

/*
 * Latencies of all workers and measured iterations. Buckets that hold any are [smallest value in
 * ns, count].
 */
static json_t *latencies_of(const struct al_report *report)
{
    static const double parts[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
    static const char *const names[] = {"p50", "p90", "p99", "p99.9", "p99.99"};
    const struct al_histogram *histogram = report->latencies;
    if (histogram == NULL)
        return json_null();
    double unit = report->ns_per_cycle;
    json_t *buckets = json_array();
    for (uint32_t i = 0; i < AL_HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] != 0)
            json_array_append_new(buckets, json_pack("[f, I]", (double)al_histogram_low(i) * unit,
                                                     (json_int_t)histogram->counts[i]));
    }
    double n = (double)histogram->n;
    json_t *object = json_pack("{s:I, s:f, s:f, s:f}", "n", (json_int_t)histogram->n, "min_ns",
                               n > 0 ? (double)histogram->min * unit : 0, "mean_ns",
                               n > 0 ? (double)histogram->sum / n * unit : 0, "max_ns",
                               (double)histogram->max * unit);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_object_set_new(object, names[i],
                            json_real((double)al_histogram_quantile(histogram, parts[i]) * unit));
    json_object_set_new(object, "buckets", buckets);
    return object;
}

static json_t *bytes_or_null(uint64_t bytes)
{
    return bytes != 0 ? json_integer((json_int_t)bytes) : json_null();
}

/* Memory when the last iteration's workers had ended, and the most that queues held before. */
static json_t *memory_of(const struct al_outcome *outcome)
{
    const struct al_report *report = &outcome->report;
    return json_pack(
        "{s:o, s:o, s:I, s:o}", "allocated_bytes", bytes_or_null(outcome->memory.allocated),
        "resident_bytes", bytes_or_null(outcome->memory.resident), "queue_bytes",
        (json_int_t)report->queue_bytes, "queue_peak_bytes",
        AL_COUNTERS ? json_integer((json_int_t)report->queue_peak_bytes) : json_null());
}

/* What the last iteration was about beside its time; an empty object in most records of simulated
 * ones. */
static json_t *costs_of(const struct al_outcome *outcome)
{
    json_t *costs = json_object();
    if (outcome->start_ns > 0)
        json_object_set_new(costs, "start_ns", json_integer((json_int_t)outcome->start_ns));
    if (outcome->stop_ns > 0)
        json_object_set_new(costs, "stop_ns", json_integer((json_int_t)outcome->stop_ns));
    if (outcome->overrun > 0)
        json_object_set_new(costs, "overrun", json_real(outcome->overrun));
    if (outcome->fairness > 0)
        json_object_set_new(costs, "fairness", json_real(outcome->fairness));
    return costs;
}

/* A random identity for the record. */
static json_t *trial_id(void)
{
    unsigned char random[AL_TRIAL_DIGITS / 2];
    char text[AL_TRIAL_DIGITS + 1];
    randombytes_buf(random, sizeof random);
    return json_string(sodium_bin2hex(text, sizeof text, random, sizeof random));
}

static json_t *starter_busy(const struct al_trial *trial, const struct al_outcome *outcome)
{
    double share = al_simulated_starter_busy(trial, outcome);
    return share >= 0 ? json_real(share) : json_null();
}

static json_t *verdict(enum al_steady steady)
{
    return steady == AL_STEADY_UNKNOWN ? json_null() : json_boolean(steady == AL_STEADY_YES);
}

/* The kind of core of each worker; null on a machine of one kind. */
static json_t *kinds_of(const struct al_trial *trial, const struct al_report *report)
{
    if (al_topology_n_kinds(trial->topology) == 1)
        return json_null();
    json_t *kinds = json_array();
    for (uint32_t i = 0; i < report->n_workers; i++)
        json_array_append_new(kinds, al_kind_json(trial->topology, report->workers[i].pu));
    return kinds;
}

json_t *al_record(const struct al_trial *trial, const struct al_outcome *outcome)
{
    const struct al_report *report = &outcome->report;
    const struct al_config *config = &trial->config;
    json_t *times = json_array(), *counters = json_array();
    json_t *pus = json_array(), *bound = json_array(), *nodes = json_array();
    for (uint32_t i = 0; i < outcome->n_times; i++)
        json_array_append_new(times, json_integer((json_int_t)outcome->time_ns[i]));
    for (uint32_t i = 0; i < report->n_workers; i++) {
        json_array_append_new(pus, pu_or_null(report->workers[i].pu));
        json_array_append_new(bound, pu_or_null(report->workers[i].bound));
        json_array_append_new(nodes, pu_or_null(report->workers[i].node));
    }
    for (uint32_t i = 0; i <= report->n_workers; i++)
        json_array_append_new(counters, counters_of(&report->workers[i]));
    const char *topology = trial->model != NULL ? trial->machine
                                                : al_topology_name(trial->topology);
    /* Otherwise some counts would be of a part of an iteration. */
    bool whole = !outcome->interrupted;
    json_t *record = json_pack(
        "{s:i, s:o, s:o, s:s, s:o, s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:s, s:s, "
        "s:s, s:b, s:I, s:s, s:o, s:o, s:o, s:I, s:s?, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o, "
        "s:o, s:s?, "
        "s:s?, s:I, s:o, s:o, "
        "s:o, s:s, s:s*}",
        "schema_version", AL_SCHEMA_VERSION, "trial", trial_id(), "started_at",
        utc_time(outcome->started), "benchmark", trial->benchmark->plugin.name, "parameters",
        options_of(&trial->parameters), "scheduler", report->scheduler.plugin->name, "victim",
        report->victim.plugin->name, "idle", report->idle.plugin->name, "options",
        all_options(report), "workers", (json_int_t)report->n_workers, "pus", pus, "bound", bound,
        "nodes", nodes, "kinds", kinds_of(trial, report), "pin",
        config->pin != NULL ? config->pin : "close", "topology", topology, "locality",
        report->locality, "oversubscribed", report->oversubscribed, "seed",
        (json_int_t)config->seed, "engine", trial->model != NULL ? "sim" : "native", "machine",
        al_simulated_trial_json(trial), "starter_busy",
        whole ? starter_busy(trial, outcome) : json_null(), "simulated",
        whole ? al_simulated_counts_json(trial, outcome) : json_null(), "warmup",
        (json_int_t)(trial->warmup_auto ? outcome->warmup : trial->warmup), "warmup_rule",
        trial->warmup_auto ? "auto" : NULL, "warmup_steady", verdict(outcome->warm), "steady",
        verdict(al_steady(outcome->time_ns, outcome->n_times)), "iterations",
        (json_int_t)trial->iterations, "time_ns", times, "messages", (json_int_t)outcome->messages,
        "counters", counters, "handoff", al_handoff_json(&outcome->handoff), "hardware",
        al_hardware_json(outcome->hardware, report->n_workers), "latencies", latencies_of(report),
        "placement", al_placed_names[outcome->placement], "trace", whole ? trial->trace : NULL,
        "peak_rss_bytes", (json_int_t)al_peak_rss_bytes(), "memory", memory_of(outcome),
        "environment", al_environment(trial->topology), "noise", al_noise_json(outcome->noise),
        "outcome", outcome->wrong ? "wrong" : "ok", "error",
        outcome->wrong ? outcome->error.text : NULL);
    json_object_set_new(record, "costs", costs_of(outcome));
    if (!whole)
        json_object_set_new(record, "interrupted", json_true());
    return record;
}

/* Returns a descriptor to write to, or a negative errno with a line in error. */
static int open_records(const char *path, struct al_error *error)
{
    int file = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO)
                                      : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file == -1)
        return al_error_set(error, -errno, "cannot open '%s' for appending: %s", path,
                            strerror(errno));
    return file;
}

int al_record_check(const char *path, struct al_error *error)
{
    int file = open_records(path, error);
    if (file < 0)
        return file;
    close(file);
    return 0;
}

int al_record_append(json_t *record, const char *path, struct al_error *error)
{
    const char *problem = record != NULL ? al_record_problem(record) : NULL;
    if (problem != NULL) /* it would be lost on every reader */
        return al_error_set(error, -EINVAL, "not a record of version %d: %s", AL_SCHEMA_VERSION,
                            problem);
    char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
    char *line = text != NULL ? realloc(text, strlen(text) + 2) : NULL;
    if (line == NULL) {
        free(text);
        return al_error_set(error, -ENOMEM, "no memory for the record");
    }
    strcat(line, "\n");
    int code = 0;
    size_t length = strlen(line);
    int file = open_records(path, error);
    if (file < 0) {
        code = file;
    } else {
        off_t end = lseek(file, 0, SEEK_END); /* -1: no regular file, so nothing to cut back to */
        ssize_t written = write(file, line, length);
        if (written != (ssize_t)length) {
            code = al_error_set(error, -EIO, "cannot write to '%s': %s", path,
                                written == -1 ? strerror(errno) : "the disk is full");
            /* Half a line would spoil the next record, too. */
            if (written > 0 && end != -1 && ftruncate(file, end) != 0)
                code = al_error_set(error, -EIO, "'%s' ends in an incomplete record: %s", path,
                                    strerror(errno));
        } else if (fsync(file) != 0 && errno != EINVAL && errno != EROFS) {
            /* Pipes and terminals cannot be synced, which is no failure. */
            code = al_error_set(error, -errno, "cannot sync '%s': %s", path, strerror(errno));
        }
        close(file);
    }
    free(line);
    return code;
}
