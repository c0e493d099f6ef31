/* SPDX-License-Identifier: MIT */

/*
 * count: one actor floods another. The producer sends `increments` messages to the counter, and
 * then asks it for the count. Source: Savina (Imam and Sarkar, 2014), "Counting Actor", whose size
 * is the default.
 *
 * As in Savina, all increments are one and the same message object.
 *
 * Messages: one to begin with, `increments`, a question and its answer.
 *
 * The answer: the count is `increments`.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { INCREMENTS };

static const struct al_option options[] = {
    [INCREMENTS] = {"increments", AL_OPTION_UINT, "1000000", 1, 1e9, NULL,
                    "messages to the counter"},
    {0},
};

struct producer;

struct increment {
    struct al_message message;
};

struct retrieve {
    struct al_message message;
    struct producer *from;
};

struct result {
    struct al_message message;
    uint64_t count;
};

struct counter {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t count;
    struct result result;
};

struct producer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct counter *counter;
    struct increment increment;
    struct retrieve retrieve;
    uint64_t increments, result;
};

struct state {
    struct counter counter;
    struct producer producer;
    struct al_go go;
};

AL_ACTOR(counter)
AL_ACTOR(producer)
AL_MESSAGE(increment)
AL_MESSAGE(result)
AL_MESSAGE(retrieve)

AL_BEHAVIOUR(counter, increment, self, msg)
{
    self->count++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(producer, result, self, msg)
{
    self->result = msg->count;
    return AL_FINISHED;
}

AL_BEHAVIOUR(counter, retrieve, self, msg)
{
    self->result.count = self->count;
    al_send(producer, result, msg->from, &self->result);
    return AL_FINISHED;
}

AL_BEHAVIOUR(producer, al_go, self, msg)
{
    for (uint64_t i = 0; i < self->increments; i++)
        al_send(counter, increment, self->counter, &self->increment);
    al_send(counter, retrieve, self->counter, &self->retrieve);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .producer = {.counter = &state->counter,
                     .retrieve.from = &state->producer,
                     .increments = values[INCREMENTS].uint},
    };
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(increment, &state->producer.increment, AL_NODELETE);
    al_message_init(retrieve, &state->producer.retrieve, AL_NODELETE);
    al_message_init(result, &state->counter.result, AL_NODELETE);
    return state;
}

/* All increments may wait at once, in the strategy's queues. */
static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->producer.increments + 3;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(counter, &state->counter);
    al_actor_init(producer, &state->producer);
    al_send(producer, al_go, &state->producer, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct producer *producer = &((struct state *)argument)->producer;
    if (producer->result == producer->increments)
        return 0;
    return al_error_set(error, -EBADMSG, "the count is %llu, not %llu",
                        (unsigned long long)producer->result,
                        (unsigned long long)producer->increments);
}

const struct al_benchmark_ops al_benchmark_count = {
    .plugin = {"count", "one actor floods another with messages to count", options},
    .stresses = "one pair of actors, of which one only sends",
    .small = "increments=5000",
    .sim = "increments=200000",
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
