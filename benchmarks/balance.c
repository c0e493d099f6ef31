/* SPDX-License-Identifier: MIT */

/*
 * balance-one, balance-multi: the work of executor on one worker, or on every other one; the rest have nothing to
 * do but to steal. Source: Cforall actors chapter, section "Performance" of work stealing.
 *
 * Where an actor goes is the strategy's own rule, and the workload must not assume it: actors are created until
 * enough of them have landed on the workers that are to be loaded; those that landed elsewhere are dummies, which
 * get one message and end. With a strategy that ties no actor to a worker all are loaded ones. Before anything is
 * timed a run without stealing shows that the rule holds: each actor notes who ran it.
 *
 * A loaded actor receives as in executor: one message to begin with and one from each member of its group per
 * round.
 */

#include <errno.h>

#include "benchmarks/benchmark.h"

enum option { ACTORS, GROUP, ROUNDS, WORK };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "40000", 1, 1e8, NULL,
                "actors on each loaded worker, a multiple of group"},
    [GROUP] = {"group", AL_OPTION_UINT, "100", 1, 1e6, NULL, "actors that send to one another"},
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "40", 1, 1e6, NULL,
                "messages that each actor sends to each member of its group"},
    [WORK] = {"work", AL_OPTION_UINT, "0", 0, 1e9, NULL,
              "computing in each message, steps of some nanoseconds; none, as the chapter"},
    {0},
};

struct go {
    struct al_message message;
};

struct state;

/* The probe's. */
struct note {
    struct al_message message;
};

struct member {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct member *next;       /* whom to send to */
    struct member *successor;  /* in the ring of its group */
    const struct state *state; /* NULL: a dummy */
    uint64_t received, sum;
    uint32_t placed_on, ran_on;
};

/* Members in the order of their making: nobody knows beforehand how many it takes. */
#define CHUNK 1024

struct chunk {
    struct member members[CHUNK];
    struct chunk *next;
    uint32_t n;
};

struct state {
    uint64_t actors, group, total, work;
    bool multi;
    struct go go;
    struct note note;
    struct chunk *first, *last;
    uint64_t n_loaded, n_dummies;
    bool ruled; /* the strategy has a rule */
};

AL_ACTOR(member)
AL_MESSAGE(go)
AL_MESSAGE(note)

/* Messages that a member sends. */
static uint64_t total_of(const struct member *member)
{
    return member->state != NULL ? member->state->total : 0;
}

