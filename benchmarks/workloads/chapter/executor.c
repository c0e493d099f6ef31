/* SPDX-License-Identifier: MIT */

/*
 * executor: floods the executor. `actors` form adjacent groups of `group`. Each actor sends to the
 * members of its group in turn, itself included, until it has sent `rounds` messages to each:
 * `batch` messages for every `batch` that it receives. Source: Cforall actors chapter, section
 * "Executor".
 *
 * An actor receives one message to begin with and one from each member per round. So it ends after
 * group * rounds + 1 messages, when none is left. The starting thread sends that first message to
 * each actor, as in the chapter, or with start=groups wakes only one member of each group, who
 * sends it to all of them: with a size that can be simulated, the thread would otherwise be busy
 * for much of the time, which it is not with the chapter's.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, GROUP, ROUNDS, BATCH, START };

enum start { START_ALL, START_GROUPS };

static const char *const start_choices[] = {"all", "groups", NULL}; /* enum start */

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "40000", 1, 1e8, NULL, "actors, a multiple of group"},
    [GROUP] = {"group", AL_OPTION_UINT, "100", 1, 1e6, NULL, "actors that send to one another"},
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "400", 1, 1e6, NULL,
                "messages that each actor sends to each member of its group"},
    [BATCH] = {"batch", AL_OPTION_UINT, "1", 1, 1e6, NULL,
               "messages sent at a time; divides group x rounds"},
    [START] = {"start", AL_OPTION_ENUM, "all", 0, 0, start_choices,
               "whom the starting thread sends a message: all actors, or one of each group, which "
               "starts the others"},
    {0},
};

struct member;

/* To one member of a group: another one in each, so that they are on different workers whatever the
 * size of the groups. */
struct wake {
    struct al_message message;
};

/* Shared by all actors; read-only while they run. */
struct state {
    struct member *members;
    struct al_go go;
    struct wake wake;
    uint32_t actors, group, batch;
    enum start start;
    uint64_t total; /* messages that each actor sends */
};

struct member {
    struct al_actor actor;
    struct state *state;
    struct member *next; /* the member to send to next */
    uint64_t received;
    uint32_t countdown; /* messages to receive before the next batch is sent */
    uint32_t index;     /* of next, in its group */
};

AL_ACTOR(member)
AL_MESSAGE(wake)

AL_BEHAVIOUR(member, al_go, self, msg)
{
    const struct state *state = self->state;
    if (self->received++ == state->total)
        return AL_FINISHED;
    if (self->countdown-- != 0)
        return AL_NODELETE;
    self->countdown = state->batch - 1;
    for (uint32_t i = 0; i < state->batch; i++) {
        al_send(member, al_go, self->next, msg);
        self->next++;
        if (++self->index == state->group) {
            self->index = 0;
            self->next -= state->group;
        }
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR(member, wake, self, msg)
{
    struct state *state = self->state;
    struct member *first = self->next; /* as it has not sent anything yet */
    (void)msg;
    for (uint32_t i = 0; i < state->group; i++)
        al_send(member, al_go, &first[i], &state->go);
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t actors = values[ACTORS].uint, group = values[GROUP].uint, batch = values[BATCH].uint;
    uint64_t total = group * values[ROUNDS].uint;
    if (group > actors)
        return al_error_set(error, -EINVAL, "group=%llu exceeds actors=%llu",
                            (unsigned long long)group, (unsigned long long)actors);
    if (actors % group != 0)
        return al_error_set(error, -EINVAL, "actors=%llu is not a multiple of group=%llu",
                            (unsigned long long)actors, (unsigned long long)group);
    if (total % batch != 0)
        return al_error_set(error, -EINVAL, "batch=%llu does not divide group x rounds = %llu",
                            (unsigned long long)batch, (unsigned long long)total);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .members = al_allocate_zeroed(values[ACTORS].uint, sizeof *state->members),
        .actors = (uint32_t)values[ACTORS].uint,
        .group = (uint32_t)values[GROUP].uint,
        .batch = (uint32_t)values[BATCH].uint,
        .start = (enum start)values[START].uint,
        .total = values[GROUP].uint * values[ROUNDS].uint,
    };
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
    uint64_t woken = state->start == START_GROUPS ? state->actors / state->group : 0;
    return state->actors * (state->total + 1) + woken;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(al_go, &state->go, AL_NODELETE);
    for (uint32_t i = 0; i < state->actors; i++) {
        struct member *member = &state->members[i];
        member->state = state;
        member->next = &state->members[i / state->group * state->group];
        al_actor_init(member, member);
    }
    if (state->start == START_GROUPS) {
        al_message_init(wake, &state->wake, AL_NODELETE);
        for (uint32_t i = 0; i < state->actors / state->group; i++)
            al_send(member, wake, &state->members[i * state->group + i % state->group],
                    &state->wake);
        return;
    }
    for (uint32_t i = 0; i < state->actors; i++)
        al_send(member, al_go, &state->members[i], &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint32_t i = 0; i < state->actors; i++) {
        const struct member *member = &state->members[i];
        if (member->received != state->total + 1 || member->index != 0)
            return al_error_set(error, -EBADMSG,
                                "actor %u received %llu messages instead of %llu, and stopped "
                                "sending at member %u of its group",
                                i, (unsigned long long)member->received,
                                (unsigned long long)state->total + 1, member->index);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->members);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_executor = {
    .plugin = {"executor", "groups of actors flood one another: the cost of the executor", options},
    .stresses = "queues: many short messages between many actors, no work in them",
    .small = "actors=400 group=20 rounds=5",
    .sim = "actors=3840 group=40 rounds=6 start=groups",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
