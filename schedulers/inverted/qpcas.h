/* SPDX-License-Identifier: MIT */
#ifndef AL_QPCAS_H
#define AL_QPCAS_H

/*
 * QPCAS: swap two queue pointers in different words, or fail. It is not lock-free: a thief inside a
 * swap makes others fail, and a thief that fails gives up. Source: Cforall actors chapter, section
 * "Queue Pointer Swap", figure "QPCAS Concurrent".
 *
 * Invariants
 *   (1) the slots hold a permutation of the queues, but for at most one null per thief inside a
 *       swap, whose queue that thief holds
 *   (2) a null is written only by the thief that owns the slot, and the next write to the slot is
 *       that same thief's
 *   (3) outside its own swap, an owner never finds null in a slot of its own range
 *
 * Concurrency: any number of thieves may call al_qpcas at once on any slots, as long as `mine` is
 * in the caller's own range and `victim` is not. The owner of `victim` reads it at any time and
 * takes no part.
 *
 * Every access is relaxed: the argument for (1) to (3) needs only the modification order of each
 * slot, the queues that the pointers lead to were published before any worker ran, and what is in
 * them is protected by their own locks.
 */

#include "core/sync/sync.h"

enum al_swap {
    AL_SWAP_DONE,
    AL_SWAP_BUSY,   /* the victim's slot is part of another swap */
    AL_SWAP_ROBBED, /* the thief's own slot was stolen from meanwhile */
    AL_SWAP_LATE,   /* another thief was first at the victim's slot */
};

/* The thief that owns `mine`. */
__attribute__((warn_unused_result)) static inline enum al_swap
al_qpcas(struct al_atomic_ptr *mine, struct al_atomic_ptr *victim)
{
    /* Step 1: local copies. */
    void *my_queue = al_ptr_load_relaxed(mine);
    void *victim_queue = al_ptr_load_relaxed(victim);

    /* Step 2: a null says that the victim is itself a thief, with this slot. Nothing has
     * changed. */
    if (victim_queue == NULL)
        return AL_SWAP_BUSY;

    /* Step 3: lock the own slot with null. Fails if another thief took its queue; then nothing has
     * changed. */
    void *expected = my_queue;
    if (!al_ptr_cas_relaxed(mine, &expected, NULL))
        return AL_SWAP_ROBBED;

    /* Step 4: once this CAS succeeds the swap cannot fail. If it fails, put the own queue back, or
     * (1) would lose it. */
    expected = victim_queue;
    if (!al_ptr_cas_relaxed(victim, &expected, my_queue)) {
        al_ptr_store_relaxed(mine, my_queue);
        return AL_SWAP_LATE;
    }

    /* Step 5: by (2) nobody else writes to this slot now. */
    al_ptr_store_relaxed(mine, victim_queue);
    return AL_SWAP_DONE;
}

#endif