AL_BEHAVIOUR(member, go, self, msg)
{
    if (self->received++ == total_of(self))
        return AL_FINISHED;
    /* Each step needs the one before: nothing to overlap with what is measured. */
    for (uint64_t i = 0; i < self->state->work; i++)
        self->sum = self->sum * 6364136223846793005u + 1442695040888963407u;
    struct member *next = self->next;
    self->next = next->successor;
    al_send(member, go, next, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR(member, note, self, msg)
{
    self->ran_on = al_self()->id;
    return AL_FINISHED;
}

static double bytes(const union al_value *values)
{
    /* Of two workers; each further one adds as many dummies. */
    return 2.0 * (double)values[ACTORS].uint * sizeof(struct member);
}

static int prepare_either(const union al_value *values, bool multi, void **result,
                          struct al_error *error)
{
    uint64_t actors = values[ACTORS].uint, group = values[GROUP].uint;
    if (actors % group != 0)
        return al_error_set(error, -EINVAL,
                            "actors=%llu is not a multiple of group=%llu: no group may be smaller",
                            (unsigned long long)actors, (unsigned long long)group);
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return al_error_set(error, -ENOMEM, "no memory for a balance workload");
    state->actors = actors;
    state->group = group;
    state->total = group * values[ROUNDS].uint;
    state->work = values[WORK].uint;
    state->multi = multi;
    *result = state;
    return 0;
}

static int prepare_one(const union al_value *values, uint64_t seed, void **result,
                       struct al_error *error)
{
    (void)seed;
    return prepare_either(values, false, result, error);
}

static int prepare_multi(const union al_value *values, uint64_t seed, void **result,
                         struct al_error *error)
{
    (void)seed;
    return prepare_either(values, true, result, error);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_loaded * (state->total + 1) + state->n_dummies;
}

static struct member *new_member(struct state *state)
{
    if (state->last == NULL || state->last->n == CHUNK) {
        struct chunk *chunk = aligned_alloc(_Alignof(struct chunk), sizeof *chunk);
        if (chunk == NULL)
            al_out_of_memory("the members of a balance workload", sizeof *chunk);
        chunk->n = 0;
        chunk->next = NULL;
        if (state->last == NULL)
            state->first = chunk;
        else
            state->last->next = chunk;
        state->last = chunk;
    }
    struct member *member = &state->last->members[state->last->n++];
    *member = (struct member){.ran_on = AL_ANYONE};
    return member;
}

static bool is_loaded(const struct state *state, uint32_t worker)
{
    return worker == AL_ANYONE || (state->multi ? worker % 2 == 0 : worker == 0);
}

/* The group that is being made on one worker. */
struct group {
    struct member *first, *last;
    uint64_t n;
};

/* Close the ring once the group is complete. Each member begins with itself. */
static void join_group(const struct state *state, struct group *group, struct member *member)
{
    if (group->n == 0)
        group->first = member;
    else
        group->last->successor = member;
    group->last = member;
    member->successor = group->first;
    member->next = member;
    member->state = state;
    if (++group->n == state->group)
        group->n = 0;
}

static void place(void *argument)
{
    struct state *state = argument;
    uint32_t n_workers = al_workers();
    uint32_t n_targets = state->multi ? (n_workers + 1) / 2 : 1;
    uint64_t *wanted = al_allocate(n_workers * sizeof *wanted);
    struct group *groups = calloc(n_workers + 1, sizeof *groups); /* the last: of no worker */
    if (groups == NULL)
        al_out_of_memory("the groups of a balance workload", (n_workers + 1) * sizeof *groups);
    for (uint32_t i = 0; i < n_workers; i++)
        wanted[i] = is_loaded(state, i) ? state->actors : 0;
    uint64_t left = state->actors * n_targets;
    /* By turns it takes n_workers creations for each; a rule that never gets there ends as dummies. */
    uint64_t most = 4 * state->actors * n_workers + 1000000;
    state->ruled = true;
    for (uint64_t i = 0; i < most && left > 0; i++) {
        struct member *member = new_member(state);
        member->placed_on = al_actor_init_placed(member, member);
        bool anyone = member->placed_on == AL_ANYONE;
        if (!anyone && wanted[member->placed_on] == 0) {
            state->n_dummies++;
            continue;
        }
        if (anyone)
            state->ruled = false;
        else
            wanted[member->placed_on]--;
        join_group(state, &groups[anyone ? n_workers : member->placed_on], member);
        state->n_loaded++;
        left--;
    }
    free(groups);
    free(wanted);
}

static void probe(void *argument)
{
    struct state *state = argument;
    al_message_init(note, &state->note, AL_NODELETE);
    for (struct chunk *chunk = state->first; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < chunk->n; i++)
            al_send(member, note, &chunk->members[i], &state->note);
    }
}

/* How many actors were placed on each worker, and ran there, against what its counters say. */
static int probed(void *argument, const struct al_report *report, struct al_error *error)
{
    const struct state *state = argument;
    if (!state->ruled)
        return 1;
    uint64_t *placed = calloc(report->n_workers, sizeof *placed);
    if (placed == NULL)
        al_out_of_memory("the probe of a balance workload", report->n_workers * sizeof *placed);
    int code = 0;
    for (const struct chunk *chunk = state->first; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < chunk->n && code == 0; i++) {
            const struct member *member = &chunk->members[i];
            placed[member->placed_on]++;
            if (member->ran_on != member->placed_on)
                code = al_error_set(error, -EBADMSG,
                                    "an actor that was placed on worker %u ran on worker %u: "
                                    "nothing would be measured",
                                    member->placed_on, member->ran_on);
        }
    }
    for (uint32_t i = 0; i < report->n_workers && code == 0; i++) {
        if (is_loaded(state, i) && placed[i] < state->actors)
            code = al_error_set(error, -EBADMSG,
                                "worker %u got %llu actors instead of %llu: the strategy's rule "
                                "does not reach it",
                                i, (unsigned long long)placed[i],
                                (unsigned long long)state->actors);
#if AL_COUNTERS
        else if (report->workers[i].counters.messages_received != placed[i])
            code = al_error_set(error, -EBADMSG, "worker %u received %llu messages instead of %llu",
                                i,
                                (unsigned long long)report->workers[i].counters.messages_received,
                                (unsigned long long)placed[i]);
#endif
    }
    free(placed);
    return code;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(go, &state->go, AL_NODELETE);
    for (struct chunk *chunk = state->first; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < chunk->n; i++)
            al_send(member, go, &chunk->members[i], &state->go);
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (const struct chunk *chunk = state->first; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < chunk->n; i++) {
            const struct member *member = &chunk->members[i];
            if (member->received != total_of(member) + 1)
                return al_error_set(
                    error, -EBADMSG, "an actor received %llu messages instead of %llu",
                    (unsigned long long)member->received, (unsigned long long)total_of(member) + 1);
        }
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    for (struct chunk *chunk = state->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(state);
}

const struct al_benchmark_ops al_benchmark_balance_one = {
    .plugin = {"balance-one", "the work of executor, all of it on one worker", options},
    .stresses = "stealing: one worker has everything; ideal is as many times as fast as workers",
    .small = "actors=200 group=20 rounds=5",
    .bytes = bytes,
    .prepare = prepare_one,
    .messages = messages,
    .place = place,
    .probe = probe,
    .probed = probed,
    .start = start,
    .check = check,
    .release = release,
};

const struct al_benchmark_ops al_benchmark_balance_multi = {
    .plugin = {"balance-multi", "the work of executor on every other worker", options},
    .stresses = "stealing: half of the workers have everything; ideal is twice as fast",
    .small = "actors=200 group=20 rounds=5",
    .bytes = bytes,
    .prepare = prepare_multi,
    .messages = messages,
    .place = place,
    .probe = probe,
    .probed = probed,
    .start = start,
    .check = check,
    .release = release,
};
