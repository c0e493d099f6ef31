/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted/inverted.h"

#include "schedulers/inverted/qpcas.h"

/* Stealing: swap a slot that leads to one of the thief's empty mailboxes for a victim's slot that
 * leads to a mailbox with messages. wake.h says why the victim may have to be woken. */

/* The last of the thief's own slots that leads to an empty mailbox, since stolen work is to come
 * last in the thief's pass; or NULL. */
static struct al_atomic_ptr *find_empty(const struct al_inverted *inverted,
                                        const struct al_share *share)
{
    for (uint32_t i = share->end; i-- > share->first;) {
        /* relaxed, here and below: guesses, which QPCAS checks */
        const struct al_mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (al_inverted_waiting(inverted, mailbox) == 0)
            return &inverted->owned[i];
    }
    return NULL;
}

/* Look at each of the victim's slots once, from a random one on, and swap for the first mailbox
 * that has messages and no holder. True if that succeeded. */
static bool steal_from(struct al_worker *self, const struct al_inverted *inverted, uint32_t victim,
                       uint32_t least)
{
    struct al_runtime *system = self->system;
    const struct al_share *mine = self->scheduler, *theirs = system->workers[victim].scheduler;
    uint32_t n = theirs->end - theirs->first;
    uint32_t start = al_random_below(&self->random, n);
    bool asked = false, left_alone = false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t offset = start + k < n ? start + k : start + k - n;
        struct al_atomic_ptr *slot = &inverted->owned[theirs->first + offset];
        struct al_mailbox *mailbox = al_ptr_load_relaxed(slot);
        if (mailbox == NULL) /* its owner is swapping it right now */
            continue;
        uint32_t length = al_inverted_waiting(inverted, mailbox);
        if (length == 0 || al_u32_load_relaxed(&mailbox->being_processed) == AL_MAILBOX_HELD)
            continue;
        if (length < least && !asked) {
            left_alone = al_thrift_left_alone(&inverted->thrift[self->id].watches[victim],
                                              &inverted->thrift[victim], inverted->steal_patience);
            asked = true;
        }
        if (length < least && !left_alone)
            continue;
        struct al_atomic_ptr *empty = find_empty(inverted, mine);
        if (empty == NULL) /* the thief has got work meanwhile */
            break;
        if (al_qpcas(empty, slot) != AL_SWAP_DONE) {
            al_stole_lost_swap(self, victim);
            return false;
        }
        al_stole(self, victim, 1, length);
        al_idle_wake(system, victim); /* wake.h, (2); it has the fence */
        return true;
    }
    al_stole_no_candidate(self, victim);
    return false;
}

bool al_inverted_steal(struct al_worker *self, const struct al_inverted *inverted, uint32_t least)
{
    const struct al_victim_ops *victim_ops = self->system->victim_ops;
    uint32_t victim = al_victim_pick(victim_ops, self);
    if (victim == AL_NO_WORKER) {
        al_stole_no_candidate(self, victim);
        return false;
    }
    bool fruitful = steal_from(self, inverted, victim, least);
    al_victim_learn(victim_ops, self, victim, fruitful);
    return fruitful;
}

uint64_t al_inverted_length(const struct al_worker *worker)
{
    const struct al_inverted *inverted = worker->system->scheduler_state;
    const struct al_share *share = worker->scheduler;
    uint64_t length = 0;
    for (uint32_t i = share->first; i < share->end; i++) {
        /* relaxed: a guess */
        const struct al_mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (mailbox != NULL)
            length += al_inverted_waiting(inverted, mailbox);
    }
    return length;
}
