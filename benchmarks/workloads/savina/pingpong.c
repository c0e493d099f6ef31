/* SPDX-License-Identifier: MIT */

/*
 * pingpong: two actors and one message at a time. Ping sends `pings` pings to pong, which answers
 * each; after each answer but the last, ping tells itself to send the next. Source: Savina (Imam
 * and Sarkar, 2014), "Ping Pong", whose size is the default.
 *
 * As in Savina, pings and pongs are allocated for each send.
 *
 * Messages: one to begin with, a ping and a pong for each of `pings`, one to itself before each
 * ping but the first, and a pill to pong.
 *
 * The answer: pong has received `pings` pings, and ping as many pongs.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { PINGS, MEMORY };

static const struct al_option options[] = {
    [PINGS] = {"pings", AL_OPTION_UINT, "40000", 1, 1e12, NULL, "pings to send, one after another"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct ping_actor;

struct ping {
    struct al_message message;
    struct ping_actor *from;
};

struct pong {
    struct al_message message;
};

struct pong_actor {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t received;
};

struct ping_actor {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct pong_actor *pong;
    struct al_go *go; /* to itself */
    uint64_t left;    /* pings to send */
    uint64_t received;
};

struct state {
    struct ping_actor ping;
    struct pong_actor pong;
    struct al_go go;
    uint64_t pings;
};

AL_ACTOR(ping_actor)
AL_ACTOR(pong_actor)
AL_MESSAGE(ping)
AL_MESSAGE(pong)
AL_RECYCLE(ping)
AL_RECYCLE(pong)

AL_BEHAVIOUR_DECLARE(ping_actor, pong)

AL_BEHAVIOUR(pong_actor, ping, self, msg)
{
    self->received++;
    al_send(ping_actor, pong, msg->from, al_message_init(pong, al_new(pong), AL_DELETE));
    return AL_NODELETE;
}

AL_BEHAVIOUR(ping_actor, al_go, self, msg)
{
    struct ping *ping = al_message_init(ping, al_new(ping), AL_DELETE);
    ping->from = self;
    self->left--;
    al_send(pong_actor, ping, self->pong, ping);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(ping_actor, pong, self, msg)
{
    self->received++;
    if (self->left > 0) {
        al_send(ping_actor, al_go, self, self->go);
        return AL_NODELETE;
    }
    al_send_pill(&self->pong->actor, &al_finished_msg);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .pings = values[PINGS].uint,
        .ping = {.pong = &state->pong, .go = &state->go, .left = values[PINGS].uint},
    };
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 3 * state->pings + 1;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(pong_actor, &state->pong);
    al_actor_init(ping_actor, &state->ping);
    al_send(ping_actor, al_go, &state->ping, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    if (state->ping.received == state->pings && state->pong.received == state->pings)
        return 0;
    return al_error_set(error, -EBADMSG, "of %llu pings %llu came, and %llu answers",
                        (unsigned long long)state->pings, (unsigned long long)state->pong.received,
                        (unsigned long long)state->ping.received);
}

const struct al_benchmark_ops al_benchmark_pingpong = {
    .plugin = {"pingpong", "two actors that answer each other, one message at a time", options},
    .stresses = "the latency of a message between two actors that never run at once",
    .small = "pings=500",
    .sim = "pings=60000",
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
