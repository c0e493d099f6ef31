/* SPDX-License-Identifier: MIT */

/*
 * logm: pairs of actors that wait for one another. Each of `series` workers computes `terms` terms
 * of a logistic map x' = rate * x * (1 - x), by asking its rate computer for the next term and
 * waiting for the answer. The manager creates both, tells each worker `terms` times to compute the
 * next term and then to report its term, and adds up the reports. Source: Savina (Imam and Sarkar,
 * 2014), "Logistic Map Series", whose sizes are the defaults; LOGM in the LAS paper.
 *
 * In Savina a worker stashes the messages that arrive while it waits for an answer. These can only
 * be orders for one more term and, after them, the order to report, so here the worker counts them.
 * As in Savina, requests and answers are allocated for each send.
 *
 * Messages: one to the manager to begin with; per series `terms` orders, requests and answers, one
 * order to report, one report, and a pill each to worker and computer. When the pills are sent
 * nothing else is on its way to these, since a worker reports only after all its terms.
 *
 * The answer: a series does not depend on the schedule, so each term, and their sum in the order of
 * the series, equals the result of a sequential loop bit by bit.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { SERIES, TERMS, RATE, INCREMENT, MEMORY };

static const struct al_option options[] = {
    [SERIES] = {"series", AL_OPTION_UINT, "10", 1, 1e6, NULL,
                "series, each of a worker and a rate computer"},
    [TERMS] = {"terms", AL_OPTION_UINT, "25000", 1, 1e9, NULL, "terms of each series"},
    [RATE] = {"rate", AL_OPTION_REAL, "3.46", 0, 4, NULL, "rate of the first series"},
    [INCREMENT] = {"increment", AL_OPTION_REAL, "0.0025", 0, 1, NULL,
                   "added to rate and first term from one series to the next"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct worker;

struct next {
    struct al_message message;
};

struct get {
    struct al_message message;
};

struct request {
    struct al_message message;
    struct worker *worker;
    double term;
};

struct answer {
    struct al_message message;
    double term;
};

struct report {
    struct al_message message;
    uint32_t index;
    double term;
};

struct computer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    double rate;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct computer *computer;
    double term;
    uint32_t owed; /* orders for a next term that it has not carried out */
    bool waits;    /* for an answer */
    bool reports;  /* once it has carried out all orders */
    struct report report;
};

struct manager {
    struct al_actor actor;
    struct state *state;
    uint64_t left; /* reports to come */
    double *terms; /* the last term of each series */
    double sum;
};

/* Shared by all actors; read-only while they run, except the manager. */
struct state {
    struct computer *computers;
    struct worker *workers;
    struct al_go go;
    struct next next;
    struct get get;
    uint32_t n_series, n_terms;
    double increment;
    _Alignas(AL_CACHE_LINE_BYTES) struct manager manager;
};

AL_ACTOR(computer)
AL_ACTOR(manager)
AL_ACTOR(worker)
AL_MESSAGE(answer)
AL_MESSAGE(get)
AL_MESSAGE(next)
AL_MESSAGE(report)
AL_MESSAGE(request)
AL_RECYCLE(answer)
AL_RECYCLE(request)

static double next_term(double rate, double term)
{
    return rate * term * (1 - term);
}

AL_BEHAVIOUR(manager, report, self, msg)
{
    const struct state *state = self->state;
    self->terms[msg->index] = msg->term;
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->n_series; i++) {
        self->sum += self->terms[i];
        al_send_pill(&state->computers[i].actor, &al_finished_msg);
        al_send_pill(&state->workers[i].actor, &al_finished_msg);
    }
    return AL_FINISHED;
}

AL_BEHAVIOUR_DECLARE(worker, answer)

AL_BEHAVIOUR(computer, request, self, msg)
{
    struct answer *answer = al_message_init(answer, al_new(answer), AL_DELETE);
    answer->term = next_term(self->rate, msg->term);
    al_send(worker, answer, msg->worker, answer);
    return AL_NODELETE;
}

