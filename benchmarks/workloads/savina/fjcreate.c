/* SPDX-License-Identifier: MIT */

/*
 * fjcreate: actors with a single message. `actors` actors are created, each receives one message,
 * computes the square of a sine, and is deleted. The starting thread creates all of them, or
 * `creators` actors do, each its share. Source: Savina (Imam and Sarkar, 2014), "Fork Join (actor
 * creation)", whose size is the default.
 *
 * As in Savina, all receive one and the same message object.
 *
 * Messages: one to each actor and to each creator.
 *
 * The answer: the workers have counted `actors` squares in all.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { ACTORS, CREATORS, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "40000", 1, 1e9, NULL, "actors to create"},
    [CREATORS] = {"creators", AL_OPTION_UINT, "0", 0, 1e6, NULL,
                  "actors that create them; 0: the starting thread does"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct work {
    struct al_message message;
    struct state *state;
    double angle;
};

struct task {
    struct al_actor actor;
};

struct creator {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t share;
};

/* What a worker has counted. */
struct tally {
    _Alignas(AL_CACHE_LINE_BYTES) uint64_t squares;
};

/* Read-only while the actors run, except the tallies. */
struct state {
    struct creator *creators;
    struct tally *tallies; /* of each worker */
    uint32_t n_creators, n_tallies;
    uint64_t actors;
    struct work work;
    struct al_go go;
};

AL_ACTOR(creator)
AL_ACTOR(task)
AL_MESSAGE(work)
AL_RECYCLE(task)

AL_BEHAVIOUR(task, work, self, msg)
{
    msg->state->tallies[al_worker_number()].squares += al_sine_square(msg->angle);
    return AL_DELETE;
}

static void create(struct state *state, uint64_t actors)
{
    for (uint64_t i = 0; i < actors; i++)
        al_send(task, work, al_actor_init(task, al_new(task)), &state->work);
}

AL_BEHAVIOUR(creator, al_go, self, msg)
{
    create(self->state, self->share);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[CREATORS].uint;
    uint64_t actors = values[ACTORS].uint;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){.creators = al_allocate_lines(n, sizeof *state->creators),
                            .n_creators = n,
                            .actors = actors,
                            .work = {.state = state, .angle = AL_SINE_ANGLE}};
    for (uint32_t i = 0; i < n; i++)
        state->creators[i] = (struct creator){.state = state,
                                              .share = actors / n + (i < actors % n)};
    al_message_init(work, &state->work, AL_NODELETE);
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    return (double)values[CREATORS].uint * sizeof(struct creator) +
           (double)values[ACTORS].uint * sizeof(struct task) + n_workers * sizeof(struct tally);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->actors + state->n_creators;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->n_tallies = al_workers();
    state->tallies = al_allocate_lines(state->n_tallies, sizeof *state->tallies);
    for (uint32_t i = 0; i < state->n_tallies; i++)
        state->tallies[i] = (struct tally){0};
    for (uint32_t i = 0; i < state->n_creators; i++)
        al_send(creator, al_go, al_actor_init(creator, &state->creators[i]), &state->go);
    if (state->n_creators == 0)
        create(state, state->actors);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t squares = 0;
    for (uint32_t i = 0; i < state->n_tallies; i++)
        squares += state->tallies[i].squares;
    if (squares == state->actors)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu actors have computed a square, not %llu",
                        (unsigned long long)squares, (unsigned long long)state->actors);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->creators);
    al_free(state->tallies);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_fjcreate = {
    .plugin = {"fjcreate", "actors that are created for one message each", options},
    .stresses = "creating and deleting actors, all from one place",
    .small = "actors=500",
    .sim = "actors=96000 creators=96",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
