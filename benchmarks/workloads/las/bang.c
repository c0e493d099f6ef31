/* SPDX-License-Identifier: MIT */

/*
 * bang: many to one. Each of `senders` sends `messages` messages to one receiver in a loop, without
 * waiting. Each message is allocated, since BenchErl copies messages, and freed when it has been
 * received. Source: BenchErl (Aronis et al., 2012), "bang"; BANG in the LAS paper, which gives no
 * sizes. In BenchErl senders and messages are each 16, 55 or 79 (short, intermediate, long) times
 * the number of cores; here they are fixed, so that the work does not depend on the machine.
 *
 * Messages: one to each sender to begin with, and all that they send. The receiver ends when it has
 * received these.
 *
 * The answer: messages carry their sender and a sequence number, and the receiver must see all
 * messages of each sender in the order in which they were sent.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { SENDERS, MESSAGES, MEMORY };

static const struct al_option options[] = {
    [SENDERS] = {"senders", AL_OPTION_UINT, "120", 1, 1e7, NULL, "actors that flood the receiver"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "2000", 1, 1e9, NULL,
                  "messages that each sender sends"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct bang {
    struct al_message message;
    uint32_t sender, sequence;
};

struct receiver {
    struct al_actor actor;
    uint32_t *next;            /* the next sequence number of each sender */
    uint64_t left;             /* messages to come, of all senders */
    uint64_t misplaced;        /* messages that came too early or too late */
    uint32_t sender, sequence; /* the first of these */
};

struct sender {
    struct al_actor actor;
    struct state *state;
};

/* Shared by all senders; read-only while they run, except the receiver. */
struct state {
    struct sender *senders;
    struct al_go go;
    uint32_t n_senders, n_messages;
    _Alignas(AL_CACHE_LINE_BYTES) struct receiver receiver;
};

AL_ACTOR(receiver)
AL_ACTOR(sender)
AL_MESSAGE(bang)
AL_RECYCLE(bang)

AL_BEHAVIOUR(receiver, bang, self, msg)
{
    if (msg->sequence != self->next[msg->sender]++ && self->misplaced++ == 0) {
        self->sender = msg->sender;
        self->sequence = msg->sequence;
    }
    return al_count_down(&self->left);
}

AL_BEHAVIOUR(sender, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint32_t i = 0; i < state->n_messages; i++) {
        struct bang *bang = al_message_init(bang, al_new(bang), AL_DELETE);
        bang->sender = (uint32_t)(self - state->senders);
        bang->sequence = i;
        al_send(receiver, bang, &state->receiver, bang);
    }
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n_senders = (uint32_t)values[SENDERS].uint;
    uint32_t n_messages = (uint32_t)values[MESSAGES].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .senders = al_allocate_zeroed(n_senders, sizeof *state->senders),
        .n_senders = n_senders,
        .n_messages = n_messages,
        .receiver = {.next = al_allocate_zeroed(n_senders, sizeof *state->receiver.next),
                     .left = (uint64_t)n_senders * n_messages},
    };
    return state;
}

/* All messages may be queued at once; an allocator adds about a word to each. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double senders = (double)values[SENDERS].uint, messages = (double)values[MESSAGES].uint;
    return senders * (sizeof(struct sender) + sizeof(uint32_t)) +
           senders * messages * (sizeof(struct bang) + sizeof(void *));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->n_senders * ((uint64_t)state->n_messages + 1);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_actor_init(receiver, &state->receiver);
    for (uint32_t i = 0; i < state->n_senders; i++) {
        state->senders[i].state = state;
        al_actor_init(sender, &state->senders[i]);
    }
    for (uint32_t i = 0; i < state->n_senders; i++)
        al_send(sender, al_go, &state->senders[i], &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct receiver *receiver = &state->receiver;
    if (receiver->misplaced != 0)
        return al_error_set(
            error, -EBADMSG, "%llu messages were out of order, first number %u of sender %u",
            (unsigned long long)receiver->misplaced, receiver->sequence, receiver->sender);
    for (uint32_t i = 0; i < state->n_senders; i++) {
        if (receiver->next[i] != state->n_messages)
            return al_error_set(error, -EBADMSG, "%u messages came from sender %u instead of %u",
                                receiver->next[i], i, state->n_messages);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->receiver.next);
    al_free(state->senders);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[SENDERS].uint;
}

const struct al_benchmark_ops al_benchmark_bang = {
    .plugin = {"bang", "many to one (fan-in): senders flood one receiver", options},
    .stresses =
        "one mailbox that all write to, and messages freed by another worker than allocated them",
    .small = "senders=20 messages=100",
    .sim = "senders=768 messages=80",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
