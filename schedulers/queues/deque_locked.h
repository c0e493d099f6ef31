/* SPDX-License-Identifier: MIT */
#ifndef AL_DEQUE_LOCKED_H
#define AL_DEQUE_LOCKED_H

/*
 * A double-ended queue with a spinlock for each end, as CAF has it (manual, section "Work
 * Stealing": "a double-ended queue … synchronized with two spinlocks"). CAF links nodes; this one
 * is a ring that grows, so that nothing is allocated per item.
 *
 * Invariants
 *   (1) items at index i for top <= i < bottom; 0 <= bottom - top <= slots
 *   (2) top is written with top_lock held, bottom with bottom_lock held, the ring's slots and mask
 *       are replaced with both
 *   (3) locks are taken in the order bottom_lock, top_lock
 *
 * Concurrency       push_bottom   take_bottom   push_top   take_top   length
 *   push_bottom     bottom        bottom        bottom     yes        yes
 *   take_bottom     bottom        bottom        bottom     yes        yes
 *   push_top        bottom        bottom        both       top        yes
 *   take_top        yes           yes           top        top        yes
 * Any thread may call any of them at any time (_mpmc). "bottom", "top", "both": these calls wait
 * for each other at that lock. The functions that end in _by take the kind of lock, the same in all
 * calls for a deque; NULL, a constant, is the default, which pays nothing for the choice. It is
 * none that needs the thread's number.
 *
 * Why one end may take an item under its own lock alone if it sees at least two: suppose that both
 * ends took item i. Then the bottom's end found top <= i - 1 after its fence, although the top's
 * end took i, so had top = i before; and the top's end found bottom >= i + 2 after its fence,
 * although the bottom's end took i, so had bottom = i + 1 before. Each wrote its own index before
 * its fence and read the other's after it, so at least one of the two reads had to see the other's
 * write: a contradiction. With fewer than two items in sight, both locks are taken. A push reads
 * the other index too, but only to see whether the ring is full, and a stale value errs on the safe
 * side.
 */

#include <stdbool.h>

#include "core/sync/lock.h"
#include "core/sync/sync.h"
#include "schedulers/queues/ring.h"

struct al_deque_locked {
    _Alignas(2 * AL_CACHE_LINE_BYTES) union al_lock bottom_lock;
    struct al_atomic_u64 bottom;
    _Alignas(2 * AL_CACHE_LINE_BYTES) union al_lock top_lock;
    struct al_atomic_u64 top;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_ring ring;
};

/* Where the indices begin: far from 0, since push_top counts down. */
#define AL_DEQUE_ORIGIN ((uint64_t)1 << 62)

/* slots: a power of two; the ring grows when it is full. */
static inline void al_deque_locked_init(struct al_deque_locked *deque, uint64_t slots)
{
    *deque = (struct al_deque_locked){0};
    al_ring_init(&deque->ring, slots);
    al_u64_store_relaxed(&deque->bottom, AL_DEQUE_ORIGIN);
    al_u64_store_relaxed(&deque->top, AL_DEQUE_ORIGIN);
}

static inline void al_deque_locked_fini(struct al_deque_locked *deque)
{
    al_ring_fini(&deque->ring);
}

/* A hint. Any thread. */
static inline uint64_t al_deque_locked_length(const struct al_deque_locked *deque)
{
    /* relaxed, here and for an end's own index below: (2) orders an index for whoever holds its
     * lock, and a length without locks is a guess anyway */
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    return bottom > top ? bottom - top : 0;
}

static inline __attribute__((always_inline)) void
al_deque_locked_lock(union al_lock *lock, const struct al_lock_choice *chosen)
{
    if (chosen == NULL)
        al_spinlock_lock(&lock->spin);
    else
        al_lock_take(chosen, lock, 0);
}

static inline __attribute__((always_inline)) void
al_deque_locked_unlock(union al_lock *lock, const struct al_lock_choice *chosen)
{
    if (chosen == NULL)
        al_spinlock_unlock(&lock->spin);
    else
        al_lock_release(chosen, lock, 0);
}

static inline __attribute__((always_inline)) void
al_deque_locked_push_bottom_by(struct al_deque_locked *deque, void *item,
                               const struct al_lock_choice *chosen)
{
    al_deque_locked_lock(&deque->bottom_lock, chosen);
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    /* acquire: partner is the release of top in take_top_mpmc. Without it this push could fill a
     * slot before the thread that took the former item from it has read it. */
    if (__builtin_expect(bottom - al_u64_load_acquire(&deque->top) > deque->ring.mask, 0)) {
        al_deque_locked_lock(&deque->top_lock, chosen);
        uint64_t top = al_u64_load_relaxed(&deque->top);
        if (bottom - top > deque->ring.mask)
            al_ring_grow_serial(&deque->ring, top, bottom);
        al_deque_locked_unlock(&deque->top_lock, chosen);
    }
    *al_ring_at(&deque->ring, bottom) = item;
    /* release: partner is the acquire of bottom in take_top_mpmc, which would otherwise see the
     * index before the item */
    al_u64_store_release(&deque->bottom, bottom + 1);
    al_deque_locked_unlock(&deque->bottom_lock, chosen);
}

