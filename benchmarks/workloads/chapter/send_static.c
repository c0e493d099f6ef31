/* SPDX-License-Identifier: MIT */

/*
 * send-static: the latency of a send without allocation. One actor sends one message to itself
 * until it has received it `sends` times. Source: Cforall actors chapter, section "Message Sends".
 */

#include <errno.h>

#include "benchmarks/workloads/benchmark.h"

enum option { SENDS };

static const struct al_option options[] = {
    [SENDS] = {"sends", AL_OPTION_UINT, "100000000", 1, 1e15, NULL, "messages to send"},
    {0},
};

struct ping {
    struct al_message message;
};

struct sender {
    struct al_actor actor;
    uint64_t received, sends;
};

struct state {
    struct sender sender;
    struct ping ping;
};

AL_ACTOR(sender)
AL_MESSAGE(ping)

AL_BEHAVIOUR(sender, ping, self, msg)
{
    if (++self->received == self->sends)
        return AL_FINISHED;
    al_send(sender, ping, self, msg);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate(sizeof *state);
    state->sender = (struct sender){.sends = values[SENDS].uint};
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->sender.sends;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(sender, &state->sender);
    al_message_init(ping, &state->ping, AL_NODELETE);
    al_send(sender, ping, &state->sender, &state->ping);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    if (state->sender.received == state->sender.sends)
        return 0;
    return al_error_set(error, -EBADMSG, "the actor received %llu messages instead of %llu",
                        (unsigned long long)state->sender.received,
                        (unsigned long long)state->sender.sends);
}

const struct al_benchmark_ops al_benchmark_send_static = {
    .plugin = {"send-static", "one actor sends one message to itself: the latency of a send",
               options},
    .stresses = "the path of a send and a receive, with nothing else to do",
    .small = "sends=10000",
    .sim = "sends=200000",
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
