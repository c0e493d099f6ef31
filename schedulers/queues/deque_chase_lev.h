/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_CHASE_LEV_H
#define AL_DEQUE_CHASE_LEV_H

/*
 * The work-stealing deque of Chase and Lev: the owner works at the bottom without an atomic
 * read-modify-write, unless it takes the last item; thieves take the oldest item by a CAS of top.
 * Source: Chase, Lev: Dynamic circular work-stealing deque (SPAA 2005); memory orders after Lê, Pop, Cohen,
 * Zappa Nardelli: Correct and efficient work-stealing for weak memory models (PPoPP 2013).
 *
 * Invariants
 *   items at ring[i & mask] for top <= i < bottom; top only grows
 *   an item is taken by whoever moves top past it, or by the owner if it lowers bottom past it and, after a
 *     fence, still finds top <= that index; for the last item the owner must win the CAS of top too
 *   an outgrown ring is kept until the end, since a thief may still read it
 *
 * Concurrency    push   take_bottom   take_top   length
 *   push         no     no            yes        yes      (push, take_bottom: the owner alone)
 *   take_bottom  no     no            yes        yes
 *   take_top     yes    yes           yes        yes
 */

#include <stdlib.h>

#include "core/error.h"
#include "core/sync/sync.h"

struct al_chase_lev_ring {
    uint64_t mask; /* slots - 1; a power of two */
    struct al_chase_lev_ring *outgrown;
    struct al_atomic_ptr slots[];
};

struct al_deque_chase_lev {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 bottom; /* the owner writes */
    struct al_atomic_ptr ring;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 top; /* thieves write */
};

static inline struct al_chase_lev_ring *al_chase_lev_ring_new(uint64_t slots)
{
    struct al_chase_lev_ring *ring = malloc(sizeof *ring + slots * sizeof *ring->slots);
    if (ring == NULL)
        al_out_of_memory("a deque", slots * sizeof *ring->slots);
    ring->mask = slots - 1;
    ring->outgrown = NULL;
    return ring;
}

static inline void al_deque_chase_lev_init(struct al_deque_chase_lev *deque, uint64_t slots)
{
    /* Indices begin at 1, so that bottom - 1 of an empty deque is not below 0. */
    al_u64_store_relaxed(&deque->bottom, 1);
    al_u64_store_relaxed(&deque->top, 1);
    al_ptr_store_relaxed(&deque->ring, al_chase_lev_ring_new(slots));
}

static inline void al_deque_chase_lev_fini(struct al_deque_chase_lev *deque)
{
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring);
    while (ring != NULL) {
        struct al_chase_lev_ring *outgrown = ring->outgrown;
        free(ring);
        ring = outgrown;
    }
}

/* A guess. */
static inline uint64_t al_deque_chase_lev_length(const struct al_deque_chase_lev *deque)
{
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > top ? bottom - top : 0;
}

static inline struct al_chase_lev_ring *al_deque_chase_lev_grow(struct al_deque_chase_lev *deque,
                                                                uint64_t top, uint64_t bottom)
{
    struct al_chase_lev_ring *old = al_ptr_load_relaxed(&deque->ring);
    struct al_chase_lev_ring *ring = al_chase_lev_ring_new(2 * (old->mask + 1));
    for (uint64_t i = top; i != bottom; i++)
        al_ptr_store_relaxed(&ring->slots[i & ring->mask],
                             al_ptr_load_relaxed(&old->slots[i & old->mask]));
    ring->outgrown = old;
    /* release: partner is the acquire in al_deque_chase_lev_take_top, publishes the new slots */
    al_ptr_store_release(&deque->ring, ring);
    return ring;
}

static inline void al_deque_chase_lev_push(struct al_deque_chase_lev *deque, void *item)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom); /* relaxed: own */
    /* acquire: partner is the CAS of top; a slot is filled again only after its item was read */
    uint64_t top = al_u64_load_acquire(&deque->top);
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring); /* relaxed: own */
    if (__builtin_expect(bottom - top > ring->mask, 0))
        ring = al_deque_chase_lev_grow(deque, top, bottom);
    al_ptr_store_relaxed(&ring->slots[bottom & ring->mask], item);
    /* release: partner is the acquire of bottom in al_deque_chase_lev_take_top, publishes the item */
    al_u64_store_release(&deque->bottom, bottom + 1);
}

/* The newest item, or NULL. */
static inline void *al_deque_chase_lev_take_bottom(struct al_deque_chase_lev *deque)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    /* An empty deque costs no fence: top only grows, so what looks empty to the owner is. */
    if (al_u64_load_relaxed(&deque->top) == bottom)
        return NULL;
    bottom--;
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring);
    al_u64_store_relaxed(&deque->bottom, bottom);
    al_fence_seq_cst(); /* partner: the fence in take_top; one of the two sees the other's claim */
    uint64_t top = al_u64_load_relaxed(&deque->top);
    void *item = NULL;
    if (top <= bottom) {
        item = al_ptr_load_relaxed(&ring->slots[bottom & ring->mask]);
        if (top < bottom)
            return item;
        /* The last one: thieves may be after it. acq_rel: as in take_top */
        if (!al_u64_cas_acq_rel(&deque->top, &top, top + 1))
            item = NULL;
    }
    al_u64_store_relaxed(&deque->bottom, bottom + 1);
    return item;
}

/* The oldest item; NULL if there is none, or if another was faster (*lost is then true). */
static inline void *al_deque_chase_lev_take_top(struct al_deque_chase_lev *deque, bool *lost)
{
    *lost = false;
    /* acquire: keeps the reads in this order */
    uint64_t top = al_u64_load_acquire(&deque->top);
    al_fence_seq_cst(); /* partner: the fence in take_bottom */
    /* acquire: partner is the release in al_deque_chase_lev_push */
    uint64_t bottom = al_u64_load_acquire(&deque->bottom);
    if (bottom <= top)
        return NULL;
    /* acquire: partner is the release in al_deque_chase_lev_grow */
    struct al_chase_lev_ring *ring = al_ptr_load_acquire(&deque->ring);
    void *item = al_ptr_load_relaxed(&ring->slots[top & ring->mask]);
    /* release: partner is the acquire in push; the slot has been read */
    if (!al_u64_cas_acq_rel(&deque->top, &top, top + 1)) {
        *lost = true;
        return NULL;
    }
    return item;
}

#endif