static inline __attribute__((always_inline)) void
al_deque_locked_push_top_by(struct al_deque_locked *deque, void *item,
                            const struct al_lock_choice *chosen)
{
    /* Both locks: putting an item behind the others is rare, and needs no argument this way. */
    al_deque_locked_lock(&deque->bottom_lock, chosen);
    al_deque_locked_lock(&deque->top_lock, chosen);
    uint64_t top = al_u64_load_relaxed(&deque->top), bottom = al_u64_load_relaxed(&deque->bottom);
    if (bottom - top > deque->ring.mask)
        al_ring_grow_serial(&deque->ring, top, bottom);
    *al_ring_at(&deque->ring, top - 1) = item;
    al_u64_store_relaxed(&deque->top, top - 1); /* relaxed: whoever takes this item takes a lock */
    al_deque_locked_unlock(&deque->top_lock, chosen);
    al_deque_locked_unlock(&deque->bottom_lock, chosen);
}

/* The item pushed to the bottom last, or NULL if there is none. */
static inline __attribute__((always_inline)) void *
al_deque_locked_take_bottom_by(struct al_deque_locked *deque, const struct al_lock_choice *chosen)
{
    if (al_deque_locked_length(deque) == 0)
        return NULL;
    al_deque_locked_lock(&deque->bottom_lock, chosen);
    /* Partner: the fence in take_top_mpmc. Without it both ends could miss each other's last write
     * and take the same item; see above. */
    al_fence_seq_cst();
    uint64_t bottom = al_u64_load_relaxed(&deque->bottom);
    /* relaxed: who pushed the item held this lock, too */
    bool both = bottom - al_u64_load_relaxed(&deque->top) < 2;
    void *item = NULL;
    if (both)
        al_deque_locked_lock(&deque->top_lock, chosen);
    if (!both || bottom != al_u64_load_relaxed(&deque->top)) {
        item = *al_ring_at(&deque->ring, bottom - 1);
        /* relaxed: the fence publishes the items that are left, for the acquire in take_top_mpmc;
         * who fills this slot again takes the lock */
        al_u64_store_relaxed(&deque->bottom, bottom - 1);
    }
    if (both)
        al_deque_locked_unlock(&deque->top_lock, chosen);
    al_deque_locked_unlock(&deque->bottom_lock, chosen);
    return item;
}

/* The oldest item of those pushed to the bottom, or NULL if there is none. */
static inline __attribute__((always_inline)) void *
al_deque_locked_take_top_by(struct al_deque_locked *deque, const struct al_lock_choice *chosen)
{
    if (al_deque_locked_length(deque) == 0)
        return NULL;
    al_deque_locked_lock(&deque->top_lock, chosen);
    al_fence_seq_cst(); /* partner: the fence in take_bottom_mpmc */
    uint64_t top = al_u64_load_relaxed(&deque->top);
    void *item = NULL;
    /* acquire: partner is the release of bottom in push_bottom_mpmc, publishes the item */
    if (al_u64_load_acquire(&deque->bottom) - top >= 2) {
        item = *al_ring_at(&deque->ring, top);
        /* release: partner is the acquire in push_bottom_mpmc, which fills this slot again */
        al_u64_store_release(&deque->top, top + 1);
        al_deque_locked_unlock(&deque->top_lock, chosen);
        return item;
    }
    al_deque_locked_unlock(&deque->top_lock, chosen); /* (3) */
    al_deque_locked_lock(&deque->bottom_lock, chosen);
    al_deque_locked_lock(&deque->top_lock, chosen);
    top = al_u64_load_relaxed(&deque->top);
    if (al_u64_load_relaxed(&deque->bottom) != top) {
        item = *al_ring_at(&deque->ring, top);
        al_u64_store_relaxed(&deque->top, top + 1); /* relaxed: a push takes the bottom's lock */
    }
    al_deque_locked_unlock(&deque->top_lock, chosen);
    al_deque_locked_unlock(&deque->bottom_lock, chosen);
    return item;
}

/* The same with the default lock. */

static inline void al_deque_locked_push_bottom_mpmc(struct al_deque_locked *deque, void *item)
{
    al_deque_locked_push_bottom_by(deque, item, NULL);
}

static inline void al_deque_locked_push_top_mpmc(struct al_deque_locked *deque, void *item)
{
    al_deque_locked_push_top_by(deque, item, NULL);
}

static inline void *al_deque_locked_take_bottom_mpmc(struct al_deque_locked *deque)
{
    return al_deque_locked_take_bottom_by(deque, NULL);
}

static inline void *al_deque_locked_take_top_mpmc(struct al_deque_locked *deque)
{
    return al_deque_locked_take_top_by(deque, NULL);
}

#endif
