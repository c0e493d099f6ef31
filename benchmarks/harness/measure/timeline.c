/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/text/format.h"
#include "core/observe/trace.h"
#include "core/sync/sync.h"

static const char *const names[] = {
    [AL_TRACE_RUN_ACTOR] = "run",    [AL_TRACE_RUN_MAILBOX] = "run", [AL_TRACE_RUN_MANY] = "run",
    [AL_TRACE_GULP] = "gulp",        [AL_TRACE_STEAL] = "steal",     [AL_TRACE_STEAL_NO] = "steal",
    [AL_TRACE_STEAL_LOST] = "steal", [AL_TRACE_IDLE] = "idle",       [AL_TRACE_SLEEP] = "sleep",
    [AL_TRACE_PARK] = "park",
};

static const char *const outcomes[] = {
    [AL_TRACE_STEAL] = "taken",
    [AL_TRACE_STEAL_NO] = "no candidate",
    [AL_TRACE_STEAL_LOST] = "lost swap",
};

int al_timeline_check(const struct al_trial *trial, const char *path, struct al_error *error)
{
    if (!AL_COUNTERS)
        return al_error_set(error, -EINVAL,
                            "a timeline needs the counters, which this program was built without; "
                            "valid: a build with -Dcounters=true");
    uint32_t workers = al_trial_workers(trial);
    double bytes = (double)trial->trace_events * sizeof(struct al_trace_event) * workers;
    double available = (double)al_available_bytes();
    if (available != 0 && bytes > available)
        return al_error_set(error, -EINVAL,
                            "%u events for each of %u workers need %s of memory, and %s are free; "
                            "valid: a smaller --trace-events",
                            trial->trace_events, workers, al_format_bytes(bytes).text,
                            al_format_bytes(available).text);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file == -1)
        return al_error_set(error, -errno, "cannot open '%s' for writing: %s", path,
                            strerror(errno));
    close(file);
    return 0;
}

/*
 * The format counts in microseconds. They are written in whole nanoseconds, so that no event ends
 * after the next begins.
 */
#define US_FORMAT    "%" PRIu64 ".%03u"
#define US_PARTS(ns) (ns) / 1000, (unsigned)((ns) % 1000)

/* Nanoseconds since the start of the system. */
static uint64_t ns_of(const struct al_report *report, uint64_t cycles)
{
    /* The first worker may begin on another core before the starter has read the counter. */
    if (cycles <= report->started_cycles)
        return 0;
    return (uint64_t)((double)(cycles - report->started_cycles) * report->ns_per_cycle + 0.5);
}

/* Actors are known by their addresses, which differ from run to run. They are numbered from 0 in
 * the order of their first events. */
struct actor {
    uint64_t address, began, number;
    uint32_t worker;
};

