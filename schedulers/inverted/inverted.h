/* SPDX-License-Identifier: MIT */
#ifndef AL_INVERTED_H
#define AL_INVERTED_H

/* What the parts of the strategy inverted share. inverted.c is the place to begin. */

#include "schedulers/inverted/mailbox.h"
struct al_outbox;

struct al_inverted {
    struct al_mailbox *mailboxes;
    struct al_atomic_ptr *owned; /* n_mailboxes slots */
    uint32_t n_mailboxes;
    uint32_t capacity, steal_after;
    enum al_reclaim reclaim;
    enum al_queue_kind kind;
    bool batched, steals;

    /* written by whoever creates an actor */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 ticket;
};

/* A worker's own. */
struct al_share {
    /* written at the start, read by thieves */
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t first; /* its slots: [first, end) */
    uint32_t end;

    /* the owner's */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_copy_queue local; /* what it took from a mailbox */
    struct al_mailbox *held;                                      /* batching: while it delivers */
    struct al_copy_queue kept; /* batching: what it took of the mailbox's kept ones */
    struct al_outbox *outbox;  /* batching, else NULL */

    /* written by whoever places an actor here */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 placed;
};

/* inverted_send.c: the operation `send`, for each kind of mailbox. */
void al_inverted_send_copy(struct al_worker *self, struct al_actor *actor,
                           struct al_message *message, al_behaviour *behaviour);
void al_inverted_send_list(struct al_worker *self, struct al_actor *actor,
                           struct al_message *message, al_behaviour *behaviour);
void al_inverted_send_batched(struct al_worker *self, struct al_actor *actor,
                              struct al_message *message, al_behaviour *behaviour);

/* The same as _copy and _list, for idle policies whose workers sleep until they are woken. */
void al_inverted_send_waking(struct al_worker *self, struct al_actor *actor,
                             struct al_message *message, al_behaviour *behaviour);

/* inverted_run.c: the operation `run`. */
void al_inverted_run(struct al_worker *self);

/* inverted.c: one attempt to steal; whatever comes of it, the thief goes back to its own mailboxes. */
void al_inverted_steal(struct al_worker *self, const struct al_inverted *inverted);

#endif
