/* SPDX-License-Identifier: MIT */

/*
 * cigsmok: an arbiter that gives work to one of many at random. It tells a smoker to start, which
 * answers and then computes; at the answer the arbiter chooses the next one. After `rounds` rounds
 * it sends all smokers away. Source: Savina (Imam and Sarkar, 2014), "Cigarette Smokers", whose
 * sizes are the defaults.
 *
 * As in Savina, the order to start is allocated for each send, and all other messages are shared.
 *
 * Messages: one to the arbiter to begin with, an order and an answer for each round, and one to
 * each smoker to end.
 *
 * The answer: each smoker has smoked as often, and as long, as the generator says.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { ROUNDS, SMOKERS, MEMORY };

static const struct al_option options[] = {
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "1000", 1, 1e9, NULL, "rounds, of one smoker each"},
    [SMOKERS] = {"smokers", AL_OPTION_UINT, "200", 1, 1e7, NULL, "smokers to choose from"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Steps of the generator that a smoker computes: from LEAST to LEAST + MOST - 1. */
enum { LEAST = 10, MOST = 1000 };

struct smoke {
    struct al_message message;
    uint64_t steps;
};

struct started {
    struct al_message message;
};

struct smoker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t times, steps, busy;
};

struct arbiter {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_savina_random random;
    uint64_t left; /* rounds */
};

/* Read-only while the actors run, except the arbiter. */
struct state {
    struct smoker *smokers;
    uint32_t n;
    uint64_t rounds;
    struct al_go go;
    struct started started;
    struct arbiter arbiter;
};

AL_ACTOR(arbiter)
AL_ACTOR(smoker)
AL_MESSAGE(smoke)
AL_MESSAGE(started)
AL_RECYCLE(smoke)

AL_BEHAVIOUR_DECLARE(arbiter, started)

AL_BEHAVIOUR(smoker, smoke, self, msg)
{
    al_send(arbiter, started, &self->state->arbiter, &self->state->started);
    self->times++;
    self->steps += msg->steps;
    self->busy = al_busy(self->busy, msg->steps);
    return AL_NODELETE;
}

/* Who smokes next, and for how long. */
static uint32_t choose(struct al_savina_random *random, uint32_t n, uint64_t *steps)
{
    uint32_t smoker = (uint32_t)al_savina_below(random, n);
    *steps = al_savina_below(random, MOST) + LEAST;
    return smoker;
}

/* As in Savina. */
static struct al_savina_random first_random(uint64_t rounds, uint32_t smokers)
{
    return (struct al_savina_random){rounds * smokers};
}

static void give_work(struct arbiter *self)
{
    struct state *state = self->state;
    struct smoke *smoke = al_message_init(smoke, al_new(smoke), AL_DELETE);
    uint32_t i = choose(&self->random, state->n, &smoke->steps);
    al_send(smoker, smoke, &state->smokers[i], smoke);
}

AL_BEHAVIOUR(arbiter, al_go, self, msg)
{
    give_work(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(arbiter, started, self, msg)
{
    struct state *state = self->state;
    if (al_count_down(&self->left) == AL_NODELETE) {
        give_work(self);
        return AL_NODELETE;
    }
    for (uint32_t i = 0; i < state->n; i++)
        al_send_pill(&state->smokers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[SMOKERS].uint;
    uint64_t rounds = values[ROUNDS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .smokers = al_allocate_lines(n, sizeof *state->smokers),
        .n = n,
        .rounds = rounds,
        .arbiter = {.state = state, .left = rounds, .random = first_random(rounds, n)},
    };
    for (uint32_t i = 0; i < n; i++)
        state->smokers[i] = (struct smoker){.state = state};
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(started, &state->started, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[SMOKERS].uint * sizeof(struct smoker);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 2 * state->rounds + state->n;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++)
        al_actor_init(smoker, &state->smokers[i]);
    al_send(arbiter, al_go, al_actor_init(arbiter, &state->arbiter), &state->go);
}

/* The smokers count down what they have done to nothing. */
static int check(void *argument, struct al_error *error)
{
    struct state *state = argument;
    struct al_savina_random random = first_random(state->rounds, state->n);
    for (uint64_t round = 0; round < state->rounds; round++) {
        uint64_t steps;
        struct smoker *smoker = &state->smokers[choose(&random, state->n, &steps)];
        smoker->times--;
        smoker->steps -= steps;
    }
    for (uint32_t i = 0; i < state->n; i++) {
        const struct smoker *smoker = &state->smokers[i];
        if (smoker->times != 0 || smoker->steps != 0)
            return al_error_set(error, -EBADMSG,
                                "smoker %u has smoked %lld times, and %lld steps, too many", i,
                                (long long)smoker->times, (long long)smoker->steps);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->smokers);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_cigsmok = {
    .plugin = {"cigsmok", "an arbiter that gives work to one actor at random", options},
    .stresses = "one piece of work at a time, each to another actor",
    .small = "rounds=100 smokers=10",
    .sim = "rounds=4000 smokers=200",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
