/* SPDX-License-Identifier: MIT */
#ifndef AL_SPINLOCK_H
#define AL_SPINLOCK_H

/* Part of core/sync/sync.h: the lock for critical sections of a few instructions. */

#include "core/sync/atomic.h"

/*
 * Test-and-test-and-set. Fair enough for critical sections of a few instructions, and smaller than
 * any queue lock: it shares its cache line with what it protects.
 */
struct al_spinlock {
    struct al_atomic_u32 held; /* enum al_spinlock_state */
};

enum al_spinlock_state { AL_SPINLOCK_FREE, AL_SPINLOCK_HELD };

/* Behind al_spinlock_lock: wait until nobody holds it, and take it. */
void al_spinlock_wait(struct al_spinlock *lock);

/* After the n-th look of a loop that waits for one word: pause, now and then yield the processor.
 * Returns how many looks there have been, of which a virtual engine leaves out some. */
uint32_t al_spin(uint32_t looks);

/* Count a wait for a lock in the calling worker's counters (core/worker.c). */
void al_lock_waited(void);

static inline void al_spinlock_lock(struct al_spinlock *lock)
{
    /* acquire: partner is the release in al_spinlock_unlock. Without it what follows could read
     * what the lock protects as it was before the last holder changed it. */
    if (__builtin_expect(al_u32_exchange_acquire(&lock->held, AL_SPINLOCK_HELD) != AL_SPINLOCK_FREE,
                         0))
        al_spinlock_wait(lock);
}

/* False if somebody has it. */
static inline bool al_spinlock_try(struct al_spinlock *lock)
{
    /* acquire: as in al_spinlock_lock */
    return al_u32_exchange_acquire(&lock->held, AL_SPINLOCK_HELD) == AL_SPINLOCK_FREE;
}

static inline void al_spinlock_unlock(struct al_spinlock *lock)
{
    /* release: partner is the acquire in al_spinlock_lock. Without it the lock could look free
     * before the writes made under it are seen. */
    al_u32_store_release(&lock->held, AL_SPINLOCK_FREE);
}

#endif
