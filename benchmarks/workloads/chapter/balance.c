/* SPDX-License-Identifier: MIT */

/*
 * balance-one, balance-multi: the work of executor on one worker, or on every other worker; the
 * rest can only steal. Source: Cforall actors chapter, section "Performance", "Work Stealing".
 *
 * Each actor asks the strategy to run on the worker that it is meant for. Before anything is timed,
 * a run without stealing checks that it does: each actor records which worker ran it. Strategies
 * that tie no actor to a worker run the same work unplaced. As in the chapter, each worker without
 * load gets a few dummies, actors that receive one message and end; here they end before the timed
 * part.
 *
 * A loaded actor receives one message to begin with and one from each member of its group per
 * round, as in executor.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, GROUP, ROUNDS, WORK, DUMMIES };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "40000", 1, 1e8, NULL,
                "actors on each loaded worker, a multiple of group"},
    [GROUP] = {"group", AL_OPTION_UINT, "100", 1, 1e6, NULL, "actors that send to one another"},
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "40", 1, 1e6, NULL,
                "messages that each actor sends to each member of its group"},
    [WORK] = {"work", AL_OPTION_UINT, "0", 0, 1e9, NULL,
              "computation in each message, in steps of about a nanosecond; 0 as in the chapter"},
    [DUMMIES] = {"dummies", AL_OPTION_UINT, "4", 0, 1e6, NULL,
                 "actors on each worker without load, which end before the timed part"},
    {0},
};

/* Hundredths of a cycle for each step of the work, at 2.6 GHz: a multiplication and an addition,
 * each of which waits for the one before. */
enum { STEP_CYCLES = 281 };

/* Which workers get the work: worker 0, or every other one from 0. */
enum load { ON_ONE, ON_EVERY_OTHER };

struct state;

/* The only message of a dummy, and of every actor in the probe. */
struct note {
    struct al_message message;
};

struct member {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct member *next;      /* to send to */
    struct member *successor; /* in the ring of its group */
    struct state *state;
    uint64_t received, sum;
    uint32_t placed_on, ran_on;
};

struct state {
    uint64_t actors, group, total, work, dummies;
    enum load load;
    struct al_go go;
    struct note note;
    struct member *members; /* n_loaded, then n_dummies */
    uint64_t n_loaded, n_dummies;
    bool tied; /* the strategy ties actors to workers */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_atomic_u64 noted;
};

AL_ACTOR(member)
AL_MESSAGE(note)

/* Each step depends on the one before, so that they cannot overlap with the send. */
static void compute(struct member *self)
{
    uint64_t work = self->state->work, sum = self->sum;
    for (uint64_t i = 0; i < work; i++)
        sum = sum * 6364136223846793005u + 1442695040888963407u;
    if (work != 0)
        al_compute(work * STEP_CYCLES / 100);
    self->sum = sum;
}

