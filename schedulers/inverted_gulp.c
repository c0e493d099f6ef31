/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted.h"

/* Envelopes lie in an array, so we know who is next: fetch that actor while this one runs. */
#define PREFETCH_DISTANCE 8
/* Batching: deliveries between looks at the clock, and how long a message may wait besides. */
#define FLUSH_DELIVERIES 16
#define FLUSH_CYCLES     65536

/* Deliver all of a queue that was taken; true if there was anything. outbox is NULL without batching. */
static inline __attribute__((always_inline)) bool
deliver_all(struct al_worker *self, const struct al_copy_queue *queue, struct al_outbox *outbox)
{
    uint32_t length = al_copy_queue_length(queue);
    const struct al_envelope *envelope = queue->slots, *end = envelope + length;
    const struct al_envelope *last = end - (length != 0);
    uint64_t flushed = 0;
    for (uint32_t i = 1; envelope < end; envelope++, i++) {
        al_prefetch(
            (last - envelope > PREFETCH_DISTANCE ? envelope + PREFETCH_DISTANCE : last)->actor);
        al_deliver(self, envelope->actor, envelope->message, envelope->behaviour);
        if (outbox != NULL && i % FLUSH_DELIVERIES == 0) {
            uint64_t now = al_cycles();
            if (flushed != 0 && now - flushed > FLUSH_CYCLES)
                al_outbox_flush(outbox);
            if (flushed == 0 || now - flushed > FLUSH_CYCLES)
                flushed = now;
        }
    }
    AL_COUNT(self, messages_received, length);
    return length != 0;
}

bool al_inverted_gulp_copy(struct al_worker *self, const struct al_inverted *inverted,
                           struct al_mailbox *mailbox)
{
    struct al_copy_queue *local = &((struct al_share *)self->scheduler)->local;
    if (!al_mailbox_begin(self, mailbox))
        return false;
    al_copy_queue_swap(local, &mailbox->copy);
    al_spinlock_unlock(&mailbox->lock);
    bool found = deliver_all(self, local, NULL);
    AL_COUNT(self, gulps, found);
    al_mailbox_end(mailbox);
    al_copy_queue_reset(local, inverted->reclaim, inverted->capacity);
    return found;
}

/* Out of line: called twice. */
static __attribute__((noinline)) bool deliver_batched(struct al_worker *self,
                                                      const struct al_inverted *inverted,
                                                      struct al_copy_queue *queue)
{
    bool found = deliver_all(self, queue, ((struct al_share *)self->scheduler)->outbox);
    al_copy_queue_reset(queue, inverted->reclaim, inverted->capacity);
    return found;
}

/*
 * The same with batching. What the holder kept needs no lock to be taken; and if nobody steals, the owner
 * need not even become the holder to take it, since nobody else ever does.
 */
bool al_inverted_gulp_batched(struct al_worker *self, const struct al_inverted *inverted,
                              struct al_mailbox *mailbox)
{
    struct al_share *share = self->scheduler;
    bool locked = inverted->steals || al_copy_queue_length(&mailbox->copy) != 0;
    if (locked) {
        if (!al_mailbox_begin(self, mailbox))
            return false;
        al_copy_queue_swap(&share->local, &mailbox->copy);
        al_spinlock_unlock(&mailbox->lock);
    }
    al_copy_queue_swap(&share->kept, &mailbox->kept);
    share->held = mailbox;
    bool found = deliver_batched(self, inverted, &share->kept);
    if (locked)
        found |= deliver_batched(self, inverted, &share->local);
    share->held = NULL;
    AL_COUNT(self, gulps, found);
    al_outbox_flush(share->outbox);
    if (locked)
        al_mailbox_end(mailbox);
    return found;
}

bool al_inverted_gulp_list(struct al_worker *self, const struct al_inverted *inverted,
                           struct al_mailbox *mailbox)
{
    (void)inverted;
    if (!al_mailbox_begin(self, mailbox))
        return false;
    uint32_t length = al_list_queue_length(&mailbox->list);
    struct al_list_node *node = al_list_queue_take(&mailbox->list);
    al_spinlock_unlock(&mailbox->lock);
    AL_COUNT(self, gulps, length != 0);
    AL_COUNT(self, messages_received, length);
    for (struct al_list_node *next; node != NULL; node = next) {
        next = node->next;
        struct al_envelope envelope = node->envelope;
        free(node);
        al_deliver(self, envelope.actor, envelope.message, envelope.behaviour);
    }
    al_mailbox_end(mailbox);
    return length != 0;
}
