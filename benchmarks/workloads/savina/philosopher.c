/* SPDX-License-Identifier: MIT */

/*
 * philosopher: philosophers that share forks, which an arbitrator hands out. A philosopher that is
 * hungry asks the arbitrator for the forks on both sides of its place. While a neighbour has one of
 * them it is denied both, and asks again; else it eats, gives them back, and tells itself that it
 * is hungry again, until it has had `meals` meals. Source: Savina (Imam and Sarkar, 2014), "Dining
 * Philosophers", whose sizes are the defaults.
 *
 * As in Savina, a philosopher sends the same message objects each time, and the arbitrator's
 * answers are allocated for each send, as are the messages of philosophers to themselves.
 *
 * Messages, at least: for each meal a hunger, a request, its answer and the return of the forks;
 * for each philosopher a farewell. A request that is denied adds two. How many are depends on the
 * schedule.
 *
 * The answer: each philosopher has had its meals, no fork was handed out twice or given back
 * without having been handed out, and all are back.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { PHILOSOPHERS, MEALS, MEMORY };

static const struct al_option options[] = {
    [PHILOSOPHERS] = {"philosophers", AL_OPTION_UINT, "20", 2, 1e7, NULL,
                      "philosophers, with as many forks"},
    [MEALS] = {"meals", AL_OPTION_UINT, "10000", 1, 1e9, NULL, "meals of each"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct philosopher;

struct hunger {
    struct al_message message;
};

struct eat {
    struct al_message message;
};

struct denial {
    struct al_message message;
};

/* For forks, or with them back. */
struct request {
    struct al_message message;
    struct philosopher *from;
};

struct back {
    struct al_message message;
    struct philosopher *from;
};

struct philosopher {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t meals, denials;
    struct request request;
    struct back back;
};

struct arbitrator {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_hub hub;
    struct state *state;
    bool *taken; /* each fork; fork i is between philosophers i - 1 and i */
    uint64_t wrong;
};

/* Read-only while the actors run, except the arbitrator. */
struct state {
    struct philosopher *philosophers;
    uint32_t n;
    uint64_t meals;
    struct al_done done;
    struct arbitrator arbitrator;
};

AL_ACTOR_DERIVED(arbitrator, al_hub, hub)
AL_ACTOR(philosopher)
AL_INHERIT(arbitrator, al_hub, al_done)
AL_MESSAGE(back)
AL_MESSAGE(denial)
AL_MESSAGE(eat)
AL_MESSAGE(hunger)
AL_MESSAGE(request)
AL_RECYCLE(denial)
AL_RECYCLE(eat)
AL_RECYCLE(hunger)

AL_BEHAVIOUR_DECLARE(arbitrator, back)
AL_BEHAVIOUR_DECLARE(arbitrator, request)

AL_BEHAVIOUR(philosopher, hunger, self, msg)
{
    al_send(arbitrator, request, &self->state->arbitrator, &self->request);
    return AL_NODELETE;
}

AL_BEHAVIOUR(philosopher, denial, self, msg)
{
    self->denials++;
    al_send(arbitrator, request, &self->state->arbitrator, &self->request);
    return AL_NODELETE;
}

static void be_hungry(struct philosopher *self)
{
    al_send(philosopher, hunger, self, al_message_init(hunger, al_new(hunger), AL_DELETE));
}

AL_BEHAVIOUR(philosopher, eat, self, msg)
{
    struct state *state = self->state;
    al_send(arbitrator, back, &state->arbitrator, &self->back);
    if (++self->meals < state->meals) {
        be_hungry(self);
        return AL_NODELETE;
    }
    al_send(arbitrator, al_done, &state->arbitrator, &state->done);
    return AL_FINISHED;
}

static bool *left_of(struct arbitrator *self, const struct philosopher *philosopher)
{
    return &self->taken[philosopher - self->state->philosophers];
}

static bool *right_of(struct arbitrator *self, const struct philosopher *philosopher)
{
    uint32_t i = (uint32_t)(philosopher - self->state->philosophers) + 1;
    return &self->taken[i < self->state->n ? i : 0];
}

AL_BEHAVIOUR_DEFINE(arbitrator, request, self, msg)
{
    bool *left = left_of(self, msg->from), *right = right_of(self, msg->from);
    if (*left || *right) {
        al_send(philosopher, denial, msg->from, al_message_init(denial, al_new(denial), AL_DELETE));
        return AL_NODELETE;
    }
    *left = *right = true;
    al_send(philosopher, eat, msg->from, al_message_init(eat, al_new(eat), AL_DELETE));
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(arbitrator, back, self, msg)
{
    bool *left = left_of(self, msg->from), *right = right_of(self, msg->from);
    self->wrong += !*left + !*right;
    *left = *right = false;
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[PHILOSOPHERS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .philosophers = al_allocate_lines(n, sizeof *state->philosophers),
        .n = n,
        .meals = values[MEALS].uint,
        .arbitrator = {.state = state,
                       .hub.working = n,
                       .taken = al_allocate_zeroed(n, sizeof(bool))},
    };
    for (uint32_t i = 0; i < n; i++) {
        struct philosopher *philosopher = &state->philosophers[i];
        *philosopher = (struct philosopher){
            .state = state, .request.from = philosopher, .back.from = philosopher};
        al_message_init(request, &philosopher->request, AL_NODELETE);
        al_message_init(back, &philosopher->back, AL_NODELETE);
    }
    al_message_init(al_done, &state->done, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[PHILOSOPHERS].uint * (sizeof(struct philosopher) + sizeof(bool));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n * (4 * state->meals + 1);
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    uint64_t denials = 0;
    for (uint32_t i = 0; i < state->n; i++)
        denials += state->philosophers[i].denials;
    return messages(state) + 2 * denials;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(arbitrator, &state->arbitrator);
    for (uint32_t i = 0; i < state->n; i++)
        be_hungry(al_actor_init(philosopher, &state->philosophers[i]));
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct arbitrator *arbitrator = &state->arbitrator;
    if (arbitrator->wrong != 0)
        return al_error_set(error, -EBADMSG, "%llu forks came back that nobody had",
                            (unsigned long long)arbitrator->wrong);
    for (uint32_t i = 0; i < state->n; i++) {
        if (arbitrator->taken[i])
            return al_error_set(error, -EBADMSG, "fork %u has not come back", i);
        if (state->philosophers[i].meals != state->meals)
            return al_error_set(error, -EBADMSG, "philosopher %u has had %llu meals, not %llu", i,
                                (unsigned long long)state->philosophers[i].meals,
                                (unsigned long long)state->meals);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->philosophers);
    al_free(state->arbitrator.taken);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[PHILOSOPHERS].uint;
}

const struct al_benchmark_ops al_benchmark_philosopher = {
    .plugin = {"philosopher", "philosophers that ask an arbitrator for forks", options},
    .stresses = "a hub that turns many away, who ask again at once",
    .more_messages = true,
    .small = "philosophers=5 meals=20",
    .sim = "philosophers=768 meals=30",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = release,
};
