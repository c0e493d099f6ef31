/* SPDX-License-Identifier: MIT */
#ifndef AL_MAILBOX_H
#define AL_MAILBOX_H

/*
 * A mailbox of the inverted executor: the messages of many actors, and the right to deliver them.
 * Source: Cforall actors chapter, sections "Cforall Executor" and "Stealing Problem".
 *
 * Invariants
 *   (1) between al_mailbox_begin and al_mailbox_end one worker, the holder, delivers what it took;
 *       no other worker takes anything, and all that was taken before has been delivered before
 *   (2) incoming messages are taken in the order of their push
 *   (3) kept is touched by the holder alone
 *
 * Concurrency     push   begin   end     length
 *   push          lock   lock    yes     yes
 *   begin         lock   lock    yes     yes
 *   end           yes    yes     never   yes      (there is one holder)
 *   length        yes    yes     yes     yes
 * "lock": these calls wait for each other at the mailbox's lock.
 */

#include "core/plugin/scheduler.h"
#include "core/sync/lock.h"
#include "schedulers/queues/copy_queue.h"
#include "schedulers/queues/list_queue.h"

enum al_queue_kind { AL_QUEUE_COPY, AL_QUEUE_LIST };
enum al_batching { AL_BATCHING_OFF, AL_BATCHING_ON };
enum al_holding { AL_MAILBOX_FREE, AL_MAILBOX_HELD };

/* On cache lines of its own, so that a send disturbs no other mailbox. */
struct al_mailbox {
    _Alignas(AL_CACHE_LINE_BYTES) union al_lock lock;
    struct al_atomic_u32 being_processed; /* enum al_holding */
    union {                               /* incoming messages */
        struct al_copy_queue copy;
        struct al_list_queue list;
    };
    struct al_atomic_u64 owner; /* whom to wake: see wake.h */
    /* With batching: what the holder sends to actors of this mailbox. */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_copy_queue kept;
};

static inline void al_mailbox_init(struct al_mailbox *mailbox, enum al_queue_kind kind,
                                   uint32_t capacity)
{
    *mailbox = (struct al_mailbox){0};
    if (kind == AL_QUEUE_LIST) {
        al_list_queue_init(&mailbox->list);
        return;
    }
    al_copy_queue_init(&mailbox->copy, capacity);
    al_copy_queue_init(&mailbox->kept, capacity);
}

/* Messages that wait. A hint. Any thread. */
static inline uint32_t al_mailbox_length(const struct al_mailbox *mailbox, enum al_queue_kind kind,
                                         enum al_batching batching)
{
    if (kind == AL_QUEUE_LIST)
        return al_list_queue_length(&mailbox->list);
    return al_copy_queue_length(&mailbox->copy) +
           (batching == AL_BATCHING_ON ? al_copy_queue_length(&mailbox->kept) : 0);
}

/* Take the lock of a mailbox. chosen: NULL, a constant, in code that is compiled for the default
 * lock, which pays nothing for the choice. */
static inline __attribute__((always_inline)) void
al_mailbox_lock(const struct al_worker *self, struct al_mailbox *mailbox,
                const struct al_lock_choice *chosen)
{
    if (chosen == NULL)
        al_spinlock_lock(&mailbox->lock.spin);
    else
        al_lock_take(chosen, &mailbox->lock, self->id);
}

static inline __attribute__((always_inline)) void
al_mailbox_unlock(const struct al_worker *self, struct al_mailbox *mailbox,
                  const struct al_lock_choice *chosen)
{
    if (chosen == NULL)
        al_spinlock_unlock(&mailbox->lock.spin);
    else
        al_lock_release(chosen, &mailbox->lock, self->id);
}

/*
 * Become the holder and return with the lock held: the caller takes the messages and unlocks.
 * False, without the lock: another worker still delivers what it took. This test is what keeps an
 * actor on one worker when a mailbox is stolen between its owner's read of the slot and the gulp.
 */
static inline __attribute__((always_inline)) bool
al_mailbox_begin(struct al_worker *self, struct al_mailbox *mailbox,
                 const struct al_lock_choice *chosen)
{
    al_mailbox_lock(self, mailbox, chosen);
    /* acquire: partner is the release in al_mailbox_end. The lock is no substitute, since the last
     * holder does not take it when it is done: without the acquire this worker might not see what
     * the actors of this mailbox wrote there. */
    if (al_u32_load_acquire(&mailbox->being_processed) != AL_MAILBOX_FREE) {
        al_mailbox_unlock(self, mailbox, chosen);
        AL_COUNT(self, missed_gulps, 1);
        return false;
    }
    /* relaxed: the lock publishes it, and is what others hold when they ask */
    al_u32_store_relaxed(&mailbox->being_processed, AL_MAILBOX_HELD);
    return true;
}

/* Let another worker become the holder. The holder. */
static inline void al_mailbox_end(struct al_mailbox *mailbox)
{
    /* release: partner is the acquire in al_mailbox_begin, publishes what the actors wrote */
    al_u32_store_release(&mailbox->being_processed, AL_MAILBOX_FREE);
}

/* Not thread-safe; call after the workers have ended. */
static inline void al_mailbox_fini(struct al_mailbox *mailbox, enum al_queue_kind kind,
                                   struct al_runtime *system)
{
    if (kind == AL_QUEUE_LIST) {
        al_list_fini(al_list_queue_take_serial(&mailbox->list),
                     &system->workers[system->n_workers].envelopes, al_undelivered, system);
        return;
    }
    al_copy_queue_fini(&mailbox->kept, al_undelivered, system);
    al_copy_queue_fini(&mailbox->copy, al_undelivered, system);
}

#endif
