/* SPDX-License-Identifier: MIT */

/*
 * The timeline (core/observe/trace.h) under every strategy: a worker's events follow one another
 * without a gap, every message is delivered within a run, and the events add up to the worker's
 * counters. Runs on threads, and on the virtual engine (AL_VIRTUAL), where a run can be repeated:
 * there, recording a timeline does not change the run, and a ring that is too small keeps the last
 * events.
 */

#include "core/observe/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "core/plugin/scheduler.h"
#include "core/system.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS 30
#else
#define SEEDS 5
#endif

#define N_WORKERS 3
#define DEPTH     3
#define N_ACTORS  ((2 << DEPTH) - 1)
#define NOTES     150 /* more than AL_TRACE_MESSAGES: a gulp of its own */
#define MANY      (1 << 16)
#define FEW       8

/* Strategies and idle policies, each way of running and of waiting at least once. */
static const struct way {
    const char *scheduler, *idle, *key, *value;
    bool has_batches;
} ways[] = {
    {"inverted", "spin", "shards", "2", true},
    {"inverted", "park", "shards", "2", true},
    {"inverted", "backoff", "shards", "2", true},
    {"inverted", "park", "queue", "list", true},
    {"inverted", "park", "batching", "on", true},
    {"deque", "park", "max_throughput", "300", true},
    {"deque", "polling", "max_throughput", "10", true},
    {"deque", "park", "deque", "steal-half", true},
    {"las", "park", "max_throughput", "10", true},
    {"mercury", "own", "max_throughput", "10", true},
    {"mercury", "park", "max_throughput", "10", true},
    {"sharing", "own", "max_throughput", "10", true},
    {"central", "spin", NULL, NULL, false},
    {"central", "park", NULL, NULL, false},
};

struct grow {
    struct al_message message;
    uint32_t depth;
};

struct note {
    struct al_message message;
};

struct node {
    struct al_actor actor;
    uint32_t notes;
};

AL_ACTOR(node)
AL_MESSAGE(grow)
AL_MESSAGE(note)

static struct note the_note;

/* When each worker ran a behaviour. */
static struct seat {
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t n;
    uint64_t ran[N_ACTORS * (NOTES + 1)];
} seats[N_WORKERS];

static void note_time(void)
{
    struct seat *seat = &seats[al_self()->id];
    seat->ran[seat->n++] = al_cycles();
}

AL_BEHAVIOUR(node, note, self, msg)
{
    (void)msg;
    note_time();
    return ++self->notes == NOTES ? AL_DELETE : AL_NODELETE;
}

AL_BEHAVIOUR_DECLARE(node, grow)

static void plant(uint32_t depth)
{
    struct node *node = malloc(sizeof *node);
    struct grow *grow = malloc(sizeof *grow);
    CHECK(node != NULL && grow != NULL, "no memory");
    *node = (struct node){.notes = 0};
    al_actor_init(node, node);
    al_message_init(grow, grow, AL_DELETE);
    grow->depth = depth;
    al_send(node, grow, node, grow);
}

/* Creates two others, then sends itself a heap of messages. */
AL_BEHAVIOUR_DEFINE(node, grow, self, msg)
{
    note_time();
    for (uint32_t i = 0; msg->depth > 0 && i < 2; i++)
        plant(msg->depth - 1);
    for (int i = 0; i < NOTES; i++)
        al_send(node, note, self, &the_note);
    return AL_NODELETE;
}

/* The outcome of a run. */
struct run {
    const struct way *way;
    const struct al_topology *topology;
    uint64_t seed;
    uint32_t trace_events;
    struct al_report report;
};

static void run_system(void *argument)
{
    struct run *run = argument;
    struct al_setting settings[2];
    size_t n = 0;
    if (run->way->key != NULL)
        settings[n++] = (struct al_setting){run->way->key, run->way->value};
    if (strcmp(run->way->idle, "park") == 0)
        settings[n++] = (struct al_setting){"park_spin", "2"};
    if (strcmp(run->way->idle, "polling") == 0)
        settings[n++] = (struct al_setting){"aggressive_attempts", "5"};
    struct al_config config = {.workers = N_WORKERS,
                               .seed = run->seed,
                               .oversubscribe = true,
                               .pin = "none",
                               .topology = run->topology,
                               .trace_events = run->trace_events,
                               .settings = settings,
                               .n_settings = n};
    choose_plugins(&config, run->way->scheduler, NULL, run->way->idle);
    struct al_system *system;
    struct al_error error;
    al_message_init(note, &the_note, AL_NODELETE);
    for (uint32_t i = 0; i < N_WORKERS; i++)
        seats[i].n = 0;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    plant(DEPTH);
    CHECK(al_system_stop(system, &run->report) == 0, "not received");
}

