/* SPDX-License-Identifier: MIT */
#ifndef AL_OUTBOX_H
#define AL_OUTBOX_H

/*
 * Sender-side batching: messages to other mailboxes wait here, by mailbox, and are pushed several
 * under one lock. Ours, not the chapter's. One worker uses it, while it holds a mailbox; it is
 * empty when the worker lets go of that mailbox.
 *
 * FIFO per pair holds: all messages of a sender go through the outbox of the worker that holds the
 * sender's mailbox, in order, and that is flushed before another worker can hold it.
 *
 * A table of AL_OUTBOX_SLOTS mailboxes, direct-mapped: memory does not grow with their number; a
 * collision flushes who was there.
 */

#include "schedulers/inverted/wake.h"

#define AL_OUTBOX_SLOTS 64 /* as many as a word has bits */
/* Messages of one mailbox: 384 bytes, and a sixteenth of the locking. */
#define AL_OUTBOX_BATCH 16

struct al_outbox {
    uint64_t filled;            /* bit i: slot i holds messages */
    struct al_system *sleepers; /* NULL if the idle policy needs nobody to be woken */
    struct al_outbox_slot {
        struct al_mailbox *mailbox;
        uint32_t length;
        struct al_envelope envelopes[AL_OUTBOX_BATCH];
    } slots[AL_OUTBOX_SLOTS];
};

static inline void al_outbox_flush_slot(struct al_outbox *outbox, uint32_t index)
{
    struct al_outbox_slot *slot = &outbox->slots[index];
    al_spinlock_lock(&slot->mailbox->lock);
    uint32_t before = al_copy_queue_length(&slot->mailbox->copy);
    al_copy_queue_append_serial(&slot->mailbox->copy, slot->envelopes, slot->length);
    al_spinlock_unlock(&slot->mailbox->lock);
    if (outbox->sleepers != NULL)
        al_inverted_wake_owner(outbox->sleepers, slot->mailbox, before);
    slot->length = 0;
    outbox->filled &= ~((uint64_t)1 << index);
}

static inline void al_outbox_flush(struct al_outbox *outbox)
{
    while (outbox->filled != 0)
        al_outbox_flush_slot(outbox, (uint32_t)__builtin_ctzll(outbox->filled));
}

/* number: the mailbox's place in its array, which decides the slot. */
static inline void al_outbox_add(struct al_outbox *outbox, struct al_mailbox *mailbox,
                                 size_t number, struct al_actor *actor, struct al_message *message,
                                 al_behaviour *behaviour)
{
    uint32_t index = (uint32_t)(number % AL_OUTBOX_SLOTS);
    struct al_outbox_slot *slot = &outbox->slots[index];
    if (slot->mailbox != mailbox) {
        if (slot->length != 0)
            al_outbox_flush_slot(outbox, index);
        slot->mailbox = mailbox;
    }
    slot->envelopes[slot->length++] = (struct al_envelope){actor, message, behaviour};
    outbox->filled |= (uint64_t)1 << index;
    if (slot->length == AL_OUTBOX_BATCH)
        al_outbox_flush_slot(outbox, index);
}

#endif
