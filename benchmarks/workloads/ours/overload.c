/* SPDX-License-Identifier: MIT */

/*
 * overload: a receiver that is slower than its senders. Each of `senders` actors sends a parcel of
 * `bytes` bytes to one receiver, then itself a message, and so on, `parcels` times. The receiver
 * works for `work` ns at each parcel. With bound=0 nothing holds the senders back, so that parcels
 * pile up: how many depends on whom a strategy runs first. Else the receiver lets in as many, and a
 * sender whose parcel is refused asks it to say when it has received what waits. The record has the
 * peak memory of the process and of the queues, and as latencies how long parcels wait. With
 * senders=100000 and parcels=1 it is what many senders do to one actor. Source: ours, after reports
 * on systems that run out of memory.
 *
 * Messages: `parcels` from each sender to the receiver, and as many to the sender itself; and a
 * question and its answer for each parcel that is refused.
 *
 * The answer: the receiver has had all parcels, each sender's in the order in which they were sent,
 * with the contents that were sent.
 */

#include <errno.h>

#include "benchmarks/workloads/support/contents.h"
#include "benchmarks/workloads/support/hub.h"
#include "core/bound.h"

enum option { SENDERS, PARCELS, WORK, BYTES, BOUND };

static const struct al_option options[] = {
    [SENDERS] = {"senders", AL_OPTION_UINT, "1", 1, 1e7, NULL, "actors that send parcels"},
    [PARCELS] = {"parcels", AL_OPTION_UINT, "100000", 1, 1e9, NULL, "parcels of each"},
    [WORK] = {"work", AL_OPTION_UINT, "1000", 0, 1e10, NULL, "work at each parcel, ns"},
    [BYTES] = {"bytes", AL_OPTION_UINT, "128", 0, 1e9, NULL, "contents of a parcel"},
    [BOUND] = {"bound", AL_OPTION_UINT, "0", 0, 1e9, NULL, "parcels that may wait; 0: any number"},
    {0},
};

struct sender;

struct parcel {
    struct al_message message;
    struct sender *from;
    uint64_t number; /* of its sender's, from 0 */
    uint64_t sent;   /* al_latency_now() before it was sent, or refused, for the first time */
    unsigned char contents[];
};

struct again {
    struct al_message message;
};

/* Of a sender whose parcel was refused: it wants an `again` when this has been received. */
struct wish {
    struct al_message message;
    struct sender *from;
};

struct sender {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct parcel *refused; /* or NULL: it sends a new one next */
    struct wish wish;
    uint64_t sent;
    _Alignas(AL_CACHE_LINE_BYTES) uint64_t received; /* by the receiver */
};

struct receiver {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left, wrong, wishes;
    _Alignas(AL_CACHE_LINE_BYTES) struct al_bound bound;
};

/* Read-only while the actors run, except the receiver. */
struct state {
    struct sender *senders;
    uint64_t n, parcels, bytes, ns, work;
    bool bounded;
    struct again again;
    struct receiver receiver;
};

AL_ACTOR(receiver)
AL_ACTOR(sender)
AL_MESSAGE(again)
AL_MESSAGE(parcel)
AL_MESSAGE(wish)
AL_BEHAVIOUR_DECLARE(sender, again)

AL_BEHAVIOUR(receiver, parcel, self, msg)
{
    const struct state *state = self->state;
    uint64_t sender = (uint64_t)(msg->from - state->senders);
    al_latency_record(msg->sent);
    self->wrong += msg->number != msg->from->received++ ||
                   !al_contents_are(msg->contents, state->bytes, sender, msg->number);
    al_work(state->work);
    return al_count_down(&self->left);
}

AL_BOUNDED(receiver, parcel)

AL_BEHAVIOUR(receiver, wish, self, msg)
{
    self->wishes++;
    al_send(sender, again, msg->from, &self->state->again);
    return AL_NODELETE;
}

static struct parcel *next_parcel(struct sender *self)
{
    const struct state *state = self->state;
    struct parcel *parcel = al_allocate(sizeof *parcel + state->bytes);
    al_message_init(parcel, parcel, AL_DELETE);
    parcel->from = self;
    parcel->number = self->sent++;
    al_contents_write(parcel->contents, state->bytes, (uint64_t)(self - state->senders),
                      parcel->number);
    parcel->sent = al_latency_now(); /* once: that it was refused is part of its latency */
    return parcel;
}

/* False: the receiver has refused it. */
static bool send_parcel(struct sender *self)
{
    struct state *state = self->state;
    struct parcel *parcel = self->refused != NULL ? self->refused : next_parcel(self);
    if (!state->bounded)
        al_send(receiver, parcel, &state->receiver, parcel);
    else if (!al_try_send(receiver, parcel, &state->receiver, parcel)) {
        self->refused = parcel;
        return false;
    }
    self->refused = NULL;
    return true;
}

AL_BEHAVIOUR_DEFINE(sender, again, self, msg)
{
    struct state *state = self->state;
    if (!send_parcel(self)) {
        al_send(receiver, wish, &state->receiver, &self->wish);
        return AL_NODELETE;
    }
    if (self->sent == state->parcels)
        return AL_FINISHED;
    al_send(sender, again, self, msg);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.n = values[SENDERS].uint,
                            .parcels = values[PARCELS].uint,
                            .bytes = values[BYTES].uint,
                            .ns = values[WORK].uint,
                            .bounded = values[BOUND].uint != 0};
    state->receiver = (struct receiver){.state = state, .left = state->n * state->parcels};
    if (state->bounded)
        al_bound_init(&state->receiver.bound, (uint32_t)values[BOUND].uint);
    state->senders = al_allocate_lines(state->n, sizeof *state->senders);
    for (uint64_t i = 0; i < state->n; i++) {
        state->senders[i] = (struct sender){.state = state};
        /* Once: the receiver may not have returned from it when the sender sends it again. */
        al_message_init(wish, &state->senders[i].wish, AL_NODELETE)->from = &state->senders[i];
    }
    al_message_init(again, &state->again, AL_NODELETE);
    return state;
}

/* As if all parcels waited that may: that is up to the strategy. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double parcel = sizeof(struct parcel) + (double)values[BYTES].uint;
    double senders = (double)values[SENDERS].uint, all = senders * (double)values[PARCELS].uint;
    double most = (double)values[BOUND].uint + senders; /* each sender has one that was refused */
    return senders * sizeof(struct sender) +
           (values[BOUND].uint != 0 && most < all ? most : all) * parcel;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 2 * state->n * state->parcels;
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    return messages(state) + 2 * state->receiver.wishes;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->work = al_work_of(state->ns);
    al_actor_init(receiver, &state->receiver);
    for (uint64_t i = 0; i < state->n; i++)
        al_send(sender, again, al_actor_init(sender, &state->senders[i]), &state->again);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    if (state->receiver.left != 0)
        return al_error_set(error, -EBADMSG, "%llu parcels have not arrived",
                            (unsigned long long)state->receiver.left);
    if (state->receiver.wrong != 0)
        return al_error_set(error, -EBADMSG, "%llu parcels have arrived late, or torn",
                            (unsigned long long)state->receiver.wrong);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->senders);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_overload = {
    .plugin = {"overload", "a receiver that is slower than its senders", options},
    .stresses = "memory: how many messages pile up before an actor that has much to do?",
    .judged_by = "peak_rss_bytes",
    .latencies = true,
    .more_messages = true,
    .small = "senders=2 parcels=500 work=100",
    .sim = "senders=48 parcels=100 work=100",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = release,
};