AL_BEHAVIOUR(member, al_go, self, msg)
{
    if (self->received++ == self->state->total)
        return AL_FINISHED;
    compute(self);
    struct member *next = self->next;
    self->next = next->successor;
    al_send(member, al_go, next, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR(member, note, self, msg)
{
    self->ran_on = al_worker_number();
    /* acq_rel: publishes ran_on to the acquire in al_await; relaxed, probed could read the old
     * value */
    al_u64_add_acq_rel(&self->state->noted, 1);
    return AL_FINISHED;
}

/* The number of workers that get work. */
static uint32_t targets_among(uint32_t n_workers, enum load load)
{
    return load == ON_EVERY_OTHER ? (n_workers + 1) / 2 : 1;
}

static double bytes_either(const union al_value *values, uint32_t n_workers, enum load load)
{
    double n_targets = targets_among(n_workers, load), n_others = n_workers - n_targets;
    return ((double)values[ACTORS].uint * n_targets + (double)values[DUMMIES].uint * n_others) *
           sizeof(struct member);
}

static double bytes_one(const union al_value *values, uint32_t n_workers)
{
    return bytes_either(values, n_workers, ON_ONE);
}

static double bytes_multi(const union al_value *values, uint32_t n_workers)
{
    return bytes_either(values, n_workers, ON_EVERY_OTHER);
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t actors = values[ACTORS].uint, group = values[GROUP].uint;
    if (actors % group != 0)
        return al_error_set(error, -EINVAL, "actors=%llu is not a multiple of group=%llu",
                            (unsigned long long)actors, (unsigned long long)group);
    return 0;
}

static struct state *prepare_either(const union al_value *values, enum load load)
{
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .actors = values[ACTORS].uint,
        .group = values[GROUP].uint,
        .total = values[GROUP].uint * values[ROUNDS].uint,
        .work = values[WORK].uint,
        .dummies = values[DUMMIES].uint,
        .load = load,
    };
    return state;
}

static void *prepare_one(const union al_value *values, uint64_t seed)
{
    (void)seed;
    return prepare_either(values, ON_ONE);
}

static void *prepare_multi(const union al_value *values, uint64_t seed)
{
    (void)seed;
    return prepare_either(values, ON_EVERY_OTHER);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_loaded * (state->total + 1);
}

static uint64_t untimed(const void *argument)
{
    const struct state *state = argument;
    return state->n_dummies;
}

/* The worker that the i-th member is meant for: members go to the loaded workers in turn, and the
 * dummies to the others. */
static uint32_t target_of(const struct state *state, uint64_t i, uint32_t n_targets)
{
    if (i < state->n_loaded)
        return (uint32_t)(i % n_targets) * (state->load == ON_EVERY_OTHER ? 2 : 1);
    uint64_t unloaded = (i - state->n_loaded) / state->dummies;
    return (uint32_t)(state->load == ON_EVERY_OTHER ? 2 * unloaded + 1 : unloaded + 1);
}

/* Each target has its own groups, whose members are n_targets apart. Each member first sends to
 * itself. */
static void join_group(const struct state *state, uint64_t i, uint32_t n_targets)
{
    struct member *member = &state->members[i];
    bool last = i / n_targets % state->group == state->group - 1;
    member->successor = last ? member - (state->group - 1) * n_targets : member + n_targets;
    member->next = member;
}

static void send_notes(struct state *state, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        al_send(member, note, &state->members[i], &state->note);
}

static void place(void *argument)
{
    struct state *state = argument;
    uint32_t n_workers = al_workers();
    uint32_t n_targets = targets_among(n_workers, state->load);
    state->n_loaded = state->actors * n_targets;
    state->n_dummies = state->dummies * (n_workers - n_targets);
    uint64_t n = state->n_loaded + state->n_dummies;
    state->members = al_allocate_lines(n, sizeof *state->members);
    state->tied = true;
    al_message_init(note, &state->note, AL_NODELETE);
    for (uint64_t i = 0; i < n; i++) {
        struct member *member = &state->members[i];
        *member = (struct member){.state = state, .ran_on = AL_NO_WORKER};
        member->placed_on = al_actor_init_on(member, member, target_of(state, i, n_targets));
        state->tied &= member->placed_on != AL_NO_WORKER;
        if (i < state->n_loaded)
            join_group(state, i, n_targets);
    }
    send_notes(state, state->n_loaded, state->n_dummies);
    al_await(&state->noted, state->n_dummies);
}

static void probe(void *argument)
{
    struct state *state = argument;
    send_notes(state, 0, state->n_loaded);
}

/* Compare where each actor was meant to be with where the strategy placed it and which worker ran
 * it. */
static int probed(void *argument, const struct al_report *report, enum al_placed *placement,
                  struct al_error *error)
{
    const struct state *state = argument;
    uint32_t n_targets = targets_among(report->n_workers, state->load);
    *placement = AL_PLACED_UNTIED;
    if (!state->tied)
        return 0;
    for (uint64_t i = 0; i < state->n_loaded + state->n_dummies; i++) {
        const struct member *member = &state->members[i];
        uint32_t target = target_of(state, i, n_targets);
        if (member->placed_on != target)
            return al_error_set(error, -EBADMSG,
                                "an actor meant for worker %u was placed on worker %u: nothing "
                                "would be measured",
                                target, member->placed_on);
        if (member->ran_on != member->placed_on)
            return al_error_set(error, -EBADMSG,
                                "an actor that was placed on worker %u ran on worker %u: nothing "
                                "would be measured",
                                member->placed_on, member->ran_on);
    }
    *placement = AL_PLACED_VERIFIED;
    return 0;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(al_go, &state->go, AL_NODELETE);
    for (uint64_t i = 0; i < state->n_loaded; i++)
        al_send(member, al_go, &state->members[i], &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint64_t i = 0; i < state->n_loaded; i++) {
        if (state->members[i].received != state->total + 1)
            return al_error_set(error, -EBADMSG, "an actor received %llu messages instead of %llu",
                                (unsigned long long)state->members[i].received,
                                (unsigned long long)state->total + 1);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->members);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_balance_one = {
    .plugin = {"balance-one", "the work of executor, all of it on one worker", options},
    .stresses = "stealing: one worker has everything; the ideal speed-up is the number of workers",
    .small = "actors=200 group=20 rounds=5",
    .sim = "actors=320 group=20 rounds=15",
    .bytes = bytes_one,
    .check_parameters = check_parameters,
    .prepare = prepare_one,
    .messages = messages,
    .untimed = untimed,
    .place = place,
    .probe = probe,
    .probed = probed,
    .start = start,
    .check = check,
    .release = release,
};

const struct al_benchmark_ops al_benchmark_balance_multi = {
    .plugin = {"balance-multi", "the work of executor on every other worker", options},
    .stresses = "stealing: half of the workers have everything; the ideal speed-up is two",
    .small = "actors=200 group=20 rounds=5",
    .sim = "actors=20 group=20 rounds=200",
    .bytes = bytes_multi,
    .check_parameters = check_parameters,
    .prepare = prepare_multi,
    .messages = messages,
    .untimed = untimed,
    .place = place,
    .probe = probe,
    .probed = probed,
    .start = start,
    .check = check,
    .release = release,
};
