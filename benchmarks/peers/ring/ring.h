/* SPDX-License-Identifier: MIT */
#ifndef AL_PEER_RING_H
#define AL_PEER_RING_H

/*
 * One FIFO ring of envelopes, and free lists for small blocks. All of it belongs to one thread, and
 * nobody else looks at it.
 *
 *     head == tail: the ring is empty; a put that makes them equal finds it full, and enlarges it
 *     head ... tail, cyclically: the envelopes to deliver, the oldest first
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/envelope.h"
#include "core/source.h"

/* Blocks of up to so many bytes have free lists, one for each multiple of 16. */
#define AL_PEER_RING_SMALL   64
#define AL_PEER_RING_CLASSES (AL_PEER_RING_SMALL / 16 + 1)

struct al_peer_block {
    struct al_peer_block *next;
};

struct al_peer_ring {
    struct al_envelope *begin, *end; /* the slots */
    struct al_envelope *head, *tail; /* the next to deliver, and to fill */
    size_t small; /* blocks of up to so many bytes have lists; 0: all are malloc's */
    struct al_peer_block *blocks[AL_PEER_RING_CLASSES];
};

/* The thread's own, as a worker is in the runtime. */
extern _Thread_local struct al_peer_ring al_peer_ring;

/* Before the first put, and after all else. Memory stays from one iteration to the next; blocks do,
 * too, unless they are malloc's. */
void al_peer_ring_init(enum al_source source);
void al_peer_ring_fini(void);

/* Deliver until nothing is left. Returns how many messages were delivered. */
uint64_t al_peer_ring_run(void);

/* Enlarge a full ring. */
void al_peer_ring_grow(void);

/* A block of malloc(class * 16). */
void *al_peer_ring_malloc(size_t class);

static inline void al_peer_ring_put(struct al_actor *actor, struct al_message *message,
                                    al_behaviour *behaviour)
{
    struct al_peer_ring *ring = &al_peer_ring;
    struct al_envelope *tail = ring->tail;
    *tail = (struct al_envelope){actor, message, behaviour};
    if (++tail == ring->end)
        tail = ring->begin;
    ring->tail = tail;
    if (__builtin_expect(tail == ring->head, 0))
        al_peer_ring_grow();
}

/* Like malloc(); free() takes the block, too. */
static inline void *al_peer_ring_take(size_t bytes)
{
    if (bytes > al_peer_ring.small)
        return malloc(bytes);
    size_t class = (bytes + 15) / 16;
    struct al_peer_block *block = al_peer_ring.blocks[class];
    if (__builtin_expect(block == NULL, 0))
        return al_peer_ring_malloc(class);
    al_peer_ring.blocks[class] = block->next;
    return block;
}

/* Give back a block of so many bytes. */
static inline void al_peer_ring_give(void *memory, size_t bytes)
{
    if (bytes > al_peer_ring.small) {
        free(memory);
        return;
    }
    struct al_peer_block *block = memory, **list = &al_peer_ring.blocks[(bytes + 15) / 16];
    block->next = *list;
    *list = block;
}

#endif
