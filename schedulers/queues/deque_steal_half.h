/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_STEAL_HALF_H
#define AL_DEQUE_STEAL_HALF_H

/*
 * A deque of which a thief takes half, so that one steal spreads the work of a worker that creates
 * all of it. The Mercury text names this as further potential work and cites Hendler and Shavit
 * (2002); the structure is ours. The owner works at the bottom without a lock as long as it does
 * not meet a thief; thieves claim items at the top under a lock, one thief at a time.
 *
 * Invariants
 *   (1) items at index i for top <= i < bottom; free <= top; bottom <= free + slots
 *   (2) a thief claims items by raising top and looks at bottom after a fence; the owner claims one
 *       by lowering bottom and looks at top after a fence. Of two that claim one item at least one
 *       sees it: a thief then takes back its claim; the owner takes back its own, waits for the
 *       lock, and looks again while it keeps thieves out
 *   (3) slots of indices below free have been read; only those are filled again
 *   (4) the owner replaces the ring with the lock held
 *
 * Concurrency            push_owner   take_bottom_owner   take_top_any   take_half_any   length
 *   push_owner           no           no                  yes            yes             yes
 *   take_bottom_owner    no           no                  yes            yes             yes
 *   take_top_any         yes          yes                 lock           lock            yes
 *   take_half_any        yes          yes                 lock           lock            yes
 *   length               yes          yes                 yes            yes             yes
 * Operations that end in _owner are the owner's; any thread, the owner too, may call the others.
 * "lock": these calls wait for each other.
 */

#include "core/sync/sync.h"
#include "schedulers/queues/ring.h"

/* Most items of one steal: the thief holds the lock while it copies them. */
#define AL_STEAL_MOST 64

struct al_deque_steal_half {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 bottom; /* the owner writes */
    struct al_ring ring;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock; /* thieves write */
    struct al_atomic_u64 top, free;
};

static inline void al_deque_steal_half_init(struct al_deque_steal_half *deque, uint64_t slots)
{
    *deque = (struct al_deque_steal_half){.free = {0}};
    al_ring_init(&deque->ring, slots);
    al_u64_store_relaxed(&deque->bottom, 1); /* relaxed, all: nobody else knows the deque yet */
    al_u64_store_relaxed(&deque->top, 1);
    al_u64_store_relaxed(&deque->free, 1);
}

static inline void al_deque_steal_half_fini(struct al_deque_steal_half *deque)
{
    al_ring_fini(&deque->ring);
}

/* A hint, which includes what a thief has claimed and may give back: an owner that is told 0 has
 * nothing left. Any thread. */
static inline uint64_t al_deque_steal_half_length(const struct al_deque_steal_half *deque)
{
    /* relaxed: whoever takes an item because of it looks again in the order of (2) */
    uint64_t free = al_u64_load_relaxed(&deque->free), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > free ? bottom - free : 0;
}

static inline void al_deque_steal_half_push_owner(struct al_deque_steal_half *deque, void *item)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom); /* relaxed: only the owner writes it */
    /* acquire: partner is the release of free in claim. Without it this push could fill a slot
     * before the thief that claimed the former item has read it. */
    if (__builtin_expect(bottom - al_u64_load_acquire(&deque->free) > deque->ring.mask, 0)) {
        al_spinlock_lock(&deque->lock);
        al_ring_grow_serial(&deque->ring, al_u64_load_relaxed(&deque->top), bottom);
        al_spinlock_unlock(&deque->lock);
    }
    *al_ring_at(&deque->ring, bottom) = item;
    /* release: partner is the acquire of bottom in claim, which would otherwise see the index
     * before the item */
    al_u64_store_release(&deque->bottom, bottom + 1);
}

/* The newest item, or NULL if there is none. */
static inline void *al_deque_steal_half_take_bottom_owner(struct al_deque_steal_half *deque)
{
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    if (al_deque_steal_half_length(deque) == 0)
        return NULL;
    bottom--;
    al_u64_store_relaxed(&deque->bottom, bottom);
    /* Partner: the fence in claim. Without the two, owner and thief could both miss the other's
     * claim of one item (2). */
    al_fence_seq_cst();
    if (al_u64_load_relaxed(&deque->top) <= bottom) /* relaxed: the fence orders it */
        return *al_ring_at(&deque->ring, bottom);
    al_u64_store_relaxed(&deque->bottom, bottom + 1);
    al_spinlock_lock(&deque->lock);
    void *item = NULL;
    if (al_u64_load_relaxed(&deque->top) <= bottom) {
        item = *al_ring_at(&deque->ring, bottom);
        al_u64_store_relaxed(&deque->bottom, bottom);
    }
    al_spinlock_unlock(&deque->lock);
    return item;
}

/* Copy up to n of the oldest items to items; returns how many. With the lock held. */
static inline uint32_t al_deque_steal_half_claim_serial(struct al_deque_steal_half *deque,
                                                        void **items, uint32_t n)
{
    uint64_t top = al_u64_load_relaxed(&deque->top); /* relaxed: under the lock */
    for (; n > 0; n /= 2) {
        al_u64_store_relaxed(&deque->top, top + n);
        al_fence_seq_cst(); /* partner: the fence in take_bottom_owner */
        /* acquire: partner is the release of bottom in push_owner, publishes the items */
        if (top + n <= al_u64_load_acquire(&deque->bottom))
            break;
    }
    if (n == 0)
        al_u64_store_relaxed(&deque->top, top);
    for (uint32_t i = 0; i < n; i++)
        items[i] = *al_ring_at(&deque->ring, top + i);
    /* release: partner is the acquire of free in push_owner: the slots have been read (3) */
    al_u64_store_release(&deque->free, top + n);
    return n;
}

/* The older half of the items, rounded up, at most AL_STEAL_MOST. Returns how many. */
static inline uint32_t al_deque_steal_half_take_half_any(struct al_deque_steal_half *deque,
                                                         void **items)
{
    if (al_deque_steal_half_length(deque) == 0)
        return 0;
    al_spinlock_lock(&deque->lock);
    uint64_t half = (al_deque_steal_half_length(deque) + 1) / 2;
    uint32_t n = half < AL_STEAL_MOST ? (uint32_t)half : AL_STEAL_MOST;
    n = al_deque_steal_half_claim_serial(deque, items, n);
    al_spinlock_unlock(&deque->lock);
    return n;
}

/* The oldest item, or NULL if there is none. */
static inline void *al_deque_steal_half_take_top_any(struct al_deque_steal_half *deque)
{
    void *item = NULL;
    if (al_deque_steal_half_length(deque) == 0)
        return NULL;
    al_spinlock_lock(&deque->lock);
    if (al_deque_steal_half_claim_serial(deque, &item, 1) == 0)
        item = NULL;
    al_spinlock_unlock(&deque->lock);
    return item;
}

#endif
