/* SPDX-License-Identifier: MIT */
#ifndef AL_LIST_QUEUE_H
#define AL_LIST_QUEUE_H

/*
 * What the copy queue replaces: a singly linked list with an envelope allocated for each send, as
 * older message-centric systems have it. Here to measure what the copy queue gains.
 *
 * Invariants: following next from head meets length nodes in the order of their push, the last of
 * them is *tail's node; length == 0 <=> head == NULL. Concurrency is as in copy_queue.h.
 */

#include <stdlib.h>

#include "core/plugin/scheduler.h"

struct al_list_node {
    struct al_envelope envelope;
    struct al_list_node *next;
};

struct al_list_queue {
    struct al_list_node *head, **tail;
    struct al_atomic_u32 length; /* atomic only for those who peek */
};

static inline void al_list_queue_init(struct al_list_queue *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
    al_u32_store_relaxed(&queue->length, 0);
}

/* The envelope is allocated before the lock is taken: the allocator may block. */
static inline struct al_list_node *al_list_node(struct al_actor *actor, struct al_message *message,
                                                al_behaviour *behaviour)
{
    struct al_list_node *node = malloc(sizeof *node);
    if (node == NULL)
        al_out_of_memory("an envelope", sizeof *node);
    *node = (struct al_list_node){{actor, message, behaviour}, NULL};
    return node;
}

static inline void al_list_queue_push(struct al_list_queue *queue, struct al_list_node *node)
{
    *queue->tail = node;
    queue->tail = &node->next;
    al_u32_store_relaxed(&queue->length, al_u32_load_relaxed(&queue->length) + 1);
}

/* Messages in the queue. Exact for who holds the lock, else a hint. */
static inline uint32_t al_list_queue_length(const struct al_list_queue *queue)
{
    return al_u32_load_relaxed(&queue->length);
}

/* The first node. The queue is not empty. */
static inline struct al_list_node *al_list_queue_pop(struct al_list_queue *queue)
{
    struct al_list_node *node = queue->head;
    queue->head = node->next;
    if (queue->head == NULL)
        queue->tail = &queue->head;
    al_u32_store_relaxed(&queue->length, al_u32_load_relaxed(&queue->length) - 1);
    return node;
}

/* Take the whole list. */
static inline struct al_list_node *al_list_queue_take(struct al_list_queue *queue)
{
    struct al_list_node *head = queue->head;
    al_list_queue_init(queue);
    return head;
}

/* Free a taken list of messages that nobody will receive. */
static inline void al_list_queue_discard(struct al_list_node *node, struct al_system *system)
{
    for (struct al_list_node *next; node != NULL; node = next) {
        next = node->next;
        al_undelivered(system, &node->envelope);
        free(node);
    }
}

#endif
