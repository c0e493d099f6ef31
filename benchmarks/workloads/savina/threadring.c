/* SPDX-License-Identifier: MIT */

/*
 * threadring: a token that goes round a ring of actors. Each of `actors` actors is told its
 * neighbour; then a token makes `hops` hops, and after that an order to end goes round once.
 * Source: Savina (Imam and Sarkar, 2014), "Thread Ring", whose sizes are the defaults.
 *
 * As in Savina, the token is allocated for each hop. Savina's order to end makes one hop too many,
 * to an actor that has ended; here it makes as many as there are actors. Savina's actors have heard
 * of their neighbour when the token comes; here they keep it until then, since messages of two
 * senders come in any order.
 *
 * Messages: a neighbour to each actor; the token's first message and its hops; an order to end for
 * each actor.
 *
 * The answer: actor i has had the token as often as a count of the hops says, and each has ended.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, HOPS, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "100", 1, 1e7, NULL, "actors of the ring"},
    [HOPS] = {"hops", AL_OPTION_UINT, "100000", 1, 1e12, NULL, "hops of the token"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct member;

struct neighbour {
    struct al_message message;
    struct member *next;
};

/* The token, or the order to end. */
struct token {
    struct al_message message;
    uint64_t hops; /* left to make */
    uint32_t ends; /* of the order: actors left to end; 0: it is the token */
};

struct member {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct member *next;
    uint32_t actors;
    bool ended;
    bool keeps;    /* the token or the order, since it does not know its neighbour */
    uint32_t ends; /* of what it keeps */
    uint64_t hops;
    uint64_t had; /* the token, so often */
    struct neighbour neighbour;
};

struct state {
    struct member *members;
    uint32_t n;
    uint64_t hops;
};

AL_ACTOR(member)
AL_MESSAGE(neighbour)
AL_MESSAGE(token)
AL_RECYCLE(token)

AL_BEHAVIOUR_DECLARE(member, token)

static void send_token(struct member *to, uint64_t hops, uint32_t ends)
{
    struct token *token = al_message_init(token, al_new(token), AL_DELETE);
    token->hops = hops;
    token->ends = ends;
    al_send(member, token, to, token);
}

static enum al_verdict pass_on(struct member *self, uint64_t hops, uint32_t ends)
{
    if (ends == 0) {
        self->had++;
        send_token(self->next, hops > 0 ? hops - 1 : 0, hops > 0 ? 0 : self->actors);
        return AL_NODELETE;
    }
    self->ended = true;
    if (ends > 1)
        send_token(self->next, 0, ends - 1);
    return AL_FINISHED;
}

AL_BEHAVIOUR(member, neighbour, self, msg)
{
    self->next = msg->next;
    return self->keeps ? pass_on(self, self->hops, self->ends) : AL_NODELETE;
}

/* It comes from another actor than the neighbour's name, which may come later. */
AL_BEHAVIOUR_DEFINE(member, token, self, msg)
{
    if (self->next != NULL)
        return pass_on(self, msg->hops, msg->ends);
    self->keeps = true;
    self->hops = msg->hops;
    self->ends = msg->ends;
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[ACTORS].uint;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .members = al_allocate_lines(n, sizeof *state->members), .n = n, .hops = values[HOPS].uint};
    for (uint32_t i = 0; i < n; i++) {
        state->members[i] = (struct member){.actors = n,
                                            .neighbour.next = &state->members[(i + 1) % n]};
        al_message_init(neighbour, &state->members[i].neighbour, AL_NODELETE);
    }
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * sizeof(struct member);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 2 * (uint64_t)state->n + state->hops + 1;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++)
        al_actor_init(member, &state->members[i]);
    for (uint32_t i = 0; i < state->n; i++)
        al_send(member, neighbour, &state->members[i], &state->members[i].neighbour);
    send_token(state->members, state->hops, 0);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t rounds = (state->hops + 1) / state->n, rest = (state->hops + 1) % state->n;
    for (uint32_t i = 0; i < state->n; i++) {
        const struct member *member = &state->members[i];
        uint64_t had = rounds + (i < rest);
        if (!member->ended || member->had != had)
            return al_error_set(error, -EBADMSG,
                                "actor %u has had the token %llu times, not %llu%s", i,
                                (unsigned long long)member->had, (unsigned long long)had,
                                member->ended ? "" : ", and has not ended");
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->members);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_threadring = {
    .plugin = {"threadring", "a token that goes round a ring of actors", options},
    .stresses = "a single message on its way: what does it cost to hand it on?",
    .small = "actors=10 hops=500",
    .sim = "actors=100 hops=100000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