/* The hash of what happened, on the virtual engine. */
static uint64_t run_once(struct run *run)
{
    return run_seed(run->seed, run_system, run);
}

static bool is_run(const struct al_trace_event *event)
{
    return event->kind <= AL_TRACE_RUN_MANY;
}

static void check_chain(const struct al_trace *trace)
{
    for (uint64_t i = 1; i < al_trace_left(trace); i++) {
        const struct al_trace_event *before = al_trace_event(trace, i - 1);
        const struct al_trace_event *event = al_trace_event(trace, i);
        CHECK(event->began == before->began + before->cycles, "a gap after event %llu",
              (unsigned long long)(i - 1));
        /* A failed look before it found something takes time that is not part of the run. */
        CHECK(before->kind != AL_TRACE_IDLE || before->n == 0 || before->cycles > 0 ||
                  !is_run(event),
              "event %llu took no time", (unsigned long long)(i - 1));
    }
}

/* Every behaviour ran within an event that says so. */
static void check_times(const struct al_trace *trace, const struct seat *seat)
{
    uint64_t i = 0;
    for (uint32_t k = 0; k < seat->n; k++) {
        const struct al_trace_event *event;
        do {
            CHECK(i < al_trace_left(trace), "message %u is not in any run", k);
            event = al_trace_event(trace, i);
        } while ((!is_run(event) || event->began + event->cycles < seat->ran[k]) && ++i > 0);
        CHECK(event->began <= seat->ran[k], "message %u comes before its run", k);
    }
}

static void expect(const char *what, uint64_t events, uint64_t counter)
{
    CHECK(events == counter, "%s: %llu by the events, %llu by the counter", what,
          (unsigned long long)events, (unsigned long long)counter);
}

/* Check all events of one worker against its counters; `kinds` becomes the set of kinds that
 * occur. */
static void check_sums(const struct way *way, uint32_t id, const struct al_worker_report *worker,
                       uint32_t *kinds)
{
    const struct al_counters *counters = &worker->counters;
    struct al_counters sums = {0};
    for (uint64_t i = 0; i < worker->trace->n; i++) {
        const struct al_trace_event *event = al_trace_event(worker->trace, i);
        *kinds |= 1u << event->kind;
        switch ((enum al_trace_kind)event->kind) {
        case AL_TRACE_RUN_ACTOR:
        case AL_TRACE_RUN_MAILBOX:
        case AL_TRACE_RUN_MANY:
            CHECK(event->n > 0, "an event of no messages");
            sums.messages_received += event->n;
            sums.gulps += event->kind == AL_TRACE_RUN_MANY ? event->batches : 1;
            break;
        case AL_TRACE_GULP:
            CHECK(event->n >= AL_TRACE_MESSAGES, "a gulp of %llu", (unsigned long long)event->n);
            break;
        case AL_TRACE_STEAL:
            CHECK(event->victim < N_WORKERS && event->victim != id, "victim %u", event->victim);
            sums.steals++;
            sums.queues_stolen += event->queues;
            sums.messages_stolen += event->n;
            break;
        case AL_TRACE_STEAL_NO:
            sums.steals_no_candidate++;
            break;
        case AL_TRACE_STEAL_LOST:
            sums.steals_lost_swap++;
            break;
        case AL_TRACE_IDLE:
            sums.steals_no_candidate += event->attempts;
            break;
        case AL_TRACE_SLEEP:
        case AL_TRACE_PARK:
            break;
        }
    }
    expect("messages", sums.messages_received, counters->messages_received);
    if (strcmp(way->scheduler, "inverted") == 0)
        expect("gulps", sums.gulps, counters->gulps);
    expect("steals", sums.steals, counters->steals);
    expect("queues", sums.queues_stolen, counters->queues_stolen);
    expect("messages stolen", sums.messages_stolen, counters->messages_stolen);
    expect("no candidate", sums.steals_no_candidate, counters->steals_no_candidate);
    expect("lost swaps", sums.steals_lost_swap, counters->steals_lost_swap);
}

static bool has(uint32_t kinds, enum al_trace_kind kind)
{
    return (kinds >> kind & 1) != 0;
}

/* On the virtual engine exactly the kinds that this way of running and waiting can have occur. On
 * threads, whose runs differ, the test requires only those that every run has. */