/* Carry out the oldest order, unless the one before it is not finished. */
static void proceed(struct worker *self)
{
    struct state *state = self->state;
    if (self->waits)
        return;
    if (self->owed > 0) {
        self->owed--;
        self->waits = true;
        struct request *request = al_message_init(request, al_new(request), AL_DELETE);
        request->worker = self;
        request->term = self->term;
        al_send(computer, request, self->computer, request);
    } else if (self->reports) {
        self->report.term = self->term;
        al_send(manager, report, &state->manager, &self->report);
    }
}

AL_BEHAVIOUR(worker, next, self, msg)
{
    self->owed++;
    proceed(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR(worker, get, self, msg)
{
    self->reports = true;
    proceed(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(worker, answer, self, msg)
{
    self->term = msg->term;
    self->waits = false;
    proceed(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR(manager, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint32_t i = 0; i < state->n_series; i++) {
        al_actor_init(computer, &state->computers[i]);
        al_actor_init(worker, &state->workers[i]);
    }
    for (uint32_t term = 0; term < state->n_terms; term++) {
        for (uint32_t i = 0; i < state->n_series; i++)
            al_send(worker, next, &state->workers[i], &state->next);
    }
    for (uint32_t i = 0; i < state->n_series; i++)
        al_send(worker, get, &state->workers[i], &state->get);
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint32_t n = (uint32_t)values[SERIES].uint;
    double rate = values[RATE].real, increment = values[INCREMENT].real;
    if (rate + (n - 1) * increment > 4 || (n - 1) * increment > 1)
        return al_error_set(error, -EINVAL,
                            "the last of series=%u would have rate %g and first term %g; valid: a "
                            "rate up to 4 and a term up to 1, with a smaller increment",
                            n, rate + (n - 1) * increment, (n - 1) * increment);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[SERIES].uint;
    double rate = values[RATE].real, increment = values[INCREMENT].real;
    struct state *state = al_allocate_lines(1, sizeof *state);
    struct computer *computers = al_allocate_lines(n, sizeof *computers);
    struct worker *workers = al_allocate_lines(n, sizeof *workers);
    double *terms = al_allocate_zeroed(n, sizeof *terms);
    *state = (struct state){.computers = computers,
                            .workers = workers,
                            .n_series = n,
                            .n_terms = (uint32_t)values[TERMS].uint,
                            .increment = increment,
                            .manager = {.state = state, .left = n, .terms = terms}};
    for (uint32_t i = 0; i < n; i++) {
        computers[i] = (struct computer){.rate = rate + i * increment};
        workers[i] = (struct worker){
            .state = state, .computer = &computers[i], .term = i * increment, .report.index = i};
    }
    return state;
}

/* Each series has one request or answer at a time. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[SERIES].uint * (sizeof(struct computer) + sizeof(struct worker) +
                                          sizeof(struct request) + sizeof(double));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->n_series * (3 * (uint64_t)state->n_terms + 4);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(next, &state->next, AL_NODELETE);
    al_message_init(get, &state->get, AL_NODELETE);
    for (uint32_t i = 0; i < state->n_series; i++)
        al_message_init(report, &state->workers[i].report, AL_NODELETE);
    al_actor_init(manager, &state->manager);
    al_send(manager, al_go, &state->manager, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct manager *manager = &state->manager;
    double sum = 0;
    for (uint32_t i = 0; i < state->n_series; i++) {
        double term = i * state->increment;
        for (uint32_t j = 0; j < state->n_terms; j++)
            term = next_term(state->computers[i].rate, term);
        if (manager->terms[i] != term)
            return al_error_set(error, -EBADMSG, "the last term of series %u is %.17g, not %.17g",
                                i, manager->terms[i], term);
        sum += term;
    }
    if (manager->sum != sum)
        return al_error_set(error, -EBADMSG, "the sum of the last terms is %.17g, not %.17g",
                            manager->sum, sum);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->computers);
    al_free(state->workers);
    al_free(state->manager.terms);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return 2 * values[SERIES].uint;
}

const struct al_benchmark_ops al_benchmark_logm = {
    .plugin = {"logm", "logistic map series: workers that ask a computer for each term", options},
    .stresses = "pairs that only wake each other: do they stay together?",
    .small = "series=6 terms=500",
    .sim = "series=256 terms=1000 increment=0.001",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
