/* SPDX-License-Identifier: MIT */
#ifndef AL_INVERTED_WAKE_H
#define AL_INVERTED_WAKE_H

/*
 * Whom a sender wakes, under an idle policy whose workers sleep until they are woken: the worker
 * whose slot leads to the mailbox. The sender does not know the slots, and thieves swap them, so
 * each mailbox names its owner: a worker's id, with a version above it.
 *
 * Invariant: while a worker sleeps, each mailbox in its slots names it.
 *   (1) Owners are written only by a worker that is about to sleep and has announced it, for the
 *       mailboxes in its own slots, each by a CAS that raises the version, with a look at the slot
 *       between read and CAS. So a late write fails if another worker has got the mailbox and named
 *       itself meanwhile.
 *   (2) Whoever swaps a slot of another worker wakes that worker afterwards, if it sleeps, so that
 *       it names itself again. The thief swaps, then after a fence looks for the announcement; the
 *       sleeper announces itself, then after a fence looks at its slots. One sees the other. Both
 *       fences are the idle policy's (al_fence_wake, al_fence_sleep).
 *
 * So a sender that has pushed, and reads the owner after a fence, wakes the right worker. Or it
 * reads an owner that was replaced later; then the new owner's last look comes after the push and
 * sees the message.
 *
 * With batching, a holder that keeps messages in its mailbox calls al_inverted_wake_owner when it
 * lets go of it: a thief may own the mailbox by then, and have fallen asleep while it looked empty.
 */

#include "schedulers/inverted/inverted.h"

/* The operation settle: name the worker in its mailboxes, before its last look. Owner only. */
static inline void al_inverted_settle(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    const struct al_share *share = self->scheduler;
    for (uint32_t i = share->first; i < share->end; i++) {
        struct al_mailbox *mailbox;
        uint64_t owner;
        do {
            mailbox = al_ptr_load_relaxed(&inverted->owned[i]); /* relaxed: checked below */
            /* acquire here, and the release of the CAS: the second look at the slot stays between
             * the two. Otherwise a late CAS could overwrite the name of the worker that has got the
             * mailbox (1). */
            owner = al_u64_load_acquire(&mailbox->owner);
        } while (
            al_ptr_load_relaxed(&inverted->owned[i]) != mailbox ||
            !al_u64_cas_acq_rel(&mailbox->owner, &owner, ((owner >> 32) + 1) << 32 | self->id));
    }
    /* Partner: the fence in al_inverted_wake_owner. Without it the last look at the lengths could
     * come before the names, and miss a message whose sender read the former owner. */
    al_fence_sleep(self->system);
}

/* Called after messages were put into the mailbox, which held `before`. Any worker. */
static inline void al_inverted_wake_owner(struct al_runtime *system,
                                          const struct al_mailbox *mailbox, uint32_t before)
{
    const struct al_inverted *inverted = system->scheduler_state;
    al_fence_wake(system); /* partner: the fence in al_inverted_settle */
    /* relaxed: the fence orders it */
    al_idle_wake(system, (uint32_t)al_u64_load_relaxed(&mailbox->owner));
    if (before > 0 && inverted->steals) /* the owner has work already: this is worth a thief */
        al_idle_wake(system, AL_ANYONE);
}

#endif
