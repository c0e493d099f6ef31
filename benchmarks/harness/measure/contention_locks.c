/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/contention.h: three textbook locks around a counter in another
 * line. Each acquires in lock and releases in unlock, whose partner is the next holder's lock.
 *
 * Source of the queue lock: Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
 * shared-memory multiprocessors" (1991).
 */

#include "benchmarks/harness/measure/contention.h"

static inline void count_pausing(struct al_atomic_u32 *held, uint64_t *counter)
{
    do {
        while (al_u32_load_relaxed(held) != 0) /* relaxed: the exchange acquires */
            al_pause_unchanged(AL_ALWAYS);
    } while (al_u32_exchange_acquire(held, 1) != 0);
    ++*counter;
    al_u32_store_release(held, 0);
}

void al_contention_pause_lock(struct al_contender *self)
{
    struct al_contended *shared = self->shared;
    AL_CONTENTION_REPEAT(self, count_pausing(&shared->guarded.lock.held, &shared->counter));
}

static inline void count_by_ticket(struct al_contended *shared)
{
    uint64_t ticket = al_u64_add_relaxed(&shared->ticket.next, 1); /* the loads below acquire */
    while (al_u64_load_acquire(&shared->ticket.served) != ticket)
        al_pause_unchanged(AL_ALWAYS);
    shared->counter++;
    al_u64_store_release(&shared->ticket.served, ticket + 1);
}

void al_contention_ticket_lock(struct al_contender *self)
{
    struct al_contended *shared = self->shared;
    AL_CONTENTION_REPEAT(self, count_by_ticket(shared));
}

static void lock_mcs(struct al_contender *self)
{
    al_ptr_store_relaxed(&self->behind, NULL); /* relaxed: published by the exchange */
    al_u32_store_relaxed(&self->waits, 1);     /* likewise */
    struct al_contender *before = al_ptr_exchange_acq_rel(&self->shared->tail, self);
    if (before == NULL)
        return;
    al_ptr_store_release(&before->behind, self); /* partner: acquire in unlock_mcs */
    while (al_u32_load_acquire(&self->waits) != 0)
        al_pause_unchanged(AL_ALWAYS);
}

static void unlock_mcs(struct al_contender *self)
{
    struct al_contender *behind = al_ptr_load_acquire(&self->behind);
    if (behind == NULL) {
        void *expected = self;
        if (al_ptr_cas_acq_rel(&self->shared->tail, &expected, NULL))
            return;
        while ((behind = al_ptr_load_acquire(&self->behind)) == NULL)
            al_pause_unchanged(AL_ALWAYS);
    }
    al_u32_store_release(&behind->waits, 0);
}

static inline void count_in_queue(struct al_contender *self, uint64_t *counter)
{
    lock_mcs(self);
    ++*counter;
    unlock_mcs(self);
}

void al_contention_mcs_lock(struct al_contender *self)
{
    uint64_t *counter = &self->shared->counter;
    AL_CONTENTION_REPEAT(self, count_in_queue(self, counter));
}
