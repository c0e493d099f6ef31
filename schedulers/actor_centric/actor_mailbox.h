/* SPDX-License-Identifier: MIT */
#ifndef AL_ACTOR_MAILBOX_H
#define AL_ACTOR_MAILBOX_H

/*
 * The mailbox of one actor, for actor-centric strategies: any number of senders (mpsc), one receiver.
 * Senders push to a list; the receiver takes the whole list and turns it round. The word that is the
 * head of the list also says whether the actor is scheduled, so that one atomic operation both
 * delivers and decides who schedules it. Source: the states that the CAF manual and the LAS paper
 * (section II.D) describe: waiting, ready, running, done.
 *
 * Invariants
 *   incoming == BLOCKED  <=>  the actor is waiting: in no queue, on no worker, and has no messages
 *   exactly one push turns BLOCKED into a list: its caller schedules the actor, so a ready actor is
 *     in one queue or on one worker
 *   taken holds the oldest messages in the order of their push, then incoming from its end
 *   while no worker runs the actor, n_taken is the number of nodes in taken
 *
 * Concurrency        push   pop, block   leave
 *   push             yes    yes          no (no message may be on its way to an actor that terminates)
 *   pop, block       yes    no           no     (the worker that runs the actor)
 *   length           yes    no           no     (the worker that has taken the ready actor)
 */

#include "schedulers/queues/list_queue.h"

struct al_actor_mailbox {
    struct al_atomic_ptr incoming; /* newest first; NULL: ready or running, and empty */
    struct al_list_node *taken;    /* oldest first */
    uint64_t n_taken;              /* nodes in taken, while no worker runs the actor */
    struct al_actor *actor;
    struct al_actor_mailbox *next;    /* in a list of ready actors */
    struct al_detached *detached;     /* the thread that runs it, or NULL */
    struct al_atomic_u32 last_worker; /* that ran it; AL_NO_WORKER before the first time */
    uint32_t first_worker;            /* that is to run it first, or AL_NO_WORKER */
    bool is_hub;
};

/* What `enter` returns then. */
#define AL_NO_WORKER AL_ANYONE

/* A list that no push can have made: the address of something that is no node. */
extern struct al_list_node al_actor_blocked;

static inline void al_actor_mailbox_init(struct al_actor_mailbox *mailbox, struct al_actor *actor)
{
    *mailbox = (struct al_actor_mailbox){.actor = actor, .first_worker = AL_NO_WORKER};
    /* relaxed, both: published by whatever makes the actor known */
    al_ptr_store_relaxed(&mailbox->incoming, &al_actor_blocked);
    al_u32_store_relaxed(&mailbox->last_worker, AL_NO_WORKER);
}

/* True: the actor was waiting, and the caller must schedule it. */
static inline bool al_actor_mailbox_push(struct al_actor_mailbox *mailbox,
                                         struct al_list_node *node)
{
    void *head = al_ptr_load_relaxed(&mailbox->incoming);
    do {
        node->next = head == &al_actor_blocked ? NULL : head;
        /* release: partner is the acquire in al_actor_mailbox_pop, publishes the message. acquire: partner is
         * the release in al_actor_mailbox_block; the caller passes the actor on as its last worker left it. */
    } while (!al_ptr_cas_acq_rel(&mailbox->incoming, &head, node));
    return head == &al_actor_blocked;
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

/* The oldest message, or NULL. *gulps counts the times that a list was taken, *gulped the messages in these. */
static inline struct al_list_node *al_actor_mailbox_pop(struct al_actor_mailbox *mailbox,
                                                        uint64_t *gulps, uint64_t *gulped)
{
    struct al_list_node *node = mailbox->taken;
    if (node == NULL) {
        /* relaxed: a look, so that an empty mailbox costs no exchange */
        if (al_ptr_load_relaxed(&mailbox->incoming) == NULL)
            return NULL;
        /* acquire: partner is the release in al_actor_mailbox_push */
        node = al_list_reversed(al_ptr_exchange_acquire(&mailbox->incoming, NULL), gulped);
        ++*gulps;
    }
    mailbox->taken = node->next;
    return node;
}

/* How many messages wait. For the worker that a ready actor is on: nobody else takes nodes meanwhile, and those that
 * senders push are added in front of the ones that it follows. */
static inline uint64_t al_actor_mailbox_length(const struct al_actor_mailbox *mailbox)
{
    uint64_t n = mailbox->n_taken;
    /* acquire: partner is the release in al_actor_mailbox_push, publishes the nodes */
    for (const struct al_list_node *node = al_ptr_load_acquire(&mailbox->incoming); node != NULL;
         node = node->next)
        n++;
    return n;
}

/* Go to sleep. False: there are messages. */
static inline bool al_actor_mailbox_block(struct al_actor_mailbox *mailbox)
{
    if (mailbox->taken != NULL)
        return false;
    void *none = NULL;
    /* release: partner is the acquire in al_actor_mailbox_push; hands over the actor */
    return al_ptr_load_relaxed(&mailbox->incoming) == NULL &&
           al_ptr_cas_acq_rel(&mailbox->incoming, &none, &al_actor_blocked);
}

#endif
