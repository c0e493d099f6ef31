/* SPDX-License-Identifier: MIT */

/*
 * fib: a tree of short-lived actors. An actor that is asked for the n-th Fibonacci number answers 1
 * if n is 1 or 2; else it creates an actor for each of the two numbers before, and answers with
 * their sum. Each is deleted with its answer. Source: Savina (Imam and Sarkar, 2014), "Recursive
 * Fibonacci Tree", whose size is the default.
 *
 * As in Savina, requests and answers are allocated for each send, but for the answer 1.
 *
 * Messages: a request to each of the 2 fib(n) - 1 actors, and an answer from each but the first.
 *
 * The answer: that of a loop.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { N, MEMORY };

static const struct al_option options[] = {
    [N] = {"n", AL_OPTION_UINT, "25", 1, 60, NULL, "which Fibonacci number to compute"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct request {
    struct al_message message;
    uint32_t n;
};

struct answer {
    struct al_message message;
    uint64_t value;
};

/* An actor of the tree. */
struct call {
    struct al_actor actor;
    struct call *parent; /* NULL: it is the first */
    struct state *state;
    uint64_t value;
    uint32_t answers; /* that it has */
};

struct state {
    uint32_t n;
    uint64_t result; /* written by the first actor */
    struct answer one;
};

AL_ACTOR(call)
AL_MESSAGE(answer)
AL_MESSAGE(request)
AL_RECYCLE(answer)
AL_RECYCLE(call)
AL_RECYCLE(request)

AL_BEHAVIOUR_DECLARE(call, answer)
AL_BEHAVIOUR_DECLARE(call, request)

static void ask(struct call *parent, struct state *state, uint32_t n)
{
    struct call *call = al_new(call);
    *call = (struct call){.parent = parent, .state = state};
    struct request *request = al_message_init(request, al_new(request), AL_DELETE);
    request->n = n;
    al_send(call, request, al_actor_init(call, call), request);
}

AL_BEHAVIOUR_DEFINE(call, request, self, msg)
{
    if (msg->n > 2) {
        ask(self, self->state, msg->n - 1);
        ask(self, self->state, msg->n - 2);
        return AL_NODELETE;
    }
    if (self->parent != NULL)
        al_send(call, answer, self->parent, &self->state->one);
    else
        self->state->result = 1;
    return AL_DELETE;
}

AL_BEHAVIOUR_DEFINE(call, answer, self, msg)
{
    self->value += msg->value;
    if (++self->answers < 2)
        return AL_NODELETE;
    if (self->parent == NULL) {
        self->state->result = self->value;
        return AL_DELETE;
    }
    struct answer *answer = al_message_init(answer, al_new(answer), AL_DELETE);
    answer->value = self->value;
    al_send(call, answer, self->parent, answer);
    return AL_DELETE;
}

static uint64_t fibonacci(uint32_t n)
{
    uint64_t value = 1, before = 0;
    for (uint32_t i = 1; i < n; i++) {
        uint64_t next = value + before;
        before = value;
        value = next;
    }
    return value;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){.n = (uint32_t)values[N].uint, .one.value = 1};
    al_message_init(answer, &state->one, AL_NODELETE);
    return state;
}

/* As if all actors lived at once, as they may where the youngest run last. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return 2.0 * (double)fibonacci((uint32_t)values[N].uint) *
           (sizeof(struct call) + sizeof(struct request));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 4 * fibonacci(state->n) - 3;
}

static void start(void *argument)
{
    struct state *state = argument;
    ask(NULL, state, state->n);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t expected = fibonacci(state->n);
    if (state->result == expected)
        return 0;
    return al_error_set(error, -EBADMSG, "the sum is %llu, not %llu",
                        (unsigned long long)state->result, (unsigned long long)expected);
}

const struct al_benchmark_ops al_benchmark_fib = {
    .plugin = {"fib", "a tree of actors that add up Fibonacci numbers", options},
    .stresses = "a tree of short-lived actors, each created by its parent",
    .small = "n=12",
    .sim = "n=24",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = al_free,
};
