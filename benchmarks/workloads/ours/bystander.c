/* SPDX-License-Identifier: MIT */

/*
 * bystander: how long an actor waits that has nothing to do with what keeps its worker busy. One
 * actor, the culprit, sends a note to each of `bystanders` bystanders and then, in the same
 * behaviour, does what `beside` says:
 *
 *   compute    it computes for `ns`
 *   block      it sleeps for `ns`, as a behaviour does that waits for a file
 *   wait       it waits until the first bystander has run, but for `ns` at most: what the receiver
 *              of a message must not need is that its sender ends
 *   pingpong   it answers another actor, and that one it, until both have had `times` messages
 *   selfish    it sends itself `times` messages, one after another
 *   flood      it sends `times` messages to another actor; the notes come after them
 *
 * The times from the sending of a note to its delivery are the latencies of the record, of which
 * the longest matters most. Source: ours, after reports on schedulers that let actors starve.
 *
 * Messages: one to the culprit to begin with, a note to each bystander, and `times` each to those
 * that have them.
 *
 * The answer: each bystander has had its note, and the others their messages.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { BESIDE, BYSTANDERS, NS, TIMES };

enum beside { COMPUTE, BLOCK, WAIT, PINGPONG, SELFISH, FLOOD };

static const char *const beside_choices[] = {"compute", "block", "wait", "pingpong",
                                             "selfish", "flood", NULL}; /* enum beside */

static const struct al_option options[] = {
    [BESIDE] = {"beside", AL_OPTION_ENUM, "compute", 0, 0, beside_choices,
                "what keeps the worker busy"},
    [BYSTANDERS] = {"bystanders", AL_OPTION_UINT, "8", 1, 1e7, NULL,
                    "actors that wait for a note each"},
    [NS] = {"ns", AL_OPTION_UINT, "10000000", 1, 1e10, NULL,
            "how long the culprit computes or sleeps, or waits at most, ns"},
    [TIMES] = {"times", AL_OPTION_UINT, "100000", 1, 1e9, NULL,
               "messages of pingpong, selfish and flood"},
    {0},
};

struct note {
    struct al_message message;
    uint64_t sent; /* al_latency_now() before it was sent */
};

/* A message of the game. */
struct play {
    struct al_message message;
};

struct bystander {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_atomic_u32 *arrived; /* of the first one; else NULL */
    struct note note;
    bool noted;
};

/* The culprit, or the other one that it plays with. */
struct player {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left; /* messages of the game to come */
};

struct state {
    struct player players[2]; /* the culprit first */
    struct bystander *bystanders;
    struct al_go go;
    struct play play;
    enum beside beside;
    uint32_t n;
    uint64_t ns, work, times;
    struct al_atomic_u32 arrived; /* the first bystander's note has */
};

AL_ACTOR(bystander)
AL_ACTOR(player)
AL_MESSAGE(note)
AL_MESSAGE(play)

AL_BEHAVIOUR(bystander, note, self, msg)
{
    al_latency_record(msg->sent);
    self->noted = true;
    if (self->arrived != NULL)
        al_u32_store_relaxed(self->arrived, 1); /* relaxed: nothing else is read because of it */
    return AL_FINISHED;
}

static void send_notes(struct state *state)
{
    for (uint32_t i = 0; i < state->n; i++) {
        struct bystander *bystander = &state->bystanders[i];
        bystander->note.sent = al_latency_now();
        al_send(bystander, note, bystander, &bystander->note);
    }
}

static void wait_for_first(const struct state *state)
{
    for (uint64_t end = al_clock_ns() + state->ns; al_clock_ns() < end; al_pause()) {
        if (al_u32_load_relaxed(&state->arrived) != 0)
            return;
    }
}

AL_BEHAVIOUR(player, play, self, msg)
{
    struct state *state = self->state;
    struct player *culprit = &state->players[0], *other = &state->players[1];
    bool last = --self->left == 0;
    if (state->beside == SELFISH && !last)
        al_send(player, play, self, msg);
    else if (state->beside == PINGPONG && self == other)
        al_send(player, play, culprit, msg);
    else if (state->beside == PINGPONG && !last)
        al_send(player, play, other, msg);
    return last ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(player, al_go, self, msg)
{
    struct state *state = self->state;
    struct player *other = &state->players[1];
    for (uint64_t i = 0; state->beside == FLOOD && i < state->times; i++)
        al_send(player, play, other, &state->play);
    send_notes(state);
    switch (state->beside) {
    case COMPUTE:
        al_work(state->work);
        break;
    case BLOCK:
        al_sleep_ns(state->ns);
        break;
    case WAIT:
        wait_for_first(state);
        break;
    case PINGPONG:
        al_send(player, play, other, &state->play);
        return AL_NODELETE;
    case SELFISH:
        al_send(player, play, self, &state->play);
        return AL_NODELETE;
    case FLOOD:
        break;
    }
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[BYSTANDERS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.bystanders = al_allocate_lines(n, sizeof *state->bystanders),
                            .beside = (enum beside)values[BESIDE].uint,
                            .n = n,
                            .ns = values[NS].uint,
                            .times = values[TIMES].uint};
    for (int i = 0; i < 2; i++)
        state->players[i] = (struct player){.state = state, .left = state->times};
    for (uint32_t i = 0; i < n; i++) {
        state->bystanders[i] = (struct bystander){.arrived = i == 0 ? &state->arrived : NULL};
        al_message_init(note, &state->bystanders[i].note, AL_NODELETE);
    }
    al_u32_store_relaxed(&state->arrived, 0);
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(play, &state->play, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[BYSTANDERS].uint * sizeof(struct bystander);
}

/* How many messages the culprit and the other player get in the game. */
static uint64_t game(const struct state *state, int player)
{
    bool has = state->beside == PINGPONG || state->beside == (player == 0 ? SELFISH : FLOOD);
    return has ? state->times : 0;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->n + game(state, 0) + game(state, 1);
}

static void start(void *argument)
{
    struct state *state = argument;
    if (state->beside == COMPUTE)
        state->work = al_work_of(state->ns);
    if (game(state, 1) > 0)
        al_actor_init(player, &state->players[1]);
    for (uint32_t i = 0; i < state->n; i++)
        al_actor_init(bystander, &state->bystanders[i]);
    al_send(player, al_go, al_actor_init(player, &state->players[0]), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++) {
        if (!state->bystanders[i].noted)
            return al_error_set(error, -EBADMSG, "bystander %u has not had its note", i);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t had = state->times - state->players[i].left;
        if (had != game(state, i))
            return al_error_set(error, -EBADMSG, "player %d has had %llu messages, not %llu", i,
                                (unsigned long long)had, (unsigned long long)game(state, i));
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->bystanders);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_bystander = {
    .plugin = {"bystander", "actors that wait beside one that keeps its worker busy", options},
    .stresses = "fairness: how long must an actor wait that has nothing to do with it?",
    .judged_by = "latencies.max_ns",
    .latencies = true,
    .small = "ns=100000 times=500",
    .sim = "ns=1000000 times=20000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
