/* SPDX-License-Identifier: MIT */
#include "tests/harness/stuck_workload.h"

#include <stdlib.h>

#include "core/sync/sync.h"

static const struct al_option options[] = {
    {"way", AL_OPTION_UINT, "0", 0, ENDS, NULL, "how it never ends"},
    {0},
};

struct hop {
    struct al_message message;
};

struct runner {
    struct al_actor actor;
    uint64_t way, received;
};

struct state {
    struct runner runner;
    struct hop hop;
};

AL_ACTOR(runner)
AL_MESSAGE(hop)

AL_BEHAVIOUR(runner, hop, self, msg)
{
    if (++self->received < STUCK_MESSAGES) {
        al_send(runner, hop, self, msg);
        return AL_NODELETE;
    }
    if (self->way == FATAL)
        al_fatal("runner has gone wrong");
    while (self->way == ENDLESS)
        al_sleep_ns(1000);
    return self->way == ENDS ? AL_FINISHED : AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate(sizeof *state);
    state->runner = (struct runner){.way = values[0].uint};
    return state;
}

static uint64_t messages(const void *state)
{
    (void)state;
    return STUCK_MESSAGES;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(runner, &state->runner);
    al_message_init(hop, &state->hop, AL_NODELETE);
    al_send(runner, hop, &state->runner, &state->hop);
}

static int check(void *state, struct al_error *error)
{
    (void)state;
    (void)error;
    return 0;
}

const struct al_benchmark_ops al_stuck_workload = {
    .plugin = {"stuck", "a workload that never ends", options},
    .stresses = "the end of a run that has none",
    .small = "",
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
