/* SPDX-License-Identifier: MIT */

/*
 * repeat: one client sends a message to each of `servers` servers, and again when all have
 * answered; `rounds` times. All answers go to one mailbox. Source: Cforall actors chapter, section
 * "Executor" (repeat benchmark).
 *
 * Each server owns the one message that goes to and fro between it and the client. The server
 * counts the trips in the message, so each answer of round r carries r; the client adds them up.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { SERVERS, ROUNDS };

static const struct al_option options[] = {
    [SERVERS] = {"servers", AL_OPTION_UINT, "100000", 1, 1e8, NULL, "actors that answer"},
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "200", 1, 1e6, NULL, "questions to each of them"},
    {0},
};

struct question {
    struct al_message message;
    uint64_t trips;
};

struct state;

/* One cache line with its message, since client and server use both. */
struct server {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct question question;
    struct state *state;
};

struct client {
    struct al_actor actor;
    struct state *state;
    uint64_t rounds, n_answers, sum;
};

struct state {
    uint64_t servers, rounds;
    struct server *all;
    struct al_go go;
    _Alignas(AL_CACHE_LINE_BYTES) struct client client;
};

AL_ACTOR(server)
AL_ACTOR(client)
AL_MESSAGE(question)

AL_BEHAVIOUR_DECLARE(client, question)

AL_BEHAVIOUR(server, question, self, msg)
{
    msg->trips++;
    al_send(client, question, &self->state->client, msg);
    return AL_NODELETE;
}

static void ask_all(struct client *client)
{
    const struct state *state = client->state;
    for (uint64_t i = 0; i < state->servers; i++)
        al_send(server, question, &state->all[i], &state->all[i].question);
}

static void end_all(const struct state *state)
{
    for (uint64_t i = 0; i < state->servers; i++)
        al_send_pill(&state->all[i].actor, &al_finished_msg);
}

AL_BEHAVIOUR(client, al_go, self, msg)
{
    ask_all(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(client, question, self, msg)
{
    const struct state *state = self->state;
    self->sum += msg->trips;
    if (++self->n_answers < state->servers)
        return AL_NODELETE;
    self->n_answers = 0;
    if (++self->rounds < state->rounds) {
        ask_all(self);
        return AL_NODELETE;
    }
    end_all(state);
    return AL_FINISHED;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[SERVERS].uint * sizeof(struct server);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .servers = values[SERVERS].uint,
        .rounds = values[ROUNDS].uint,
        .all = al_allocate_lines(values[SERVERS].uint, sizeof *state->all),
    };
    return state;
}

/* Questions and answers, the first message to the client, and a pill for each server. */
static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 2 * state->servers * state->rounds + 1 + state->servers;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->client.state = state;
    al_actor_init(client, &state->client);
    for (uint64_t i = 0; i < state->servers; i++) {
        struct server *server = &state->all[i];
        server->state = state;
        al_message_init(question, &server->question, AL_NODELETE)->trips = 0;
        al_actor_init(server, server);
    }
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_send(client, al_go, &state->client, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t right = state->servers * (state->rounds * (state->rounds + 1) / 2);
    if (state->client.rounds != state->rounds || state->client.sum != right)
        return al_error_set(
            error, -EBADMSG,
            "the client counted %llu rounds with a sum of %llu instead of %llu with %llu",
            (unsigned long long)state->client.rounds, (unsigned long long)state->client.sum,
            (unsigned long long)state->rounds, (unsigned long long)right);
    for (uint64_t i = 0; i < state->servers; i++) {
        if (state->all[i].question.trips != state->rounds)
            return al_error_set(error, -EBADMSG, "server %llu answered %llu times instead of %llu",
                                (unsigned long long)i,
                                (unsigned long long)state->all[i].question.trips,
                                (unsigned long long)state->rounds);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->all);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[SERVERS].uint;
}

const struct al_benchmark_ops al_benchmark_repeat = {
    .plugin = {"repeat", "one client asks many servers, again and again", options},
    .stresses = "contention: all answers go to one mailbox, and nothing is worth stealing",
    .small = "servers=200 rounds=5",
    .sim = "servers=3500 rounds=4",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
