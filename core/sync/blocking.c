/* SPDX-License-Identifier: MIT */
#include "core/sync/blocking.h"

void al_mutex_wait(struct al_mutex *mutex)
{
    al_lock_waited();
    /* Whoever gets it this way marks it as wanted, since it cannot know whether others sleep.
     * acquire: as in al_mutex_lock */
    while (al_u32_exchange_acquire(&mutex->state, AL_MUTEX_WANTED) != AL_MUTEX_FREE)
        al_park(&mutex->state, AL_MUTEX_WANTED);
}

void al_condition_wait(struct al_condition *condition, struct al_mutex *mutex)
{
    /* relaxed: the mutex orders this read against a signal, which changes the word that al_park
     * compares */
    uint32_t signals = al_u32_load_relaxed(&condition->signals);
    al_mutex_unlock(mutex);
    al_park(&condition->signals, signals);
    al_mutex_lock(mutex);
}

void al_condition_wait_for(struct al_condition *condition, struct al_mutex *mutex, uint64_t ns)
{
    uint32_t signals = al_u32_load_relaxed(&condition->signals); /* relaxed: as above */
    al_mutex_unlock(mutex);
    al_park_for(&condition->signals, signals, ns);
    al_mutex_lock(mutex);
}

void al_condition_signal(struct al_condition *condition, uint32_t count)
{
    al_u32_add_relaxed(&condition->signals, 1); /* relaxed: see al_condition_wait */
    al_unpark(&condition->signals, count);
}

static bool try_take(struct al_semaphore *semaphore)
{
    uint32_t value = al_u32_load_relaxed(&semaphore->value);
    /* acquire: partner is the acq_rel in al_semaphore_post. Without it the waiter could read what
     * the poster wrote as it was before the post. */
    while (value > 0) {
        if (al_u32_cas_acquire(&semaphore->value, &value, value - 1))
            return true;
    }
    return false;
}

void al_semaphore_wait(struct al_semaphore *semaphore)
{
    while (!try_take(semaphore))
        al_park(&semaphore->value, 0);
}

bool al_semaphore_wait_for(struct al_semaphore *semaphore, uint64_t ns)
{
    if (try_take(semaphore))
        return true;
    al_park_for(&semaphore->value, 0, ns);
    return try_take(semaphore);
}

void al_semaphore_post(struct al_semaphore *semaphore)
{
    /* acq_rel, of which the release matters: without it the value could rise before the poster's
     * writes are seen; partner is the acquire in al_semaphore_wait. */
    al_u32_add_acq_rel(&semaphore->value, 1);
    al_unpark(&semaphore->value, 1);
}
