/* SPDX-License-Identifier: MIT */
#ifndef AL_LIST_QUEUE_H
#define AL_LIST_QUEUE_H

/*
 * A singly linked list with an envelope allocated for each send, as older message-centric systems
 * have it. It is here to measure what the copy queue, which replaces it, gains.
 *
 * Invariants
 *   (1) following next from head meets length nodes, in the order of their push
 *   (2) *tail is NULL: tail points to the last node's next, or to head if length == 0
 *
 * Concurrency       push   pop      take     length
 *   push_serial     no     no       no       yes
 *   pop_serial      no     no       no       yes
 *   take_serial     no     no       no       yes
 *   length          yes    yes      yes      yes
 * The caller serialises the operations that end in _serial, with a lock.
 */

#include "schedulers/queues/list_node.h"

struct al_list_queue {
    struct al_list_node *head, **tail;
    struct al_atomic_u32 length; /* atomic only for threads that look without the lock */
};

static inline void al_list_queue_init(struct al_list_queue *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
    al_u32_store_relaxed(&queue->length, 0);
}

/* Messages in the queue. Exact for the lock holder; a hint for others. */
static inline uint32_t al_list_queue_length(const struct al_list_queue *queue)
{
    /* relaxed: whoever wants the messages too takes the lock, which publishes them */
    return al_u32_load_relaxed(&queue->length);
}

static inline void al_list_queue_push_serial(struct al_list_queue *queue, struct al_list_node *node)
{
    *queue->tail = node;
    queue->tail = &node->next;
    /* relaxed, here and below: the lock publishes the nodes; others read it as a hint */
    al_u32_store_relaxed(&queue->length, al_list_queue_length(queue) + 1);
}

/* Take the oldest node. The queue must not be empty. */
static inline struct al_list_node *al_list_queue_pop_serial(struct al_list_queue *queue)
{
    struct al_list_node *node = queue->head;
    queue->head = node->next;
    if (queue->head == NULL)
        queue->tail = &queue->head;
    al_u32_store_relaxed(&queue->length, al_list_queue_length(queue) - 1);
    return node;
}

/* Take all nodes, oldest first: a list that ends with NULL. */
static inline struct al_list_node *al_list_queue_take_serial(struct al_list_queue *queue)
{
    struct al_list_node *head = queue->head;
    al_list_queue_init(queue);
    return head;
}

#endif
