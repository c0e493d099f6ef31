/* SPDX-License-Identifier: MIT */

/*
 * population: what actors and messages take that do nothing. A creator makes `actors` actors, and
 * sends each of them `messages` messages, in one behaviour. An actor tells it when it has had them,
 * and waits. When all have, and so all of them are idle, the creator ends them. The time is that of
 * creating, sending and ending. The peak memory of the process, less that of a run with few actors
 * and divided by their number, is what an idle actor takes; by that of the messages, with one
 * worker, which receives none before the creator has sent all, what a queued message takes. Source:
 * ours.
 *
 * Messages: one to the creator to begin with; to each actor `messages` and one to end it; from each
 * actor one.
 *
 * The answer: each actor has had all its messages before it was ended.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, MESSAGES, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "100000", 1, 1e9, NULL, "actors"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "1", 1, 1e9, NULL, "messages to each of them"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct note {
    struct al_message message;
};

struct member {
    struct al_actor actor;
    struct state *state;
    uint64_t left; /* messages */
};

struct creator {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct member **members;
    uint64_t left; /* members that have not had their messages */
};

/* What a worker has counted. */
struct tally {
    _Alignas(AL_CACHE_LINE_BYTES) uint64_t members, lacking; /* that were ended; too early */
};

/* Read-only while the actors run, except the creator and the tallies. */
struct state {
    uint64_t n, messages;
    uint32_t n_tallies;
    struct tally *tallies; /* of each worker */
    struct al_go go;
    struct al_done done;
    struct creator creator;
};

AL_ACTOR(creator)
AL_ACTOR(member)
AL_MESSAGE(note)
AL_RECYCLE(member)
AL_RECYCLE(note)

AL_BEHAVIOUR_DECLARE(creator, al_done)

AL_BEHAVIOUR(member, note, self, msg)
{
    struct state *state = self->state;
    if (--self->left == 0)
        al_send(creator, al_done, &state->creator, &state->done);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(member, self, pill)
{
    struct tally *tally = &self->state->tallies[al_worker_number()];
    tally->members++;
    tally->lacking += self->left > 0;
    return pill->verdict;
}

AL_BEHAVIOUR(creator, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t i = 0; i < state->n; i++) {
        struct member *member = al_actor_init(member, al_new(member));
        self->members[i] = member;
        member->state = state;
        member->left = state->messages;
        for (uint64_t k = 0; k < state->messages; k++)
            al_send(member, note, member, al_message_init(note, al_new(note), AL_DELETE));
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(creator, al_done, self, msg)
{
    if (--self->left > 0)
        return AL_NODELETE;
    for (uint64_t i = 0; i < self->state->n; i++)
        al_send_pill(&self->members[i]->actor, &al_delete_msg);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint64_t n = values[ACTORS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.n = n, .messages = values[MESSAGES].uint};
    state->creator = (struct creator){
        .state = state, .members = al_allocate(n * sizeof *state->creator.members), .left = n};
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    double member = sizeof(struct member) + sizeof(struct member *) +
                    (double)values[MESSAGES].uint * sizeof(struct note);
    return (double)values[ACTORS].uint * member + n_workers * sizeof(struct tally);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->n * (state->messages + 2);
}

static void start(void *argument)
{
    struct state *state = argument;
    state->n_tallies = al_workers();
    state->tallies = al_allocate_lines(state->n_tallies, sizeof *state->tallies);
    for (uint32_t i = 0; i < state->n_tallies; i++)
        state->tallies[i] = (struct tally){0};
    al_send(creator, al_go, al_actor_init(creator, &state->creator), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t members = 0, lacking = 0;
    for (uint32_t i = 0; i < state->n_tallies; i++) {
        members += state->tallies[i].members;
        lacking += state->tallies[i].lacking;
    }
    if (members != state->n)
        return al_error_set(error, -EBADMSG, "%llu actors were ended, not %llu",
                            (unsigned long long)members, (unsigned long long)state->n);
    if (lacking != 0)
        return al_error_set(error, -EBADMSG, "%llu actors were ended before their messages came",
                            (unsigned long long)lacking);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->creator.members);
    al_free(state->tallies);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_population = {
    .plugin = {"population", "many actors that wait, and messages that are queued", options},
    .stresses = "memory: what takes an actor that does nothing, and a message that waits?",
    .judged_by = "peak_rss_bytes",
    .small = "actors=500 messages=2",
    .sim = "actors=48000",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
