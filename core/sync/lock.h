/* SPDX-License-Identifier: MIT */
#ifndef AL_LOCK_H
#define AL_LOCK_H

/*
 * A spinlock of a kind that is chosen when a system starts. Whoever uses the default calls
 * al_spinlock_lock and al_spinlock_unlock on `spin` directly, in code compiled for that, so that a
 * choice costs the default nothing; the functions here are for the other kinds, though they take
 * any. core/sync/lock.c has their sources and invariants.
 */

#include <stdint.h>

#include "core/sync/sync.h"

enum al_lock_kind {
    AL_LOCK_EXCHANGE, /* struct al_spinlock */
    AL_LOCK_CFORALL,
    AL_LOCK_TICKET,
    AL_LOCK_MCS,
};

extern const char *const al_lock_names[]; /* in the order of enum al_lock_kind; ends with NULL */

/* All zero is free. No larger than the default, since it shares its line with what it protects. */
union al_lock {
    struct al_spinlock spin; /* exchange, cforall */
    struct {
        struct al_atomic_u16 next, serving;
    } ticket;
    struct al_atomic_u32 tail; /* mcs: the last waiter, or the holder: its number + 1; 0: free */
};

/* mcs: what a thread waits at. Written by it, and by those before and behind it in the queue. */
struct al_lock_node {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 waits; /* 1, until its turn comes */
    struct al_atomic_u32 next; /* who is behind it: the number + 1, or 0 */
};

/* The kind of a group of locks, and what that kind needs. Constant once it is made. */
struct al_lock_choice {
    enum al_lock_kind kind;
    struct al_lock_node *nodes; /* mcs: of each thread, else NULL */
};

/* For threads 0 to n_threads - 1, each of which holds at most one lock of the group at a time.
 * 0 or -ENOMEM. */
__attribute__((warn_unused_result)) int al_lock_choose(struct al_lock_choice *choice,
                                                       enum al_lock_kind kind, uint32_t n_threads);
void al_lock_choice_free(struct al_lock_choice *choice);

/* Wait until nobody holds the lock, and take it. self: the number of the calling thread. */
void al_lock_take(const struct al_lock_choice *choice, union al_lock *lock, uint32_t self);
/* By its holder, with the same number. */
void al_lock_release(const struct al_lock_choice *choice, union al_lock *lock, uint32_t self);

#endif
