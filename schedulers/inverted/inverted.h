/* SPDX-License-Identifier: MIT */
#ifndef AL_INVERTED_H
#define AL_INVERTED_H

/* What the parts of the strategy inverted share; start reading in inverted.c. */

#include "schedulers/inverted/mailbox.h"
#include "schedulers/inverted/thrift.h"

struct al_outbox;
struct al_relief;

/* Which loop a worker runs: each is compiled on its own. */
enum al_loop {
    AL_LOOP_PLAIN,
    AL_LOOP_BATCHED,
    AL_LOOP_THRIFTY, /* batched or not */
    AL_LOOP_CHOSEN,  /* another lock than the default; thrifty or not */
};

struct al_inverted {
    struct al_mailbox *mailboxes;
    struct al_atomic_ptr *owned; /* n_mailboxes slots */
    uint32_t n_mailboxes;
    uint32_t capacity, steal_after;
    enum al_reclaim reclaim;
    enum al_queue_kind kind;
    enum al_batching batching;
    bool steals; /* there are victims */

    enum al_loop loop;
    uint32_t n_dealt; /* mailboxes for the actors of workers; 0: each has its own for them */
    uint32_t growth;  /* of copy queues: a factor */
    struct al_thrift *thrift; /* of each worker; NULL without steal_least and steal_backoff */
    struct al_relief *relief; /* batching, else NULL; nor is there any if nobody can give it */
    uint32_t steal_least;
    uint64_t steal_patience, steal_backoff; /* cycles */
    struct al_lock_choice lock;             /* of mailboxes */

    /* written by whoever creates an actor */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 ticket;
};

/* Per-worker state. */
struct al_share {
    /* written at the start, read by thieves */
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t first; /* its slots: [first, end) */
    uint32_t end;

    /* written by the owner */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_copy_queue local; /* the last gulp */
    struct al_mailbox *held;   /* batching: the mailbox that it delivers */
    struct al_copy_queue kept; /* batching: the last gulp of what the holder kept */
    struct al_outbox *outbox;  /* batching, else NULL */
    uint64_t created;          /* tickets=local: actors, by this worker */

    /* written by whoever places an actor here */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 placed;
};

/* Messages that wait in a mailbox. A hint. Any worker. */
static inline uint32_t al_inverted_waiting(const struct al_inverted *inverted,
                                           const struct al_mailbox *mailbox)
{
    return al_mailbox_length(mailbox, inverted->kind, inverted->batching);
}

/* send.c: the operations `send`, by default, and `choose_send`. */
void al_inverted_send_copy(struct al_worker *self, struct al_actor *actor,
                           struct al_message *message, al_behaviour *behaviour);
al_sender *al_inverted_choose_send(const struct al_worker *worker);

/* run.c: the operation `run`. */
void al_inverted_run(struct al_worker *self);

/* steal.c: one attempt to steal, counted. `least` is steal_least: a mailbox with fewer messages is
 * stolen only from an owner that does not come to it. True if it succeeded. Owner only. */
bool al_inverted_steal(struct al_worker *self, const struct al_inverted *inverted, uint32_t least);

/* The operation `length`: messages that wait in a worker's mailboxes. A hint. */
uint64_t al_inverted_length(const struct al_worker *worker);

#endif
