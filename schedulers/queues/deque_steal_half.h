/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_STEAL_HALF_H
#define AL_DEQUE_STEAL_HALF_H

/*
 * A deque of which a thief takes half: one steal spreads the work of a worker that creates all of it. The
 * next step that the Mercury text names (section "Steal half"). The structure is ours: the owner works at the
 * bottom without a lock as long as it does not meet a thief; thieves claim items at the top, one thief at a time,
 * under a lock.
 *
 * Invariants
 *   free <= top, bottom <= free + slots;  items at ring[i & mask] for top <= i < bottom
 *   a thief claims by raising top, then looks at bottom; the owner claims by lowering bottom, then looks at
 *     top; a fence between the two steps of each, so of two that claim one item at least one sees it. The
 *     thief that sees it takes its claim back; the owner that sees it takes its own back, waits for the lock
 *     and looks again, with no thief about
 *   slots below free have been read: only those are filled again
 *
 * Concurrency    push   take_bottom   take_top   steal_half   length
 *   push         no     no            yes        yes          yes     (push, take_bottom: the owner alone)
 *   take_bottom  no     no            yes        yes          yes
 *   take_top     yes    yes           lock       lock         yes
 *   steal_half   yes    yes           lock       lock         yes
 * ring and mask are changed by the owner with the lock held.
 */

#include "core/error.h"
#include "schedulers/queues/deque_locked.h"

/* What one steal takes at most: the thief holds the lock while it copies. */
#define AL_STEAL_MOST 64

struct al_deque_steal_half {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 bottom; /* the owner writes */
    void **ring;
    uint64_t mask;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock; /* thieves write */
    struct al_atomic_u64 top, free;
};

static inline void al_deque_steal_half_init(struct al_deque_steal_half *deque, uint64_t slots)
{
    *deque = (struct al_deque_steal_half){.ring = al_ring_new(slots), .mask = slots - 1};
    al_u64_store_relaxed(&deque->bottom, 1);
    al_u64_store_relaxed(&deque->top, 1);
    al_u64_store_relaxed(&deque->free, 1);
}

static inline void al_deque_steal_half_fini(struct al_deque_steal_half *deque)
{
    free(deque->ring);
}

/* A guess, with what a thief has claimed and may give back: an owner that is told 0 has nothing left. */
static inline uint64_t al_deque_steal_half_length(const struct al_deque_steal_half *deque)
{
    uint64_t free = al_u64_load_relaxed(&deque->free), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > free ? bottom - free : 0;
}

static inline void al_deque_steal_half_push(struct al_deque_steal_half *deque, void *item)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom); /* relaxed: own */
    /* acquire: partner is the release of free in al_deque_steal_half_claim; the slot has been read */
    if (__builtin_expect(bottom - al_u64_load_acquire(&deque->free) > deque->mask, 0)) {
        al_spinlock_lock(&deque->lock);
        uint64_t top = al_u64_load_relaxed(&deque->top), mask = 2 * deque->mask + 1;
        void **ring = al_ring_new(mask + 1);
        for (uint64_t i = top; i != bottom; i++)
            ring[i & mask] = deque->ring[i & deque->mask];
        free(deque->ring);
        deque->ring = ring;
        deque->mask = mask;
        al_spinlock_unlock(&deque->lock);
    }
    deque->ring[bottom & deque->mask] = item;
    /* release: partner is the acquire of bottom in al_deque_steal_half_claim, publishes the item */
    al_u64_store_release(&deque->bottom, bottom + 1);
}

/* The newest item, or NULL. */
static inline void *al_deque_steal_half_take_bottom(struct al_deque_steal_half *deque)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    if (al_deque_steal_half_length(deque) == 0)
        return NULL;
    bottom--;
    al_u64_store_relaxed(&deque->bottom, bottom);
    al_fence_seq_cst(); /* partner: the fence in al_deque_steal_half_claim */
    if (al_u64_load_relaxed(&deque->top) <= bottom)
        return deque->ring[bottom & deque->mask];
    al_u64_store_relaxed(&deque->bottom, bottom + 1);
    al_spinlock_lock(&deque->lock);
    void *item = NULL;
    if (al_u64_load_relaxed(&deque->top) <= bottom) {
        item = deque->ring[bottom & deque->mask];
        al_u64_store_relaxed(&deque->bottom, bottom);
    }
    al_spinlock_unlock(&deque->lock);
    return item;
}

/* With the lock held: copy up to n of the oldest items to items. Returns how many. */
static inline uint32_t al_deque_steal_half_claim(struct al_deque_steal_half *deque, void **items,
                                                 uint32_t n)
{
    uint64_t top = al_u64_load_relaxed(&deque->top); /* relaxed: under the lock */
    for (; n > 0; n /= 2) {
        al_u64_store_relaxed(&deque->top, top + n);
        al_fence_seq_cst(); /* partner: the fence in al_deque_steal_half_take_bottom */
        /* acquire: partner is the release in al_deque_steal_half_push */
        if (top + n <= al_u64_load_acquire(&deque->bottom))
            break;
    }
    if (n == 0)
        al_u64_store_relaxed(&deque->top, top);
    for (uint32_t i = 0; i < n; i++)
        items[i] = deque->ring[(top + i) & deque->mask];
    /* release: partner is the acquire in al_deque_steal_half_push */
    al_u64_store_release(&deque->free, top + n);
    return n;
}

/* The older half, rounded up, at most AL_STEAL_MOST. Returns how many. */
static inline uint32_t al_deque_steal_half_steal(struct al_deque_steal_half *deque, void **items)
{
    if (al_deque_steal_half_length(deque) == 0)
        return 0;
    al_spinlock_lock(&deque->lock);
    uint64_t half = (al_deque_steal_half_length(deque) + 1) / 2;
    uint32_t n = half < AL_STEAL_MOST ? (uint32_t)half : AL_STEAL_MOST;
    n = al_deque_steal_half_claim(deque, items, n);
    al_spinlock_unlock(&deque->lock);
    return n;
}

/* The oldest item, or NULL. Any thread. */
static inline void *al_deque_steal_half_take_top(struct al_deque_steal_half *deque)
{
    void *item = NULL;
    if (al_deque_steal_half_length(deque) == 0)
        return NULL;
    al_spinlock_lock(&deque->lock);
    if (al_deque_steal_half_claim(deque, &item, 1) == 0)
        item = NULL;
    al_spinlock_unlock(&deque->lock);
    return item;
}

#endif
