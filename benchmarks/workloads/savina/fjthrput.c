/* SPDX-License-Identifier: MIT */

/*
 * fjthrput: many actors with full mailboxes. Each of `actors` actors receives `sends` messages, and
 * computes the square of a sine for each. The starting thread sends all of them, one to each actor
 * in turn, or `sources` actors do, each its share of the turns. Source: Savina (Imam and Sarkar,
 * 2014), "Fork Join (throughput)", whose sizes are the defaults.
 *
 * As in Savina, all are one and the same message object. Savina also has channels with priorities,
 * which no strategy here offers, and which its actors do not use.
 *
 * Messages: `sends` to each actor, and one to each source.
 *
 * The answer: each actor has received `sends` messages, and computed a square each time.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { ACTORS, SENDS, SOURCES };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "60", 1, 1e7, NULL, "actors that receive messages"},
    [SENDS] = {"sends", AL_OPTION_UINT, "10000", 1, 1e9, NULL, "messages to each of them"},
    [SOURCES] = {"sources", AL_OPTION_UINT, "0", 0, 1e6, NULL,
                 "actors that send; 0: the starting thread does"},
    {0},
};

struct work {
    struct al_message message;
    double angle;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t left; /* messages to come */
    uint64_t squares;
};

struct source {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t turns; /* of a message to each actor */
};

/* Read-only while the actors run. */
struct state {
    struct worker *workers;
    struct source *sources;
    uint32_t n_workers, n_sources;
    uint64_t sends;
    struct work work;
    struct al_go go;
};

AL_ACTOR(source)
AL_ACTOR(worker)
AL_MESSAGE(work)

AL_BEHAVIOUR(worker, work, self, msg)
{
    self->squares += al_sine_square(msg->angle);
    return al_count_down(&self->left);
}

static void send(struct state *state, uint64_t turns)
{
    for (uint64_t turn = 0; turn < turns; turn++) {
        for (uint32_t i = 0; i < state->n_workers; i++)
            al_send(worker, work, &state->workers[i], &state->work);
    }
}

AL_BEHAVIOUR(source, al_go, self, msg)
{
    send(self->state, self->turns);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[ACTORS].uint, n_sources = (uint32_t)values[SOURCES].uint;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){.workers = al_allocate_lines(n, sizeof *state->workers),
                            .sources = al_allocate_lines(n_sources, sizeof *state->sources),
                            .n_workers = n,
                            .n_sources = n_sources,
                            .work = {.angle = AL_SINE_ANGLE},
                            .sends = values[SENDS].uint};
    for (uint32_t i = 0; i < n; i++)
        state->workers[i] = (struct worker){.left = state->sends};
    for (uint32_t i = 0; i < n_sources; i++)
        state->sources[i] = (struct source){
            .state = state, .turns = state->sends / n_sources + (i < state->sends % n_sources)};
    al_message_init(work, &state->work, AL_NODELETE);
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * sizeof(struct worker) +
           (double)values[SOURCES].uint * sizeof(struct source);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_workers * state->sends + state->n_sources;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_actor_init(worker, &state->workers[i]);
    for (uint32_t i = 0; i < state->n_sources; i++)
        al_send(source, al_go, al_actor_init(source, &state->sources[i]), &state->go);
    if (state->n_sources == 0)
        send(state, state->sends);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++) {
        const struct worker *worker = &state->workers[i];
        if (worker->left != 0 || worker->squares != state->sends)
            return al_error_set(error, -EBADMSG,
                                "actor %u has computed %llu squares, not %llu, and awaits %llu "
                                "messages",
                                i, (unsigned long long)worker->squares,
                                (unsigned long long)state->sends, (unsigned long long)worker->left);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->workers);
    al_free(state->sources);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_fjthrput = {
    .plugin = {"fjthrput", "actors that receive many messages each, and compute a sine", options},
    .stresses = "throughput with full mailboxes, filled from one place",
    .small = "actors=12 sends=200",
    .sim = "actors=768 sends=1200 sources=96",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
