/* SPDX-License-Identifier: MIT */
#ifndef AL_WORK_DEQUE_H
#define AL_WORK_DEQUE_H

/*
 * A worker's queue of ready actors: the owner at one end, thieves at the other. There are three
 * structures to choose from (deque_locked.h, deque_chase_lev.h, deque_steal_half.h) and two orders
 * (enum al_deque_owner).
 *
 * Only the locked structure can take a push from another thread, or one behind the other items.
 * The other two therefore have a locked deque beside them, which owner and thieves turn to when
 * the main one is empty.
 *
 * Concurrency: the owner alone calls the operations that end in _owner, one at a time; any thread
 * may call push_behind_any, steal_any and length at any time.
 */

#include "schedulers/queues/deque_chase_lev.h"
#include "schedulers/queues/deque_locked.h"
#include "schedulers/queues/deque_steal_half.h"

/* The option `deque` of strategies. The help is a macro because option tables are constant. */
extern const char *const al_deque_choices[]; /* enum al_deque_kind */
#define AL_DEQUE_HELP                                                                              \
    "two spinlocks, as in CAF; no lock for the owner; the same, and a thief takes half"

/* The last is no choice: it is the first with another lock than the default, and a kind of its own
 * so that the default has no test more. */
enum al_deque_kind {
    AL_DEQUE_LOCKED,
    AL_DEQUE_CHASE_LEV,
    AL_DEQUE_STEAL_HALF,
    AL_DEQUE_CHOSEN_LOCK
};

/* The option `lock` of strategies: without mcs, where a thread has a node for each lock that it
 * holds. Those that push to a deque may hold both its locks, and some have no number. */
extern const char *const al_deque_lock_choices[]; /* enum al_lock_kind */
#define AL_DEQUE_LOCK_HELP                                                                         \
    "of deque=locked: exchanges first, looks first and backs off as Cforall's, or serves in the "  \
    "order of arrival"

enum al_deque_owner {
    AL_OWNER_LIFO, /* the owner takes the newest, thieves the oldest (LAS paper, section II.D) */
    /* The owner takes the oldest, thieves the newest; chase-lev and steal-half give thieves the
     * oldest too. */
    AL_OWNER_FIFO,
};

struct al_deque {
    struct al_deque_locked locked;
    union {
        struct al_deque_chase_lev chase_lev;
        struct al_deque_steal_half steal_half;
    };
    enum al_deque_kind kind;
    enum al_deque_owner owner;
    struct al_lock_choice lock; /* of AL_DEQUE_CHOSEN_LOCK */
};

/* On the owner's thread, so that the deque lies on its node. lock: AL_LOCK_EXCHANGE unless the kind
 * is AL_DEQUE_LOCKED. */
void al_deque_init(struct al_deque *deque, enum al_deque_kind kind, enum al_deque_owner owner,
                   enum al_lock_kind lock);
/* After the threads have ended; the deque is empty. */
void al_deque_fini(struct al_deque *deque);

/* Push to where the owner takes first (LIFO), or last (FIFO). */
void al_deque_push_owner(struct al_deque *deque, void *item);
/* The owner's next item, or NULL if there is none. */
void *al_deque_pop_owner(struct al_deque *deque);
/* Push to where the owner takes last. */
void al_deque_push_behind_any(struct al_deque *deque, void *item);
/* Steal items, oldest first. Returns how many; 0 if there were none or, with *lost, another thief
 * was faster. */
uint32_t al_deque_steal_any(struct al_deque *victim, void *items[AL_STEAL_MOST], bool *lost);
/* Put n > 0 stolen items into the thief's own deque, except the oldest, which is returned. */
void *al_deque_keep_owner(struct al_deque *own, void *const *items, uint32_t n);
/* About how many items there are; if the owner is told 0, there are none. */
uint64_t al_deque_length(const struct al_deque *deque);
/* Bytes of its rings. Not thread-safe; call after the threads have ended. */
uint64_t al_deque_bytes(const struct al_deque *deque);

#endif
