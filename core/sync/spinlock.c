/* SPDX-License-Identifier: MIT */
#include "core/sync/spinlock.h"

#include "core/sync/sync.h"

/* A holder that lost its processor is not coming back soon: after this many looks, yield ours. */
#define LOOKS_BEFORE_YIELD 256

uint32_t al_spin(uint32_t looks)
{
    uint32_t left = LOOKS_BEFORE_YIELD - 1 - looks % LOOKS_BEFORE_YIELD;
    looks += 1 + (uint32_t)al_pause_unchanged(left);
    if (looks % LOOKS_BEFORE_YIELD == 0)
        al_yield();
    return looks;
}

void al_spinlock_wait(struct al_spinlock *lock)
{
    al_lock_waited();
    uint32_t looks = 0, pauses = AL_BACKOFF_LEAST;
    do {
        for (uint32_t i = 0; i < pauses; i++)
            al_pause();
        if (pauses < AL_BACKOFF_MOST)
            pauses *= 2;
        /* relaxed: only decides when to try again; the exchange below acquires, as in
         * al_spinlock_lock */
        while (al_u32_load_relaxed(&lock->held) != AL_SPINLOCK_FREE)
            looks = al_spin(looks);
    } while (al_u32_exchange_acquire(&lock->held, AL_SPINLOCK_HELD) != AL_SPINLOCK_FREE);
}
