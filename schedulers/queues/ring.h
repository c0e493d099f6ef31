/* SPDX-License-Identifier: MIT */
#ifndef AL_RING_H
#define AL_RING_H

/*
 * The growing array behind a deque whose indices only wrap at 2^64: item i lies in slot i mod
 * slots.
 *
 * Invariants
 *   (1) the number of slots is a power of two; mask == slots - 1
 *   (2) at most `slots` successive indices are in use, so no two of them share a slot
 *
 * Concurrency: any threads may use different indices at once. The caller keeps every other thread
 * out while it calls al_ring_grow_serial.
 */

#include <stdint.h>

#include "core/error.h"
#include "core/sync/sync.h"

struct al_ring {
    void **slots;
    uint64_t mask;
};

/* slots: a power of two. Ends the program if there is no memory. */
static inline void al_ring_init(struct al_ring *ring, uint64_t slots)
{
    ring->slots = al_malloc(slots * sizeof *ring->slots);
    if (ring->slots == NULL)
        al_out_of_memory("a deque", slots * sizeof *ring->slots);
    ring->mask = slots - 1;
}

static inline void al_ring_fini(struct al_ring *ring)
{
    al_free(ring->slots);
}

static inline void **al_ring_at(const struct al_ring *ring, uint64_t index)
{
    return &ring->slots[index & ring->mask];
}

/* Double the slots; the items [first, end) keep their indices. */
static inline void al_ring_grow_serial(struct al_ring *ring, uint64_t first, uint64_t end)
{
    struct al_ring larger;
    al_ring_init(&larger, 2 * (ring->mask + 1));
    for (uint64_t i = first; i != end; i++)
        *al_ring_at(&larger, i) = *al_ring_at(ring, i);
    al_ring_fini(ring);
    *ring = larger;
}

static inline uint64_t al_ring_bytes(const struct al_ring *ring)
{
    return (ring->mask + 1) * sizeof *ring->slots;
}

#endif
