/* SPDX-License-Identifier: MIT */

/*
 * outside: messages from a thread that is no worker. The starting thread sends `bursts` times a
 * note to each of `actors` actors, and sleeps for `gap` ns after each time. Meanwhile `busy` other
 * actors send themselves `turns` messages, one after another, and compute for `ns` at each; with
 * busy=0 the workers have nothing to do between two bursts.
 *
 * The times from the sending of a note to its delivery are the latencies of the record: what it
 * takes to wake a worker that sleeps, or to get the attention of one that is inside a behaviour.
 * The processor time of a run with busy=0 is what a system costs that is mostly idle. Source: ours,
 * after reports on servers whose idle workers take a core each, or wake up late.
 *
 * Messages: `bursts` to each actor, and `turns` to each busy actor.
 *
 * The answer: each actor has had its notes, in the order in which they were sent.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, BURSTS, GAP, BUSY, TURNS, NS, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "8", 1, 1e7, NULL, "actors that have notes"},
    [BURSTS] = {"bursts", AL_OPTION_UINT, "100", 1, 1e9, NULL, "notes to each of them"},
    [GAP] = {"gap", AL_OPTION_UINT, "1000000", 0, 1e10, NULL,
             "sleep of the starting thread after a note to each, ns"},
    [BUSY] = {"busy", AL_OPTION_UINT, "0", 0, 1e6, NULL, "actors that compute meanwhile"},
    [TURNS] = {"turns", AL_OPTION_UINT, "100", 1, 1e9, NULL, "behaviours of each of these"},
    [NS] = {"ns", AL_OPTION_UINT, "1000000", 1, 1e10, NULL, "length of these behaviours, ns"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct note {
    struct al_message message;
    uint64_t number; /* of the burst, from 0 */
    uint64_t sent;   /* al_latency_now() before it was sent */
};

struct again {
    struct al_message message;
};

struct receiver {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t notes;
    bool disordered;
};

struct busy {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left; /* turns */
};

/* Read-only while the actors run. */
struct state {
    struct receiver *receivers;
    struct busy *busy;
    uint64_t n_receivers, n_busy, bursts, gap, turns, ns, work;
    struct again again;
};

AL_ACTOR(busy)
AL_ACTOR(receiver)
AL_MESSAGE(again)
AL_MESSAGE(note)
AL_RECYCLE(note)

AL_BEHAVIOUR(receiver, note, self, msg)
{
    al_latency_record(msg->sent);
    self->disordered |= msg->number != self->notes;
    return ++self->notes == self->state->bursts ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(busy, again, self, msg)
{
    al_work(self->state->work);
    if (al_count_down(&self->left) == AL_FINISHED)
        return AL_FINISHED;
    al_send(busy, again, self, msg);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.n_receivers = values[ACTORS].uint,
                            .n_busy = values[BUSY].uint,
                            .bursts = values[BURSTS].uint,
                            .gap = values[GAP].uint,
                            .turns = values[TURNS].uint,
                            .ns = values[NS].uint};
    state->receivers = al_allocate_lines(state->n_receivers, sizeof *state->receivers);
    state->busy = al_allocate_lines(state->n_busy, sizeof *state->busy);
    for (uint64_t i = 0; i < state->n_receivers; i++)
        state->receivers[i] = (struct receiver){.state = state};
    for (uint64_t i = 0; i < state->n_busy; i++)
        state->busy[i] = (struct busy){.state = state, .left = state->turns};
    al_message_init(again, &state->again, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * (sizeof(struct receiver) + sizeof(struct note)) +
           (double)values[BUSY].uint * sizeof(struct busy);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_receivers * state->bursts + state->n_busy * state->turns;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->work = al_work_of(state->ns);
    for (uint64_t i = 0; i < state->n_receivers; i++)
        al_actor_init(receiver, &state->receivers[i]);
    for (uint64_t i = 0; i < state->n_busy; i++)
        al_send(busy, again, al_actor_init(busy, &state->busy[i]), &state->again);
    for (uint64_t number = 0; number < state->bursts; number++) {
        for (uint64_t i = 0; i < state->n_receivers; i++) {
            struct note *note = al_message_init(note, al_new(note), AL_DELETE);
            note->number = number;
            note->sent = al_latency_now();
            al_send(receiver, note, &state->receivers[i], note);
        }
        if (state->gap > 0)
            al_sleep_ns(state->gap);
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint64_t i = 0; i < state->n_receivers; i++) {
        const struct receiver *receiver = &state->receivers[i];
        if (receiver->notes != state->bursts)
            return al_error_set(error, -EBADMSG, "actor %llu has had %llu notes, not %llu",
                                (unsigned long long)i, (unsigned long long)receiver->notes,
                                (unsigned long long)state->bursts);
        if (receiver->disordered)
            return al_error_set(error, -EBADMSG, "notes to actor %llu have overtaken one another",
                                (unsigned long long)i);
    }
    for (uint64_t i = 0; i < state->n_busy; i++) {
        if (state->busy[i].left > 0)
            return al_error_set(error, -EBADMSG, "busy actor %llu lacks %llu turns",
                                (unsigned long long)i, (unsigned long long)state->busy[i].left);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->receivers);
    al_free(state->busy);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_outside = {
    .plugin = {"outside", "messages from a thread that is no worker", options},
    .stresses = "wake-ups: how soon does a worker see what comes from outside, and at what cost?",
    .judged_by = "latencies.p99",
    .latencies = true,
    .small = "bursts=20 gap=100000 turns=20 ns=100000",
    .sim = "actors=96 bursts=200 gap=20000 ns=20000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
