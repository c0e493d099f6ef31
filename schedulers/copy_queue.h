/* SPDX-License-Identifier: MIT */
#ifndef AL_COPY_QUEUE_H
#define AL_COPY_QUEUE_H

/*
 * The copy queue: envelopes in a growing array, filled while it lies in a mailbox, emptied as a
 * whole after a gulp. Source: Cforall actors chapter, section "Copy Queue".
 *
 * Invariants
 *   0 <= length <= capacity;  slots[0 .. length) are the messages in the order of their push
 *   a queue is either in a mailbox (only pushed to) or gulped (only read), never both
 *   capacity >= floor, the initial capacity
 *
 * Concurrency           push      gulp (swap)   read, reset   length
 *   push                lock      lock          never         any time
 *   gulp (swap)         lock      lock          never         any time
 *   read, reset         never     never         owner         any time
 * "lock": the mailbox's lock serialises them. Only length is read without it, and as a hint.
 *
 * Push is amortised O(1) by doubling. Popping is reading slots in order and then setting length to
 * 0: nothing is ever shifted, because no push comes between.
 */

#include "core/scheduler.h"

/* When a gulped queue gives back one slot (the first three; see the chapter). */
enum al_reclaim {
    AL_RECLAIM_HALF,    /* if less than half of it was used */
    AL_RECLAIM_NAIVE,   /* always: in the chapter's example this doubles the peak */
    AL_RECLAIM_OFF,     /* never */
    AL_RECLAIM_QUARTER, /* ours: half of its slots, if less than a quarter was used */
};

struct al_copy_queue {
    struct al_envelope *slots;
    struct al_atomic_u32 length; /* atomic only for those who peek */
    uint32_t capacity;           /* slots */
};

void al_copy_queue_init(struct al_copy_queue *queue, uint32_t capacity);
/* Pass what is left to al_undelivered and release the queue. */
void al_copy_queue_discard(struct al_copy_queue *queue, struct al_system *system);

/* Double the capacity. Behind al_copy_queue_push. */
void al_copy_queue_grow(struct al_copy_queue *queue);

/* Give back what the mode says of an empty queue of which `used` slots had been used. Behind
 * al_copy_queue_reset. */
void al_copy_queue_reclaim(struct al_copy_queue *queue, enum al_reclaim reclaim, uint32_t used,
                           uint32_t floor);

/* Messages in the queue. Exact for who may push or read, else a hint. */
static inline uint32_t al_copy_queue_length(const struct al_copy_queue *queue)
{
    /* relaxed: who needs the messages too takes the lock first */
    return al_u32_load_relaxed(&queue->length);
}

/* Empty a queue that was gulped and read, and reclaim if it is larger than the floor. */
static inline void al_copy_queue_reset(struct al_copy_queue *queue, enum al_reclaim reclaim,
                                       uint32_t floor)
{
    uint32_t used = al_copy_queue_length(queue);
    al_u32_store_relaxed(&queue->length, 0);
    if (queue->capacity > floor)
        al_copy_queue_reclaim(queue, reclaim, used, floor);
}

static inline bool al_copy_queue_full(const struct al_copy_queue *queue)
{
    return al_copy_queue_length(queue) == queue->capacity;
}

/* Push to a queue that is not full. */
static inline void al_copy_queue_put(struct al_copy_queue *queue, struct al_actor *actor,
                                     struct al_message *message, al_behaviour *behaviour)
{
    uint32_t length = al_copy_queue_length(queue);
    struct al_envelope *slot = &queue->slots[length];
    slot->actor = actor;
    slot->message = message;
    slot->behaviour = behaviour;
    /* relaxed: the lock's release publishes the slot */
    al_u32_store_relaxed(&queue->length, length + 1);
}

static inline void al_copy_queue_push(struct al_copy_queue *queue, struct al_actor *actor,
                                      struct al_message *message, al_behaviour *behaviour)
{
    if (__builtin_expect(al_copy_queue_full(queue), 0))
        al_copy_queue_grow(queue);
    al_copy_queue_put(queue, actor, message, behaviour);
}

/* Push n envelopes at once. */
static inline void al_copy_queue_append(struct al_copy_queue *queue,
                                        const struct al_envelope *envelopes, uint32_t n)
{
    uint32_t length = al_copy_queue_length(queue);
    while (__builtin_expect(queue->capacity - length < n, 0))
        al_copy_queue_grow(queue);
    for (uint32_t i = 0; i < n; i++)
        queue->slots[length + i] = envelopes[i];
    al_u32_store_relaxed(&queue->length, length + n);
}

/* Exchange an empty queue for a full one: O(1), no message moves. */
static inline void al_copy_queue_swap(struct al_copy_queue *a, struct al_copy_queue *b)
{
    struct al_envelope *slots = a->slots;
    uint32_t capacity = a->capacity, length = al_copy_queue_length(a);
    a->slots = b->slots;
    a->capacity = b->capacity;
    al_u32_store_relaxed(&a->length, al_copy_queue_length(b));
    b->slots = slots;
    b->capacity = capacity;
    al_u32_store_relaxed(&b->length, length);
}

#endif
