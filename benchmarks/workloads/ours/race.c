/* SPDX-License-Identifier: MIT */

/*
 * race: how evenly does a strategy divide the workers among actors that are alike? `actors` actors
 * take turns of `work` ns, each by a message to itself. The first that has had `turns` of them ends
 * the race; all others count what they have had by then, and end. The record's `fairness` is Jain's
 * index of the counts. With one worker, a strategy that runs one actor after the other has 1 /
 * actors.
 *
 * Messages, at least: one turn of each actor, and all of the first one's.
 *
 * The answer: one actor has had all of its turns, and none has had more.
 */

#include <errno.h>

#include "benchmarks/workloads/support/fairness.h"
#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, TURNS, WORK };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "64", 1, 1e7, NULL, "actors that are alike"},
    [TURNS] = {"turns", AL_OPTION_UINT, "2000", 1, 1e9, NULL, "turns of the first one"},
    [WORK] = {"work", AL_OPTION_UINT, "1000", 0, 1e9, NULL, "time of a turn, ns"},
    {0},
};

struct runner {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t turns; /* that it has had when the race ended */
    struct al_go go;
};

struct state {
    struct runner *runners;
    uint64_t n, turns, work_ns, work;
    /* Written once, by whoever is first; on a line of its own. */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_atomic_u64 ended;
};

AL_ACTOR(runner)

AL_BEHAVIOUR(runner, al_go, self, msg)
{
    struct state *state = self->state;
    /* relaxed: it publishes nothing; who sees it late has a turn more */
    if (al_u64_load_relaxed(&state->ended) != 0)
        return AL_FINISHED;
    al_work(state->work);
    if (++self->turns == state->turns) {
        al_u64_store_relaxed(&state->ended, 1); /* relaxed: as above */
        return AL_FINISHED;
    }
    al_send(runner, al_go, self, msg);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint64_t n = values[ACTORS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .runners = al_allocate_lines(n, sizeof *state->runners),
        .n = n,
        .turns = values[TURNS].uint,
        .work_ns = values[WORK].uint,
    };
    for (uint64_t i = 0; i < n; i++) {
        state->runners[i] = (struct runner){.state = state};
        al_message_init(al_go, &state->runners[i].go, AL_NODELETE);
    }
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * sizeof(struct runner);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n - 1 + state->turns;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->work = al_work_of(state->work_ns);
    for (uint64_t i = 0; i < state->n; i++)
        al_actor_init(runner, &state->runners[i]);
    for (uint64_t i = 0; i < state->n; i++)
        al_send(runner, al_go, &state->runners[i], &state->runners[i].go);
}

static double fairness(const void *argument)
{
    const struct state *state = argument;
    double *turns = al_allocate(state->n * sizeof *turns);
    for (uint64_t i = 0; i < state->n; i++)
        turns[i] = (double)state->runners[i].turns;
    double index = al_fairness(turns, state->n);
    al_free(turns);
    return index;
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t most = 0;
    for (uint64_t i = 0; i < state->n; i++)
        most = state->runners[i].turns > most ? state->runners[i].turns : most;
    if (most == state->turns)
        return 0;
    return al_error_set(error, -EBADMSG, "the actor with the most turns had %llu of them, not %llu",
                        (unsigned long long)most, (unsigned long long)state->turns);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->runners);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_race = {
    .plugin = {"race", "actors that are alike: how evenly they get on", options},
    .stresses = "fairness among actors that always have work",
    .judged_by = "1/costs.fairness",
    .more_messages = true,
    .small = "actors=8 turns=50 work=100",
    .sim = "actors=768 turns=400 work=1000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .fairness = fairness,
    .start = start,
    .check = check,
    .release = release,
};
