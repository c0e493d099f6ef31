/* SPDX-License-Identifier: MIT */
#ifndef AL_INVERTED_WAKE_H
#define AL_INVERTED_WAKE_H

/*
 * Whom a sender wakes, under an idle policy whose workers sleep until they are woken: the worker whose slot leads
 * to the mailbox. The sender does not know the slots, and thieves swap them, so each mailbox names its owner: a
 * worker's id, with a version above it.
 *
 * Invariant: while a worker sleeps, each mailbox in its slots names it.
 *   - Only a worker that is about to sleep, and has announced it, writes owners: those of the mailboxes in its
 *     own slots, each by a CAS that raises the version, with a look at the slot between read and CAS. So
 *     a write that comes late, after another worker has got the mailbox and named itself, fails.
 *   - Who swaps a slot of another worker wakes it afterwards, if it sleeps: it will name itself again. Swap, fence,
 *     look for the announcement there; announcement, fence, look at the slots here: one sees the other.
 *
 * So a sender that has pushed, and reads the owner after a fence, wakes the right worker; or it reads an owner
 * that was replaced later, and then the new one's last look, which comes after, sees the message.
 *
 * Who only keeps messages in the mailbox that it holds (batching=on) does the same when it lets go of it: a thief may own
 * the mailbox by then, and have fallen asleep while it looked empty.
 */

#include "schedulers/inverted/inverted.h"

/* Before a worker's last look. Owner only. */
static inline void al_inverted_settle(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    const struct al_share *share = self->scheduler;
    al_fence_seq_cst();
    for (uint32_t i = share->first; i < share->end; i++) {
        struct al_mailbox *mailbox;
        uint64_t owner;
        do {
            /* relaxed, all: the fences order them */
            mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
            owner = al_u64_load_relaxed(&mailbox->owner);
        } while (
            al_ptr_load_relaxed(&inverted->owned[i]) != mailbox ||
            !al_u64_cas_acq_rel(&mailbox->owner, &owner, ((owner >> 32) + 1) << 32 | self->id));
    }
    al_fence_seq_cst(); /* before the look at the lengths */
}

/* After messages were put into the mailbox, which held `before`. */
static inline void al_inverted_wake_owner(struct al_system *system,
                                          const struct al_mailbox *mailbox, uint32_t before)
{
    const struct al_inverted *inverted = system->scheduler_state;
    al_fence_seq_cst();
    al_idle_wake(system, (uint32_t)al_u64_load_relaxed(&mailbox->owner));
    if (before > 0 && inverted->steals) /* more than the owner was to take: worth a thief */
        al_idle_wake(system, AL_ANYONE);
}

#endif
