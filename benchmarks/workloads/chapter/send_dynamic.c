/* SPDX-License-Identifier: MIT */

/*
 * send-dynamic: the latency of a send to a new actor. An actor that receives a message allocates a
 * new actor and a new message, sends the message to the actor, and is deleted together with the
 * message that it received; `sends` times. Source: Cforall actors chapter, section "Message Sends".
 */

#include <errno.h>

#include "benchmarks/workloads/benchmark.h"

enum option { SENDS, MEMORY };

static const struct al_option options[] = {
    [SENDS] = {"sends", AL_OPTION_UINT, "20000000", 1, 1e15, NULL,
               "messages to send, each to a new actor"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct state {
    uint64_t sends, received; /* received is written by the actor that has the only message */
};

struct ping {
    struct al_message message;
    struct state *state;
};

struct sender {
    struct al_actor actor;
};

AL_ACTOR(sender)
AL_MESSAGE(ping)
AL_RECYCLE(sender)
AL_RECYCLE(ping)

AL_BEHAVIOUR_DECLARE(sender, ping)

static void send_new(struct state *state)
{
    struct sender *sender = al_actor_init(sender, al_new(sender));
    struct ping *ping = al_message_init(ping, al_new(ping), AL_DELETE);
    ping->state = state;
    al_send(sender, ping, sender, ping);
}

AL_BEHAVIOUR_DEFINE(sender, ping, self, msg)
{
    struct state *state = msg->state;
    if (++state->received < state->sends)
        send_new(state);
    return AL_DELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){.sends = values[SENDS].uint};
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->sends;
}

static void start(void *state)
{
    send_new(state);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    if (state->received == state->sends)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu actors received a message instead of %llu",
                        (unsigned long long)state->received, (unsigned long long)state->sends);
}

const struct al_benchmark_ops al_benchmark_send_dynamic = {
    .plugin = {"send-dynamic", "a new actor and a new message for each send", options},
    .stresses = "the allocator, and creating and deleting actors",
    .small = "sends=2000",
    .sim = "sends=40000",
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
