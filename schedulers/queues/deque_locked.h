/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_LOCKED_H
#define AL_DEQUE_LOCKED_H

/*
 * A double-ended queue with a spinlock for each end, as CAF has it (manual, section "Work Stealing": "a
 * double-ended queue … synchronized with two spinlocks"). CAF links nodes; this one is a ring that
 * grows, so that nothing is allocated per item and both ends are O(1).
 *
 * Invariants
 *   items at ring[i & mask] for top <= i < bottom;  0 <= bottom - top <= mask + 1
 *   top is written with top_lock held, bottom with bottom_lock held, ring and mask with both
 *   locks are taken in the order bottom_lock, top_lock
 *
 * Concurrency     push_bottom  take_bottom  push_top  take_top  length
 *   push_bottom   bottom       bottom       yes       yes       yes      "bottom", "top": that lock
 *   take_bottom   bottom       bottom       yes       yes       yes      serialises them
 *   push_top      yes          yes          top       top       yes
 *   take_top      yes          yes          top       top       yes
 * Any thread may call any of them.
 *
 * Why an end may take without the other's lock if it sees two items: suppose both ends took the item i.
 * Then bottom's end had made bottom = i + 1 before it read top <= i - 1, and top's end had made top = i
 * before it read bottom >= i + 2 (of the same filling of that slot). Each put a fence between the two
 * steps, so one of the reads must have seen the other's write: a contradiction. With fewer than two in
 * sight, both locks are taken. A push reads the other index too, but only to see whether the ring is full, and a
 * late value errs on the safe side.
 */

#include <stdlib.h>

#include "core/error.h"
#include "core/sync/sync.h"

struct al_deque_locked {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock bottom_lock;
    struct al_atomic_u64 bottom;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock top_lock;
    struct al_atomic_u64 top;
    _Alignas(2 * AL_CACHE_LINE_BYTES) void **ring;
    uint64_t mask; /* slots - 1; a power of two */
};

static inline void **al_ring_new(uint64_t slots)
{
    void **ring = malloc(slots * sizeof *ring);
    if (ring == NULL)
        al_out_of_memory("a deque", slots * sizeof *ring);
    return ring;
}

/* Where the indices begin: far from 0, since push_top counts down. */
#define AL_DEQUE_ORIGIN ((uint64_t)1 << 62)

static inline void al_deque_locked_init(struct al_deque_locked *deque, uint64_t slots)
{
    *deque = (struct al_deque_locked){.ring = al_ring_new(slots), .mask = slots - 1};
    al_u64_store_relaxed(&deque->bottom, AL_DEQUE_ORIGIN);
    al_u64_store_relaxed(&deque->top, AL_DEQUE_ORIGIN);
}

static inline void al_deque_locked_fini(struct al_deque_locked *deque)
{
    free(deque->ring);
}

/* A guess. Relaxed, here and below: the locks order what matters. */
static inline uint64_t al_deque_locked_length(const struct al_deque_locked *deque)
{
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > top ? bottom - top : 0;
}

/* With both locks held. */
static inline void al_deque_locked_grow(struct al_deque_locked *deque)
{
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    uint64_t mask = 2 * deque->mask + 1;
    void **ring = al_ring_new(mask + 1);
    for (uint64_t i = top; i != bottom; i++)
        ring[i & mask] = deque->ring[i & deque->mask];
    free(deque->ring);
    deque->ring = ring;
    deque->mask = mask;
}

static inline void al_deque_locked_push_bottom(struct al_deque_locked *deque, void *item)
{
    al_spinlock_lock(&deque->bottom_lock);
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    /* acquire, here and below: partner is the release of the other index; the slot has been read, or
     * written, by the other end */
    if (__builtin_expect(bottom - al_u64_load_acquire(&deque->top) > deque->mask, 0)) {
        al_spinlock_lock(&deque->top_lock);
        if (bottom - al_u64_load_relaxed(&deque->top) > deque->mask)
            al_deque_locked_grow(deque);
        al_spinlock_unlock(&deque->top_lock);
    }
    deque->ring[bottom & deque->mask] = item;
    al_u64_store_release(&deque->bottom, bottom + 1);
    al_spinlock_unlock(&deque->bottom_lock);
}

static inline void al_deque_locked_push_top(struct al_deque_locked *deque, void *item)
{
    /* Both locks: putting an item behind the others is rare, and one rule less to argue about. */
    al_spinlock_lock(&deque->bottom_lock);
    al_spinlock_lock(&deque->top_lock);
    uint64_t top = al_u64_load_relaxed(&deque->top);
    if (al_u64_load_relaxed(&deque->bottom) - top > deque->mask)
        al_deque_locked_grow(deque);
    deque->ring[(top - 1) & deque->mask] = item;
    al_u64_store_release(&deque->top, top - 1);
    al_spinlock_unlock(&deque->top_lock);
    al_spinlock_unlock(&deque->bottom_lock);
}

/* NULL if there is none. */
static inline void *al_deque_locked_take_bottom(struct al_deque_locked *deque)
{
    if (al_deque_locked_length(deque) == 0)
        return NULL;
    al_spinlock_lock(&deque->bottom_lock);
    al_fence_seq_cst(); /* partner: the fence in al_deque_locked_take_top */
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    bool both = bottom - al_u64_load_acquire(&deque->top) < 2;
    void *item = NULL;
    if (both)
        al_spinlock_lock(&deque->top_lock);
    if (!both || bottom != al_u64_load_relaxed(&deque->top)) {
        item = deque->ring[(bottom - 1) & deque->mask];
        al_u64_store_release(&deque->bottom, bottom - 1);
    }
    if (both)
        al_spinlock_unlock(&deque->top_lock);
    al_spinlock_unlock(&deque->bottom_lock);
    return item;
}

/* NULL if there is none. */
static inline void *al_deque_locked_take_top(struct al_deque_locked *deque)
{
    if (al_deque_locked_length(deque) == 0)
        return NULL;
    al_spinlock_lock(&deque->top_lock);
    al_fence_seq_cst(); /* partner: the fence in al_deque_locked_take_bottom */
    uint64_t top = al_u64_load_relaxed(&deque->top);
    void *item = NULL;
    if (al_u64_load_acquire(&deque->bottom) - top >= 2) {
        item = deque->ring[top & deque->mask];
        al_u64_store_release(&deque->top, top + 1);
        al_spinlock_unlock(&deque->top_lock);
        return item;
    }
    al_spinlock_unlock(&deque->top_lock); /* the order of the locks */
    al_spinlock_lock(&deque->bottom_lock);
    al_spinlock_lock(&deque->top_lock);
    top = al_u64_load_relaxed(&deque->top);
    if (al_u64_load_relaxed(&deque->bottom) != top) {
        item = deque->ring[top & deque->mask];
        al_u64_store_release(&deque->top, top + 1);
    }
    al_spinlock_unlock(&deque->top_lock);
    al_spinlock_unlock(&deque->bottom_lock);
    return item;
}

#endif
