/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_CHASE_LEV_H
#define AL_DEQUE_CHASE_LEV_H

/*
 * The work-stealing deque of Chase and Lev: the owner works at the bottom without an atomic
 * read-modify-write, unless it takes the last item; thieves take the oldest item by a CAS of top.
 * Source: Chase, Lev: Dynamic circular work-stealing deque (SPAA 2005); memory orders after Lê,
 * Pop, Cohen, Zappa Nardelli: Correct and efficient work-stealing for weak memory models (PPoPP
 * 2013).
 *
 * Invariants
 *   (1) items at index i for top <= i < bottom; top never decreases
 *   (2) an item is taken by whoever moves top past it, or by the owner if it lowers bottom past it
 *       and, after a fence, still finds top <= that index; for the last item the owner must win the
 *       CAS of top too
 *   (3) an outgrown ring is kept until the end, since a thief may still read it
 *
 * Concurrency            push_owner   take_bottom_owner   take_top_any   length
 *   push_owner           no           no                  yes            yes
 *   take_bottom_owner    no           no                  yes            yes
 *   take_top_any         yes          yes                 yes            yes
 *   length               yes          yes                 yes            yes
 * Operations that end in _owner are the owner's; any thread, the owner too, may call the others.
 */

#include <stdbool.h>
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
    struct al_chase_lev_ring *ring = al_malloc(sizeof *ring + slots * sizeof *ring->slots);
    if (ring == NULL)
        al_out_of_memory("a deque", slots * sizeof *ring->slots);
    ring->mask = slots - 1;
    ring->outgrown = NULL;
    return ring;
}

static inline void al_deque_chase_lev_init(struct al_deque_chase_lev *deque, uint64_t slots)
{
    /* Indices begin at 1, so that bottom - 1 of an empty deque is not below 0. */
    al_u64_store_relaxed(&deque->bottom, 1); /* relaxed, all: nobody else knows the deque yet */
    al_u64_store_relaxed(&deque->top, 1);
    al_ptr_store_relaxed(&deque->ring, al_chase_lev_ring_new(slots));
}

static inline void al_deque_chase_lev_fini(struct al_deque_chase_lev *deque)
{
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring);
    while (ring != NULL) {
        struct al_chase_lev_ring *outgrown = ring->outgrown;
        al_free(ring);
        ring = outgrown;
    }
}

/* A hint. Any thread. */
static inline uint64_t al_deque_chase_lev_length(const struct al_deque_chase_lev *deque)
{
    /* relaxed: nobody takes an item because of it */
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > top ? bottom - top : 0;
}

static inline struct al_chase_lev_ring *
al_deque_chase_lev_grow_owner(struct al_deque_chase_lev *deque, uint64_t top, uint64_t bottom)
{
    struct al_chase_lev_ring *old = al_ptr_load_relaxed(&deque->ring);
    struct al_chase_lev_ring *ring = al_chase_lev_ring_new(2 * (old->mask + 1));
    for (uint64_t i = top; i != bottom; i++)
        al_ptr_store_relaxed(&ring->slots[i & ring->mask],
                             al_ptr_load_relaxed(&old->slots[i & old->mask]));
    ring->outgrown = old;
    /* release: partner is the acquire of ring in take_top_any, which would otherwise read slots of
     * the new ring before they were filled */
    al_ptr_store_release(&deque->ring, ring);
    return ring;
}

static inline void al_deque_chase_lev_push_owner(struct al_deque_chase_lev *deque, void *item)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom); /* relaxed: only the owner writes it */
    /* acquire: partner is the CAS of top in take_top_any. Without it this push could fill a slot
     * before the thief that took the former item from it has read it. */
    uint64_t top = al_u64_load_acquire(&deque->top);
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring); /* relaxed: own */
    if (__builtin_expect(bottom - top > ring->mask, 0))
        ring = al_deque_chase_lev_grow_owner(deque, top, bottom);
    al_ptr_store_relaxed(&ring->slots[bottom & ring->mask], item);
    /* release: partner is the acquire of bottom in take_top_any, which would otherwise see the
     * index before the item */
    al_u64_store_release(&deque->bottom, bottom + 1);
}

/* The newest item, or NULL if there is none. */
static inline void *al_deque_chase_lev_take_bottom_owner(struct al_deque_chase_lev *deque)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    /* An empty deque costs no fence: top never decreases, so what looks empty to the owner is. */
    if (al_u64_load_relaxed(&deque->top) == bottom)
        return NULL;
    bottom--;
    struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->ring);
    al_u64_store_relaxed(&deque->bottom, bottom);
    /* Partner: the fence in take_top_any. The owner has lowered bottom and reads top, the thief has
     * read top and reads bottom: without the fences both could miss the other's claim and take the
     * same item. */
    al_fence_seq_cst();
    uint64_t top = al_u64_load_relaxed(&deque->top);
    void *item = NULL;
    if (top <= bottom) {
        item = al_ptr_load_relaxed(&ring->slots[bottom & ring->mask]);
        if (top < bottom)
            return item;
        /* The last item, and thieves may be after it. acq_rel: as in take_top_any */
        if (!al_u64_cas_acq_rel(&deque->top, &top, top + 1))
            item = NULL;
    }
    al_u64_store_relaxed(&deque->bottom, bottom + 1);
    return item;
}

/* The oldest item; NULL if there is none, or if another thread took it first (*lost is then true).
 */
static inline void *al_deque_chase_lev_take_top_any(struct al_deque_chase_lev *deque, bool *lost)
{
    *lost = false;
    /* acquire: bottom is read after top. A bottom older than top could count items that are
     * gone. */
    uint64_t top = al_u64_load_acquire(&deque->top);
    al_fence_seq_cst(); /* partner: the fence in take_bottom_owner */
    /* acquire: partner is the release of bottom in push_owner, publishes the item */
    uint64_t bottom = al_u64_load_acquire(&deque->bottom);
    if (bottom <= top)
        return NULL;
    /* acquire: partner is the release of ring in grow_owner, publishes the slots */
    struct al_chase_lev_ring *ring = al_ptr_load_acquire(&deque->ring);
    void *item = al_ptr_load_relaxed(&ring->slots[top & ring->mask]);
    /* release: partner is the acquire of top in push_owner: the slot has been read, and may be
     * filled again. Relaxed slots: an item that was overwritten meanwhile is dropped, since the CAS
     * fails. */
    if (!al_u64_cas_acq_rel(&deque->top, &top, top + 1)) {
        *lost = true;
        return NULL;
    }
    return item;
}

#endif
