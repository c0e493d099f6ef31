/* SPDX-License-Identifier: MIT */
#ifndef AL_WORK_DEQUE_H
#define AL_WORK_DEQUE_H

/*
 * A worker's queue of ready actors: the owner at one end, thieves at the other. Three structures to choose from
 * (deque_locked.h, deque_chase_lev.h, deque_steal_half.h), and who is served how (enum al_deque_owner).
 *
 * Only the locked one can be pushed to by others, or behind the others. The other two get a locked one beside
 * them for that, which its owner and thieves turn to when the first is empty.
 *
 * Concurrency: push, pop: the owner alone. push_behind, steal, length: any thread, at any time.
 */

#include "schedulers/queues/deque_chase_lev.h"
#include "schedulers/queues/deque_locked.h"
#include "schedulers/queues/deque_steal_half.h"

/* The option `deque` of strategies; its help is a macro, since tables are constant. */
extern const char *const al_deque_choices[]; /* enum al_deque_kind */
#define AL_DEQUE_HELP                                                                              \
    "two spinlocks, as CAF; no lock for the owner; the same, and a thief takes half"

enum al_deque_kind { AL_DEQUE_LOCKED, AL_DEQUE_CHASE_LEV, AL_DEQUE_STEAL_HALF };

enum al_deque_owner {
    AL_OWNER_LIFO, /* the owner takes the newest, thieves the oldest (LAS paper, section II.D) */
    AL_OWNER_FIFO, /* the owner takes the oldest, thieves the newest; of chase-lev and steal-half, which
                    * do not let them, the oldest too */
};

struct al_deque {
    struct al_deque_locked locked;
    union {
        struct al_deque_chase_lev chase_lev;
        struct al_deque_steal_half steal_half;
    };
    enum al_deque_kind kind;
    enum al_deque_owner owner;
};

/* On the owner's thread, so that it lies on its node. */
void al_deque_init(struct al_deque *deque, enum al_deque_kind kind, enum al_deque_owner owner);
void al_deque_fini(struct al_deque *deque);

/* To where the owner looks first (LIFO), or last (FIFO). */
void al_deque_push(struct al_deque *deque, void *item);
/* To where the owner looks last. */
void al_deque_push_behind(struct al_deque *deque, void *item);
/* The owner's next item, or NULL. */
void *al_deque_pop(struct al_deque *deque);
/* Steal items, oldest first: the number of items; 0 if there were none or, with *lost, another thief was faster. */
uint32_t al_deque_steal(struct al_deque *victim, void *items[AL_STEAL_MOST], bool *lost);
/* Put what was stolen, at least one item, into the thief's own deque, but for the oldest, which is returned. */
void *al_deque_keep(struct al_deque *own, void *const *items, uint32_t n);
/* Bytes of its rings. With no other thread about. */
uint64_t al_deque_bytes(const struct al_deque *deque);
/* About how many items; an owner that is told 0 has none. */
uint64_t al_deque_length(const struct al_deque *deque);

#endif