struct actors {
    size_t n;
    struct actor *all; /* by their addresses */
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_address(const void *left, const void *right)
{
    const struct actor *a = left, *b = right;
    int order = compare(a->address, b->address);
    order = order != 0 ? order : compare(a->began, b->began);
    return order != 0 ? order : compare(a->worker, b->worker);
}

static int by_first(const void *left, const void *right)
{
    const struct actor *a = left, *b = right;
    int order = compare(a->began, b->began);
    return order != 0 ? order : compare(a->worker, b->worker);
}

/* The events that name an actor, as actors. */
static void collect_actors(const struct al_report *report, struct actors *actors)
{
    for (uint32_t w = 0; w < report->n_workers; w++) {
        const struct al_trace *trace = report->workers[w].trace;
        for (uint64_t i = 0; i < al_trace_left(trace); i++) {
            const struct al_trace_event *event = al_trace_event(trace, i);
            if (event->kind != AL_TRACE_RUN_ACTOR)
                continue;
            if (actors->all != NULL)
                actors->all[actors->n] = (struct actor){event->subject, event->began, 0, w};
            actors->n++;
        }
    }
}

/* False: no memory. */
static bool number_actors(const struct al_report *report, struct actors *actors)
{
    *actors = (struct actors){0};
    collect_actors(report, actors);
    actors->all = calloc(actors->n + 1, sizeof *actors->all);
    if (actors->all == NULL)
        return false;
    size_t n_events = actors->n;
    actors->n = 0;
    collect_actors(report, actors);
    qsort(actors->all, n_events, sizeof *actors->all, by_address);
    actors->n = 0;
    for (size_t i = 0; i < n_events; i++) {
        if (actors->n == 0 || actors->all[actors->n - 1].address != actors->all[i].address)
            actors->all[actors->n++] = actors->all[i];
    }
    qsort(actors->all, actors->n, sizeof *actors->all, by_first);
    for (size_t i = 0; i < actors->n; i++)
        actors->all[i].number = i;
    qsort(actors->all, actors->n, sizeof *actors->all, by_address);
    return true;
}

static int with_address(const void *address, const void *actor)
{
    return compare(*(const uint64_t *)address, ((const struct actor *)actor)->address);
}

static uint64_t number_of(const struct actors *actors, uint64_t address)
{
    const struct actor *actor = bsearch(&address, actors->all, actors->n, sizeof *actor,
                                        with_address);
    return actor->number;
}

static void write_details(const struct actors *actors, const struct al_trace_event *event,
                          FILE *file)
{
    switch ((enum al_trace_kind)event->kind) {
    case AL_TRACE_RUN_ACTOR:
        fprintf(file, "\"messages\":%" PRIu64 ",\"batches\":1,\"actor\":%" PRIu64, event->n,
                number_of(actors, event->subject));
        break;
    case AL_TRACE_GULP:
        fprintf(file, "\"messages\":%" PRIu64 ",\"mailbox\":%" PRIu64, event->n, event->subject);
        break;
    case AL_TRACE_RUN_MAILBOX:
        fprintf(file, "\"messages\":%" PRIu64 ",\"batches\":1,\"mailbox\":%" PRIu64, event->n,
                event->subject);
        break;
    case AL_TRACE_RUN_MANY:
        fprintf(file, "\"messages\":%" PRIu64, event->n);
        if (event->batches != 0)
            fprintf(file, ",\"batches\":%" PRIu64, event->batches);
        break;
    case AL_TRACE_STEAL:
    case AL_TRACE_STEAL_NO:
    case AL_TRACE_STEAL_LOST:
        fprintf(file, "\"outcome\":\"%s\",\"victim\":", outcomes[event->kind]);
        if (event->victim != AL_NO_WORKER)
            fprintf(file, "%" PRIu32, event->victim);
        else
            fputs("null", file);
        fprintf(file, ",\"queues\":%" PRIu32 ",\"messages\":%" PRIu64, event->queues, event->n);
        break;
    case AL_TRACE_IDLE:
        fprintf(file, "\"looks\":%" PRIu64 ",\"no_candidate\":%" PRIu64, event->n, event->attempts);
        break;
    case AL_TRACE_SLEEP:
    case AL_TRACE_PARK:
        break;
    }
}

static void write_event(const struct al_report *report, const struct actors *actors,
                        uint32_t worker, const struct al_trace_event *event, FILE *file)
{
    uint64_t began = ns_of(report, event->began);
    uint64_t ended = ns_of(report, event->began + event->cycles);
    fprintf(file,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%" PRIu32 ",\"name\":\"%s\",\"ts\":" US_FORMAT
            ",\"dur\":" US_FORMAT ",\"args\":{",
            worker, names[event->kind], US_PARTS(began), US_PARTS(ended - began));
    write_details(actors, event, file);
    fputs("}}", file);
}

static void write_track(const struct al_report *report, const struct actors *actors,
                        uint32_t worker, FILE *file)
{
    const struct al_worker_report *self = &report->workers[worker];
    fprintf(file,
            ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu32
            ",\"name\":\"thread_name\",\"args\":{\"name\":\"worker %" PRIu32,
            worker, worker);
    if (self->bound >= 0)
        fprintf(file, " (PU %d)", self->bound);
    fprintf(file,
            "\"}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu32
            ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
            worker, worker);
    for (uint64_t i = 0; i < al_trace_left(self->trace); i++)
        write_event(report, actors, worker, al_trace_event(self->trace, i), file);
}

/* Describe the trial, and how many events were dropped. NULL without memory. */
static json_t *about(const struct al_trial *trial, const struct al_outcome *outcome)
{
    const struct al_report *report = &outcome->report;
    json_t *events = json_array(), *dropped = json_array();
    for (uint32_t i = 0; i < report->n_workers; i++) {
        const struct al_trace *trace = report->workers[i].trace;
        uint64_t left = al_trace_left(trace);
        json_array_append_new(events, json_integer((json_int_t)left));
        json_array_append_new(dropped, json_integer((json_int_t)(trace->n - left)));
    }
    double from_ns = (double)(outcome->began_ns - report->started_ns);
    double until_ns = (double)(report->ended_ns - report->started_ns);
    json_t *machine = trial->model != NULL ? json_string(trial->machine) : json_null();
    return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:o, s:o}",
                     "engine", trial->model != NULL ? "sim" : "native", "machine", machine,
                     "benchmark", trial->benchmark->plugin.name, "scheduler",
                     report->scheduler.plugin->name, "victim", report->victim.plugin->name, "idle",
                     report->idle.plugin->name, "workers", (json_int_t)report->n_workers, "seed",
                     (json_int_t)trial->config.seed, "messages", (json_int_t)outcome->messages,
                     "timed_from_us", from_ns / 1000, "timed_until_us", until_ns / 1000,
                     "trace_events", (json_int_t)trial->trace_events, "events", events, "dropped",
                     dropped);
}

int al_timeline_write(const struct al_trial *trial, const struct al_outcome *outcome,
                      const char *path, struct al_error *error)
{
    const struct al_report *report = &outcome->report;
    struct actors actors = {0};
    json_t *data = about(trial, outcome);
    char *text = data != NULL ? json_dumps(data, JSON_REAL_PRECISION(12)) : NULL;
    json_decref(data);
    if (text == NULL || !number_actors(report, &actors)) {
        free(text);
        return al_error_set(error, -ENOMEM, "no memory for the timeline");
    }
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        free(text);
        free(actors.all);
        return al_error_set(error, -errno, "cannot open '%s' for writing: %s", path,
                            strerror(errno));
    }
    fprintf(file, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":%s,\n\"traceEvents\":[\n", text);
    fprintf(file,
            "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"%s on %s%s\"}}",
            trial->benchmark->plugin.name, report->scheduler.plugin->name,
            trial->model != NULL ? ", simulated" : "");
    free(text);
    for (uint32_t i = 0; i < report->n_workers; i++)
        write_track(report, &actors, i, file);
    free(actors.all);
    fputs("\n]}\n", file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return al_error_set(error, -EIO, "cannot write to '%s': %s", path, strerror(errno));
    return 0;
}
