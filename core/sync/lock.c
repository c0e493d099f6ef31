/* SPDX-License-Identifier: MIT */
#include "core/sync/lock.h"

#include <errno.h>
#include <string.h>

/*
 * cforall   __spinlock_t of Cforall's library (libcfa/src/bits/locks.hfa): it looks before it
 *           exchanges, and between two tries it pauses, at first 4 times; after every 64 tries
 *           twice as often, up to 65536 times, then 4 times again. A waiter never yields its
 *           processor, as there.
 *   (1) held = HELD  <=>  one thread is between take and release
 *
 * ticket    Mellor-Crummey and Scott, Algorithms for scalable synchronization on shared-memory
 *           multiprocessors (TOCS 9, 1991), without their proportional back-off.
 *   (2) next - serving, modulo 65536, threads hold the lock or wait for it; it is free if that is 0
 *   (3) the thread that drew `serving` holds it; threads draw in the order in which they arrive
 *
 * mcs       The same paper, with numbers of nodes instead of pointers, so that a lock has 4 bytes.
 *   (4) tail = 0  <=>  the lock is free
 *   (5) from the holder, `next` leads through the waiters, in the order of their exchanges of tail,
 *       to the node that tail names; only the link of a thread that has exchanged tail, and not yet
 *       linked itself, is missing
 *   (6) waits = 0 for the first of them, the holder
 *   (7) a node is in one queue at most
 *
 * Concurrency: take waits for release; any thread may call either for any lock at any time, but
 * under its own number alone.
 */

#if AL_SYNC_TESTED
enum { SPIN_START = 1, SPIN_END = 4, TRIES = 2 }; /* each pause is an event, as in virtual.h */
#else
enum { SPIN_START = 4, SPIN_END = 64 * 1024, TRIES = 64 };
#endif

_Static_assert(sizeof(union al_lock) == sizeof(struct al_spinlock), "a lock is as small as before");

const char *const al_lock_names[] = {[AL_LOCK_EXCHANGE] = "exchange",
                                     [AL_LOCK_CFORALL] = "cforall",
                                     [AL_LOCK_TICKET] = "ticket",
                                     [AL_LOCK_MCS] = "mcs",
                                     NULL};

int al_lock_choose(struct al_lock_choice *choice, enum al_lock_kind kind, uint32_t n_threads)
{
    *choice = (struct al_lock_choice){.kind = kind};
    if (kind != AL_LOCK_MCS)
        return 0;
    size_t bytes = n_threads * sizeof *choice->nodes;
    choice->nodes = al_aligned_alloc(_Alignof(struct al_lock_node), bytes);
    if (choice->nodes == NULL)
        return -ENOMEM;
    memset(choice->nodes, 0, bytes);
    return 0;
}

void al_lock_choice_free(struct al_lock_choice *choice)
{
    al_free(choice->nodes);
}

/* Whether this look took the lock. */
static bool try_cforall(struct al_spinlock *lock)
{
    /* relaxed: only decides whether to try; acquire in al_spinlock_try */
    return al_u32_load_relaxed(&lock->held) == AL_SPINLOCK_FREE && al_spinlock_try(lock);
}

static void take_cforall(struct al_spinlock *lock)
{
    if (try_cforall(lock))
        return;
    al_lock_waited();
    uint32_t spin = SPIN_START;
    for (uint32_t i = 1;; i++) {
        for (uint32_t s = 0; s < spin; s++)
            al_pause();
        if (i % TRIES == 0)
            spin += spin;
        if (spin > SPIN_END)
            spin = SPIN_START;
        if (try_cforall(lock))
            return;
    }
}

static void take_ticket(union al_lock *lock)
{
    /* relaxed: the order of the draws is that of one variable; the acquire is below */
    uint16_t mine = al_u16_add_relaxed(&lock->ticket.next, 1);
    /* acquire: partner is the release in al_lock_release. Without it what follows could read what
     * the lock protects as it was before the last holder changed it. */
    if (al_u16_load_acquire(&lock->ticket.serving) == mine)
        return;
    al_lock_waited();
    uint32_t looks = 0;
    while (al_u16_load_acquire(&lock->ticket.serving) != mine) /* acquire: as above */
        looks = al_spin(looks);
}

static void take_mcs(struct al_lock_node *nodes, union al_lock *lock, uint32_t self)
{
    struct al_lock_node *node = &nodes[self];
    al_u32_store_relaxed(&node->next, 0); /* relaxed, both: the exchange below publishes them */
    al_u32_store_relaxed(&node->waits, 1);
    /* acq_rel: partners are the exchange of whoever comes next, which must see this node as it was
     * prepared, and the release of the lock: without the acquire what follows could read what the
     * lock protects as it was before the last holder changed it. */
    uint32_t before = al_u32_exchange_acq_rel(&lock->tail, self + 1);
    if (before == 0)
        return;
    al_lock_waited();
    /* release: partner is the acquire of next in release_mcs, which must see waits as 1 before it
     * sets it to 0 */
    al_u32_store_release(&nodes[before - 1].next, self + 1);
    uint32_t looks = 0;
    while (al_u32_load_acquire(&node->waits) != 0) /* acquire: partner is the release of waits */
        looks = al_spin(looks);
}

static void release_mcs(struct al_lock_node *nodes, union al_lock *lock, uint32_t self)
{
    struct al_lock_node *node = &nodes[self];
    uint32_t next = al_u32_load_acquire(&node->next); /* acquire: see take_mcs */
    if (next == 0) {
        uint32_t last = self + 1;
        /* acq_rel, of which the release matters: without it the lock could look free before the
         * writes made under it are seen; partner is the exchange in take_mcs */
        if (al_u32_cas_acq_rel(&lock->tail, &last, 0))
            return;
        /* Somebody has exchanged tail, and is about to link itself. */
        uint32_t looks = 0;
        while ((next = al_u32_load_acquire(&node->next)) == 0)
            looks = al_spin(looks);
    }
    /* release: partner is the acquire of waits in take_mcs, publishes what the lock protects */
    al_u32_store_release(&nodes[next - 1].waits, 0);
}

void al_lock_take(const struct al_lock_choice *choice, union al_lock *lock, uint32_t self)
{
    switch (choice->kind) {
    case AL_LOCK_CFORALL:
        take_cforall(&lock->spin);
        break;
    case AL_LOCK_TICKET:
        take_ticket(lock);
        break;
    case AL_LOCK_MCS:
        take_mcs(choice->nodes, lock, self);
        break;
    case AL_LOCK_EXCHANGE:
        al_spinlock_lock(&lock->spin);
        break;
    }
}

void al_lock_release(const struct al_lock_choice *choice, union al_lock *lock, uint32_t self)
{
    switch (choice->kind) {
    case AL_LOCK_TICKET: {
        /* relaxed: only the holder writes it; release: partner is the acquire in take_ticket.
         * Without it the next holder could miss the writes made under the lock. */
        uint16_t mine = al_u16_load_relaxed(&lock->ticket.serving);
        al_u16_store_release(&lock->ticket.serving, (uint16_t)(mine + 1));
        break;
    }
    case AL_LOCK_MCS:
        release_mcs(choice->nodes, lock, self);
        break;
    case AL_LOCK_CFORALL:
    case AL_LOCK_EXCHANGE:
        al_spinlock_unlock(&lock->spin);
        break;
    }
}
