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
 *   a gulped queue has length 0: how many messages it holds, the gulp has returned
 *   capacity >= floor, the initial capacity
 *
 * Concurrency           push      gulp      read, release   length
 *   push                lock      lock      never           any time
 *   gulp                lock      lock      never           any time
 *   read, release       never     never     owner           any time
 * "lock": the mailbox's lock serialises them. Only length is read without it, and as a hint.
 *
 * Push is amortised O(1) by doubling. Popping is reading slots in order: nothing is ever shifted,
 * because no push comes between.
 */

#include "core/plugin/scheduler.h"

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
 * al_copy_queue_release. */
void al_copy_queue_reclaim(struct al_copy_queue *queue, enum al_reclaim reclaim, uint32_t used,
                           uint32_t floor);

/* Messages in the queue. Exact for who may push or read, else a hint. */
static inline uint32_t al_copy_queue_length(const struct al_copy_queue *queue)
{
    /* relaxed: who needs the messages too takes the lock first */
    return al_u32_load_relaxed(&queue->length);
}

/* Give back, if the queue is larger than the floor, after a gulp whose `used` messages were read. */
static inline void al_copy_queue_release(struct al_copy_queue *queue, uint32_t used,
                                         enum al_reclaim reclaim, uint32_t floor)
{
    if (__builtin_expect(queue->capacity > floor, 0))
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

/*
 * Exchange the empty queue `local` for a full one: O(1), no message moves. Returns how many messages now
 * lie in local's slots; its length stays 0, since nobody else asks, so that a gulp stores no more than it
 * must.
 */
static inline uint32_t al_copy_queue_gulp(struct al_copy_queue *local, struct al_copy_queue *full)
{
    uint32_t used = al_copy_queue_length(full);
    struct al_envelope *slots = local->slots;
    uint32_t capacity = local->capacity;
    local->slots = full->slots;
    local->capacity = full->capacity;
    full->slots = slots;
    full->capacity = capacity;
    al_u32_store_relaxed(&full->length, 0);
    return used;
}

#endif
