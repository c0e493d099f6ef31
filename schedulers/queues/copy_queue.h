/* SPDX-License-Identifier: MIT */
#ifndef AL_COPY_QUEUE_H
#define AL_COPY_QUEUE_H

/*
 * The copy queue: envelopes in a growing array, which is filled while it lies in a mailbox, then
 * exchanged for an empty one (a gulp) and read as a whole. Source: Cforall actors chapter, section
 * "Copy Queue".
 *
 * Invariants
 *   (1) 0 <= length <= capacity; slots[0 .. length) are the messages in the order of their push
 *   (2) an array of slots is either pushed to or, after a gulp, read; never both
 *   (3) a gulped queue has length 0: the gulp returned how many messages it holds
 *   (4) capacity >= floor, the initial capacity
 *
 * Concurrency                push    gulp    read, release   length
 *   push, put, append        no      no      yes             yes
 *   gulp                     no      no      no              yes
 *   read, release            yes     no      no              yes
 *   length                   yes     yes     yes             yes
 * Operations that end in _serial are serialised by the caller: with a lock, or because one thread
 * owns the queue. After a gulp, senders go on pushing to the exchanged array while its taker reads
 * and releases what it took, since these are two queues then.
 *
 * Push is amortised O(1): a full array grows by a factor, which is 2 in the chapter. Reading goes
 * through the slots in order: nothing is ever shifted, because by (2) no push comes between.
 */

#include <stdbool.h>

#include "core/envelope.h"
#include "core/sync/sync.h"

/* When a gulped queue gives memory back. The first three are the chapter's. */
enum al_reclaim {
    AL_RECLAIM_HALF,    /* one slot, if less than half were used */
    AL_RECLAIM_NAIVE,   /* one slot: in the chapter's example this doubles the peak */
    AL_RECLAIM_OFF,     /* none */
    AL_RECLAIM_QUARTER, /* ours: half of the slots, if less than a quarter were used */
};

/* The chapter's growth factor. */
#define AL_COPY_QUEUE_DOUBLES 2

struct al_copy_queue {
    struct al_envelope *slots;
    struct al_atomic_u32 length; /* atomic only for threads that look without the lock */
    uint32_t capacity;           /* slots */
};

/* Ends the program if there is no memory, as does whatever makes the queue grow. */
void al_copy_queue_init(struct al_copy_queue *queue, uint32_t capacity);
/* Release the queue, after a call of undelivered for each message that is still in it. */
void al_copy_queue_fini(struct al_copy_queue *queue,
                        void (*undelivered)(void *context, const struct al_envelope *envelope),
                        void *context);

/* Multiply the capacity by growth, at least 2. Behind al_copy_queue_push_serial. */
void al_copy_queue_grow_serial(struct al_copy_queue *queue, uint32_t growth);

/* Shrink an empty queue by the reclaim policy; `used` is its last occupancy. Behind
 * al_copy_queue_release_serial. */
void al_copy_queue_reclaim_serial(struct al_copy_queue *queue, enum al_reclaim reclaim,
                                  uint32_t used, uint32_t floor);

/* Messages in the queue. Exact for the owner or lock holder; a hint for others. */
static inline uint32_t al_copy_queue_length(const struct al_copy_queue *queue)
{
    /* relaxed: whoever wants the messages too takes the lock, which publishes them */
    return al_u32_load_relaxed(&queue->length);
}

/* Give memory back, if the queue is larger than floor, after the `used` messages of a gulp. */
static inline void al_copy_queue_release_serial(struct al_copy_queue *queue, uint32_t used,
                                                enum al_reclaim reclaim, uint32_t floor)
{
    if (__builtin_expect(queue->capacity > floor, 0))
        al_copy_queue_reclaim_serial(queue, reclaim, used, floor);
}

static inline bool al_copy_queue_full_serial(const struct al_copy_queue *queue)
{
    return al_copy_queue_length(queue) == queue->capacity;
}

/* Push to a queue that is not full. */
static inline void al_copy_queue_put_serial(struct al_copy_queue *queue, struct al_actor *actor,
                                            struct al_message *message, al_behaviour *behaviour)
{
    uint32_t length = al_copy_queue_length(queue);
    struct al_envelope *slot = &queue->slots[length];
    slot->actor = actor;
    slot->message = message;
    slot->behaviour = behaviour;
    /* relaxed: the caller's lock publishes the slot with its release */
    al_u32_store_relaxed(&queue->length, length + 1);
}

static inline void al_copy_queue_push_serial(struct al_copy_queue *queue, struct al_actor *actor,
                                             struct al_message *message, al_behaviour *behaviour,
                                             uint32_t growth)
{
    if (__builtin_expect(al_copy_queue_full_serial(queue), 0))
        al_copy_queue_grow_serial(queue, growth);
    al_copy_queue_put_serial(queue, actor, message, behaviour);
}

/* Push n envelopes. */
static inline void al_copy_queue_append_serial(struct al_copy_queue *queue,
                                               const struct al_envelope *envelopes, uint32_t n,
                                               uint32_t growth)
{
    uint32_t length = al_copy_queue_length(queue);
    while (__builtin_expect(queue->capacity - length < n, 0))
        al_copy_queue_grow_serial(queue, growth);
    for (uint32_t i = 0; i < n; i++)
        queue->slots[length + i] = envelopes[i];
    al_u32_store_relaxed(&queue->length, length + n); /* relaxed: as in put */
}

/*
 * Exchange the empty queue `local` for a full one: O(1), no message moves. Returns how many
 * messages now lie in local's slots. local's length stays 0 (3): only its taker asks, and knows it,
 * so that a gulp stores no more than it must.
 */
static inline uint32_t al_copy_queue_gulp_serial(struct al_copy_queue *local,
                                                 struct al_copy_queue *full)
{
    uint32_t used = al_copy_queue_length(full);
    struct al_envelope *slots = local->slots;
    uint32_t capacity = local->capacity;
    local->slots = full->slots;
    local->capacity = full->capacity;
    full->slots = slots;
    full->capacity = capacity;
    al_u32_store_relaxed(&full->length, 0); /* relaxed: as in put */
    return used;
}

#endif
