/* SPDX-License-Identifier: MIT */

/*
 * open: requests that come whether or not earlier ones have been answered. `sources` sources send
 * `requests` requests in all, to one of `servers` servers each, at random, at times that no answer
 * changes: `rate` in a second, with gaps that are exponentially distributed (poisson), equal
 * (fixed), or equal between bursts of `burst` at once (bursts). A server works for `work` ns on
 * average, distributed as `service` says. The latencies of the record are the times from when a
 * request was due until it has been served: a source that is late does not make them shorter, which
 * is known as coordinated omission (Tene).
 *
 * A source sends itself a timer for its next request; one that is late sends what is due at once,
 * but at most LATE_MOST in a row. A server knows beforehand how many requests it will have, and
 * ends with the last one. Those that will have none are not created.
 *
 * Messages, at least: one to each source to begin with, and the requests. A timer is one, too, and
 * may stand for several requests that are due by then.
 *
 * The answer: each server has had its requests.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"
#include "benchmarks/workloads/support/schedule.h"

enum option {
    REQUESTS,
    RATE,
    LOAD,
    FEASIBLE,
    SOURCES,
    SERVERS,
    ARRIVALS,
    BURST,
    WORK,
    SERVICE,
    MEMORY
};

static const char *const arrivals_choices[] = AL_ARRIVALS_CHOICES;
static const char *const service_choices[] = AL_DISTRIBUTION_CHOICES;

static const struct al_option options[] = {
    [REQUESTS] = {"requests", AL_OPTION_UINT, "100000", 1, 1e12, NULL, "requests in all"},
    [RATE] = {"rate", AL_OPTION_REAL, "100000", 0.001, 1e12, NULL, "requests in a second"},
    [LOAD] = {"load", AL_OPTION_REAL, "0", 0, 1000, NULL,
              "instead of rate: percent of the requests that the workers could serve if they did "
              "nothing else; 0: as rate says"},
    [FEASIBLE] = {"feasible", AL_OPTION_REAL, "100", 0.01, 100, NULL,
                  "percent of these that they do serve, for load: fewer where cores are slower "
                  "when all are busy"},
    [SOURCES] = {"sources", AL_OPTION_UINT, "1", 1, 1e6, NULL, "actors that send them"},
    [SERVERS] = {"servers", AL_OPTION_UINT, "64", 1, 1e7, NULL, "actors that serve them"},
    [ARRIVALS] = {"arrivals", AL_OPTION_ENUM, "poisson", 0, 0, arrivals_choices,
                  "how the gaps between requests are distributed"},
    [BURST] = {"burst", AL_OPTION_UINT, "10", 1, 1e6, NULL, "requests at once, of bursts"},
    [WORK] = {"work", AL_OPTION_UINT, "1000", 0, 1e9, NULL, "mean time to serve a request, ns"},
    [SERVICE] = {"service", AL_OPTION_ENUM, "constant", 0, 0, service_choices,
                 AL_DISTRIBUTION_HELP},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* A source that is late sends so many requests, and lets others run. */
enum { LATE_MOST = 64 };

struct request {
    struct al_message message;
    uint64_t due;  /* as al_latency_now() */
    uint64_t work; /* as al_work() takes it */
};

struct server {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t left; /* requests that it has not served */
    uint64_t last; /* when it had served the latest, as al_latency_now() */
};

struct source {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_random random;  /* of the work */
    struct al_random choices; /* of the servers */
    struct al_schedule schedule;
    uint64_t left;  /* requests to send */
    uint64_t turns; /* that it has had */
};

/* Read-only while the actors run. */
struct state {
    struct source *sources;
    struct server *servers;
    uint32_t n_sources, n_servers;
    uint64_t requests;
    double load; /* percent of the requests that can be served; 0: none is given */
    double work; /* mean, as al_work() takes it */
    uint64_t work_ns;
    enum al_distribution service;
    uint64_t began_ns, began; /* the same, as al_latency_now() */
    struct al_go go;
};

AL_ACTOR(server)
AL_ACTOR(source)
AL_MESSAGE(request)
AL_RECYCLE(request)

AL_BEHAVIOUR_DECLARE(source, al_go)

AL_BEHAVIOUR(server, request, self, msg)
{
    al_work(msg->work);
    self->last = al_latency_record(msg->due);
    return al_count_down(&self->left);
}

static struct server *choose_server(const struct state *state, struct al_random *choices)
{
    return &state->servers[al_random_below(choices, state->n_servers)];
}

static void send_request(struct source *self)
{
    struct state *state = self->state;
    struct request *request = al_message_init(request, al_new(request), AL_DELETE);
    double work = state->work * al_distribution_draw(state->service, &self->random);
    request->due = al_schedule_take(&self->schedule);
    request->work = (uint64_t)(work + al_random_real(&self->random)); /* rounded at random */
    al_send(server, request, choose_server(state, &self->choices), request);
}

AL_BEHAVIOUR_DEFINE(source, al_go, self, msg)
{
    struct al_schedule *schedule = &self->schedule;
    double now = (double)al_clock_ns();
    self->turns++;
    al_schedule_begin(schedule);
    for (uint32_t i = 0; i < LATE_MOST && self->left > 0 && schedule->due <= now; i++) {
        send_request(self);
        self->left--;
    }
    if (self->left == 0)
        return AL_FINISHED;
    if (schedule->due <= now)
        al_send(source, al_go, self, msg);
    else
        al_send_at(source, al_go, self, msg, (uint64_t)schedule->due);
    return AL_NODELETE;
}