static bool has_all(const struct way *way, uint32_t kinds)
{
    bool inverted = strcmp(way->scheduler, "inverted") == 0;
    bool runs = !way->has_batches ? has(kinds, AL_TRACE_RUN_MANY)
                : inverted        ? has(kinds, AL_TRACE_RUN_MAILBOX)
                                  : has(kinds, AL_TRACE_RUN_ACTOR) || has(kinds, AL_TRACE_RUN_MANY);
    if (!runs || !has(kinds, AL_TRACE_IDLE))
        return false;
#ifdef AL_VIRTUAL
    bool steals = inverted || strcmp(way->scheduler, "deque") == 0;
    bool parks = strcmp(way->idle, "park") == 0 || strcmp(way->idle, "own") == 0;
    bool sleeps = strcmp(way->idle, "backoff") == 0 || strcmp(way->idle, "polling") == 0;
    return has(kinds, AL_TRACE_GULP) == inverted && has(kinds, AL_TRACE_PARK) == parks &&
           has(kinds, AL_TRACE_SLEEP) == sleeps &&
           (!steals || (has(kinds, AL_TRACE_STEAL) && has(kinds, AL_TRACE_STEAL_NO)));
#else
    return true;
#endif
}

static void check_run(const struct run *run, uint32_t *kinds)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        const struct al_worker_report *worker = &run->report.workers[i];
        CHECK(worker->trace->n <= MANY, "%llu events", (unsigned long long)worker->trace->n);
        check_chain(worker->trace);
        check_times(worker->trace, &seats[i]);
        check_sums(run->way, i, worker, kinds);
        messages += worker->counters.messages_received;
    }
    expect("all messages", messages, N_ACTORS * (NOTES + 1));
    CHECK(run->report.workers[N_WORKERS].trace == NULL, "the starter has a timeline");
}

/* A ring of a few events holds the last of `whole`, which had room for all events of the same
 * run. */
static void check_few(const struct run *few, const struct run *whole)
{
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        const struct al_trace *trace = few->report.workers[i].trace;
        CHECK(al_trace_left(trace) == (trace->n < FEW ? trace->n : FEW), "not full");
        check_chain(trace);
        if (whole == NULL)
            continue;
        const struct al_trace *all = whole->report.workers[i].trace;
        CHECK(trace->n == all->n, "%llu events, then %llu", (unsigned long long)all->n,
              (unsigned long long)trace->n);
        uint64_t dropped = trace->n - al_trace_left(trace);
        for (uint64_t k = 0; k < al_trace_left(trace); k++) {
            const struct al_trace_event *a = al_trace_event(trace, k),
                                        *b = al_trace_event(all, dropped + k);
            CHECK(a->began == b->began && a->cycles == b->cycles && a->kind == b->kind &&
                      a->n == b->n,
                  "event %llu differs", (unsigned long long)k);
        }
    }
}

static uint32_t run_way(const struct way *way, const struct al_topology *topology)
{
    uint32_t kinds = 0;
    alarm(240);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct run whole = {way, topology, seed, MANY, {0}};
        struct run few = {way, topology, seed, FEW, {0}};
        struct run none = {way, topology, seed, 0, {0}};
        uint64_t hash = run_once(&whole);
        check_run(&whole, &kinds);
        CHECK(run_once(&few) == hash && run_once(&none) == hash, "the timeline changes the run");
#ifdef AL_VIRTUAL
        check_few(&few, &whole);
#else
        check_few(&few, NULL);
#endif
        CHECK(none.report.workers[0].trace == NULL, "a timeline that nobody asked for");
        al_report_free(&whole.report);
        al_report_free(&few.report);
        al_report_free(&none.report);
    }
    return kinds;
}

#ifndef AL_VIRTUAL
/* Another core's cycle counter may be behind: then a worker seems to wait until after its run
 * begins. */
static void test_clocks(struct tap *tap)
{
    static struct al_worker self;
    self.trace = al_trace_new(FEW);
    CHECK(self.trace != NULL, "memory");
    al_trace_begin(&self);
    al_trace_idle(&self);
    self.trace->woke += UINT64_C(1) << 40;
    self.counters.messages_received = 1;
    al_trace_end(&self);
    const struct al_trace_event *idle = al_trace_event(self.trace, 0),
                                *run = al_trace_event(self.trace, 1);
    tap_ok(tap,
           self.trace->n == 2 && run->began == self.trace->woke && run->cycles == 0 &&
               idle->cycles == UINT64_C(1) << 40,
           "no event ends before it begins");
    free(self.trace);
}
#endif

int main(void)
{
    struct tap tap = {0};
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load("node:2 core:2 pu:1", &topology, &error) == 0, "%s", error.text);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];
        uint32_t kinds = run_way(way, topology);
        tap_ok(&tap, has_all(way, kinds), "%s, idle %s%s%s%s%s: events %#x add up", way->scheduler,
               way->idle, way->key != NULL ? ", " : "", way->key != NULL ? way->key : "",
               way->key != NULL ? "=" : "", way->key != NULL ? way->value : "", kinds);
    }
    al_topology_free(topology);
#ifndef AL_VIRTUAL
    test_clocks(&tap);
#endif
    return tap_done(&tap);
}
