/* SPDX-License-Identifier: MIT */
#ifndef AL_BLOCKING_H
#define AL_BLOCKING_H

/*
 * Locks that put their waiters to sleep: a mutex, a condition variable, a semaphore. They are made
 * of al_park, so that they run on the virtual engine too, which finds wake-ups that can be lost.
 *
 * All zero is a free mutex, a condition nobody waits for, a semaphore of value 0. Any thread may
 * call any of these.
 */

#include "core/sync/sync.h"

enum al_mutex_state {
    AL_MUTEX_FREE,
    AL_MUTEX_HELD,
    AL_MUTEX_WANTED, /* held, and somebody may sleep for it */
};

struct al_mutex {
    struct al_atomic_u32 state; /* enum al_mutex_state */
};

/* Behind al_mutex_lock: wait until nobody holds it, and take it. */
void al_mutex_wait(struct al_mutex *mutex);

static inline void al_mutex_lock(struct al_mutex *mutex)
{
    uint32_t expected = AL_MUTEX_FREE;
    /* acquire: partner is the release in al_mutex_unlock. Without it what follows could read what
     * the mutex protects as it was before the last holder changed it. */
    if (__builtin_expect(!al_u32_cas_acquire(&mutex->state, &expected, AL_MUTEX_HELD), 0))
        al_mutex_wait(mutex);
}

static inline void al_mutex_unlock(struct al_mutex *mutex)
{
    /* acq_rel, of which the release matters: without it the mutex could look free before the writes
     * made under it are seen. Partner is the acquire of whoever locks next. */
    if (__builtin_expect(al_u32_exchange_acq_rel(&mutex->state, AL_MUTEX_FREE) == AL_MUTEX_WANTED,
                         0))
        al_unpark(&mutex->state, 1);
}

struct al_condition {
    struct al_atomic_u32 signals; /* changes with each signal, so that none is missed */
};

/* Release the mutex, sleep until signalled, take the mutex. May return early: look again. */
void al_condition_wait(struct al_condition *condition, struct al_mutex *mutex);
/* The same for at most so many ns. */
void al_condition_wait_for(struct al_condition *condition, struct al_mutex *mutex, uint64_t ns);
/* Wake up to count waiters. With the mutex held, or after a change made under it. */
void al_condition_signal(struct al_condition *condition, uint32_t count);

struct al_semaphore {
    struct al_atomic_u32 value;
};

/* Wait until the value is positive, then take one. One waiter at a time. */
void al_semaphore_wait(struct al_semaphore *semaphore);
/* The same for at most so many ns; false: it has none, and may have waited for less. */
bool al_semaphore_wait_for(struct al_semaphore *semaphore, uint64_t ns);
void al_semaphore_post(struct al_semaphore *semaphore);

#endif