/* Percent of what workers would serve that are as fast together as one alone. */
static double load_of(const union al_value *values)
{
    return values[LOAD].real * values[FEASIBLE].real / 100;
}

/* Of a schedule, the larger number counts: so long is the gap between two requests of a source. */
static int check_parameters(const union al_value *values, struct al_error *error)
{
    double load = load_of(values), work_ns = (double)values[WORK].uint;
    double requests = fmax((double)values[REQUESTS].uint, (double)values[SOURCES].uint);
    if (load > 0 && work_ns == 0)
        return al_error_set(error, -EINVAL,
                            "load=%g is a share of what can be served, and work=0 takes no time; "
                            "valid: rate, or work of a nanosecond and more",
                            values[LOAD].real);
    return al_schedule_check(requests, load > 0 ? load / 100 / work_ns * 1e9 : values[RATE].real,
                             error);
}

/* How many requests each server will have. */
static void count_requests(struct state *state)
{
    for (uint32_t i = 0; i < state->n_sources; i++) {
        struct al_random choices = state->sources[i].choices;
        for (uint64_t k = 0; k < state->sources[i].left; k++)
            choose_server(state, &choices)->left++;
    }
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint32_t n_sources = (uint32_t)values[SOURCES].uint, n = (uint32_t)values[SERVERS].uint;
    uint64_t requests = values[REQUESTS].uint;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .sources = al_allocate_lines(n_sources, sizeof *state->sources),
        .servers = al_allocate_lines(n, sizeof *state->servers),
        .n_sources = n_sources,
        .n_servers = n,
        .requests = requests,
        .load = load_of(values),
        .work_ns = values[WORK].uint,
        .service = (enum al_distribution)values[SERVICE].uint,
    };
    for (uint32_t i = 0; i < n_sources; i++) {
        struct source *source = &state->sources[i];
        *source = (struct source){
            .state = state,
            .schedule = {.gap_ns = 1e9 / values[RATE].real * n_sources,
                         .arrivals = (enum al_arrivals)values[ARRIVALS].uint,
                         .burst = values[BURST].uint},
            .left = requests / n_sources + (i < requests % n_sources),
        };
        al_random_seed(&source->random, seed, i);
        al_random_seed(&source->schedule.random, seed, (uint64_t)n_sources + i);
        al_random_seed(&source->choices, seed, 2 * (uint64_t)n_sources + i);
    }
    for (uint32_t i = 0; i < n; i++)
        state->servers[i] = (struct server){0};
    count_requests(state);
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

/* As if half of the requests waited at once, as they may if they cannot be served in time. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[SOURCES].uint * sizeof(struct source) +
           (double)values[SERVERS].uint * sizeof(struct server) +
           (double)values[REQUESTS].uint / 2 * sizeof(struct request);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_sources + state->requests;
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    uint64_t turns = 0;
    for (uint32_t i = 0; i < state->n_sources; i++)
        turns += state->sources[i].turns;
    return state->requests + turns;
}

static uint64_t due_ns(const void *argument)
{
    const struct state *state = argument;
    double last = 0;
    for (uint32_t i = 0; i < state->n_sources; i++)
        last = fmax(last, state->sources[i].schedule.last);
    return (uint64_t)last - state->began_ns;
}

/* In the other clock, at the rate since the start. */
static uint64_t served_ns(const void *argument)
{
    const struct state *state = argument;
    uint64_t last = 0, ns, now;
    for (uint32_t i = 0; i < state->n_servers; i++)
        last = state->servers[i].last > last ? state->servers[i].last : last;
    al_clock_pair(&ns, &now);
    return (uint64_t)((double)(last - state->began) / (double)(now - state->began) *
                      (double)(ns - state->began_ns));
}

static void start(void *argument)
{
    struct state *state = argument;
    al_clock_pair(&state->began_ns, &state->began);
    state->work = (double)al_work_of(state->work_ns);
    for (uint32_t i = 0; state->load > 0 && i < state->n_sources; i++)
        state->sources[i].schedule.gap_ns = 100 / state->load * (double)state->work_ns /
                                            al_workers() * state->n_sources;
    for (uint32_t i = 0; i < state->n_servers; i++) {
        if (state->servers[i].left > 0)
            al_actor_init(server, &state->servers[i]);
    }
    for (uint32_t i = 0; i < state->n_sources; i++)
        al_send(source, al_go, al_actor_init(source, &state->sources[i]), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t left = 0;
    for (uint32_t i = 0; i < state->n_servers; i++)
        left += state->servers[i].left;
    if (left == 0)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu requests of %llu were not served",
                        (unsigned long long)left, (unsigned long long)state->requests);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->sources);
    al_free(state->servers);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_open = {
    .plugin = {"open", "requests that come on a schedule, answered or not", options},
    .stresses = "latency under load",
    .judged_by = "latencies.p99",
    .latencies = true,
    .more_messages = true,
    .small = "requests=2000 rate=1000000 servers=8 work=100",
    .sim = "requests=20000 rate=1000000 sources=8 servers=768",
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .due_ns = due_ns,
    .served_ns = served_ns,
    .start = start,
    .check = check,
    .release = release,
};
