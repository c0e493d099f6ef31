/* SPDX-License-Identifier: MIT */
#ifndef AL_INBOX_H
#define AL_INBOX_H

/*
 * The messages of one actor: any number of senders, one receiver. Senders push to a list; the
 * receiver takes the whole list and turns it round. The word that is the head of the list also says
 * whether the actor waits, so that one atomic operation both stores a message and decides who
 * schedules the actor. Source: the states that the CAF manual and the LAS paper (section II.D)
 * describe: waiting, ready, running, done.
 *
 * Invariants
 *   (1) incoming == the inbox itself  <=>  the actor waits: it is in no queue, on no worker, and
 *       has no messages
 *   (2) exactly one push ends a wait: its caller schedules the actor, so that a ready actor is in
 *       one queue or on one worker
 *   (3) taken holds the oldest messages in the order of their push, then incoming from its end
 *   (4) while no worker runs the actor, n_taken is the number of nodes in taken
 *
 * Concurrency                push   pop, wait   length   fini
 *   push_mpsc                yes    yes         yes      no
 *   pop_mpsc, wait_mpsc      yes    no          no       no
 *   length_mpsc              yes    no          no       no
 * Any thread may push, but not to an actor that has terminated. pop, wait and fini are for the
 * worker that runs the actor, length for the one that took the ready actor from a queue.
 */

#include <stdbool.h>

#include "core/sync/sync.h"
#include "schedulers/queues/list_node.h"

struct al_inbox {
    struct al_atomic_ptr
        incoming;               /* newest first; NULL: the actor is ready or runs, without news */
    struct al_list_node *taken; /* oldest first */
    uint64_t n_taken;
};

/* The actor waits. */
static inline void al_inbox_init(struct al_inbox *inbox)
{
    inbox->taken = NULL;
    inbox->n_taken = 0;
    /* relaxed: published by whatever makes the actor known */
    al_ptr_store_relaxed(&inbox->incoming, inbox);
}

/* Store a message. True: the actor waited, and the caller must schedule it. Any thread. */
static inline bool al_inbox_push_mpsc(struct al_inbox *inbox, struct al_list_node *node)
{
    void *head = al_ptr_load_relaxed(&inbox->incoming); /* relaxed: the CAS checks the guess */
    do {
        node->next = head == inbox ? NULL : head;
        /* release: partner is the acquire in pop_mpsc, which would otherwise see the node before
         * its envelope. acquire: partner is the release in wait_mpsc; without it the worker that
         * runs the actor next might not see what the actor wrote on its last one. */
    } while (!al_ptr_cas_acq_rel(&inbox->incoming, &head, node));
    return head == inbox;
}

/* Reverse what was taken, since senders push in front; adds its length to *n. */
static inline struct al_list_node *al_list_reversed(struct al_list_node *node, uint64_t *n)
{
    struct al_list_node *reversed = NULL;
    for (; node != NULL; ++*n) {
        struct al_list_node *next = node->next;
        node->next = reversed;
        reversed = node;
        node = next;
    }
    return reversed;
}

/* The oldest message, or NULL if there is none. Adds to *gulps how often a list was taken, to
 * *gulped how many messages were in it. The worker that runs the actor. */
static inline struct al_list_node *al_inbox_pop_mpsc(struct al_inbox *inbox, uint64_t *gulps,
                                                     uint64_t *gulped)
{
    struct al_list_node *node = inbox->taken;
    if (node == NULL) {
        /* relaxed: a look, so that an empty inbox costs no exchange */
        if (al_ptr_load_relaxed(&inbox->incoming) == NULL)
            return NULL;
        /* acquire: partner is the release in push_mpsc, publishes the nodes */
        node = al_list_reversed(al_ptr_exchange_acquire(&inbox->incoming, NULL), gulped);
        ++*gulps;
    }
    inbox->taken = node->next;
    return node;
}

/* How many messages there are. The worker that took the ready actor: nobody else takes nodes
 * meanwhile, and senders push in front of those that it follows. */
static inline uint64_t al_inbox_length_mpsc(const struct al_inbox *inbox)
{
    uint64_t n = inbox->n_taken;
    /* acquire: partner is the release in push_mpsc, publishes the nodes */
    for (const struct al_list_node *node = al_ptr_load_acquire(&inbox->incoming); node != NULL;
         node = node->next)
        n++;
    return n;
}

/* Let the actor wait. False: there are messages. The worker that runs the actor, which must not
 * touch it any more after a true. */
static inline bool al_inbox_wait_mpsc(struct al_inbox *inbox)
{
    if (inbox->taken != NULL)
        return false;
    void *none = NULL;
    /* release: partner is the acquire in push_mpsc; hands the actor over as this worker leaves it.
     * relaxed look before: a message in sight costs no compare-and-swap. */
    return al_ptr_load_relaxed(&inbox->incoming) == NULL &&
           al_ptr_cas_acq_rel(&inbox->incoming, &none, inbox);
}

/* Free the messages that were sent after the one that ended the actor, after a call of undelivered
 * for each. The worker that ran it, with its pool. */
static inline void
al_inbox_fini(struct al_inbox *inbox, struct al_pool *pool,
              void (*undelivered)(void *context, const struct al_envelope *envelope), void *context)
{
    uint64_t n = 0;
    al_list_fini(inbox->taken, pool, undelivered, context);
    al_list_fini(al_list_reversed(al_ptr_exchange_acquire(&inbox->incoming, NULL), &n), pool,
                 undelivered, context); /* acquire: as in pop_mpsc */
}

#endif
