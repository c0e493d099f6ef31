/* SPDX-License-Identifier: MIT */
#ifndef AL_OUTBOX_H
#define AL_OUTBOX_H

/*
 * Sender-side batching: messages to other mailboxes wait here, by mailbox, and several are pushed
 * under one lock. Ours, not the chapter's.
 *
 * Invariants
 *   (1) bit i of filled is set  <=>  slot i holds messages
 *   (2) the outbox is empty while its worker holds no mailbox
 *   (3) while `wanted` is set, others may have handed over the first messages of a slot, `taken`;
 *       the owner forgets these before it flushes
 *
 * Order: messages of one sender to one receiver arrive in the order of their sends. All that a
 * sender sends goes, in order, through the outbox of the worker that holds the sender's mailbox,
 * and by (2) that is flushed before another worker can hold the mailbox.
 *
 * The table is direct-mapped, so that its size does not depend on the number of mailboxes; the
 * messages of a mailbox are flushed when another mailbox needs their slot.
 *
 * Concurrency: the worker's own, but a worker without work flushes the outbox of one that is inside
 * a long behaviour (outbox.c); flushing takes the lock of the mailbox. tests/models/outbox.py looks
 * at every interleaving of the two, and shows what goes wrong without each step.
 */

#include "schedulers/inverted/wake.h"

#define AL_OUTBOX_SLOTS 64 /* the bits of `filled` */
/* Most messages for one mailbox: 384 bytes, and a sixteenth of the locking. */
#define AL_OUTBOX_BATCH 16
/* The outbox is flushed after so many cycles, some 25 us. */
#define AL_OUTBOX_FLUSH_CYCLES 65536
/* Looks at the clock are this far apart, some 1.5 us, but have at most so many deliveries between
 * them. A look costs some 14 ns and a short delivery 5 to 8, so that fewer would slow short
 * behaviours by 5% or more. */
#define AL_OUTBOX_LOOK_CYCLES 4096
#define AL_OUTBOX_LOOK_MOST   32

struct al_outbox {
    struct al_atomic_u32 busy;   /* the owner is about to flush, or does */
    uint64_t filled, flushes;    /* exposed; flushes: how often it was empty afterwards */
    uint32_t growth;             /* of copy queues */
    struct al_runtime *sleepers; /* whose workers must be woken; NULL: they wake up by themselves */
    uint32_t every, left;        /* deliveries between two looks at the clock, and to the next */
    uint64_t looked, flushed;    /* when, in cycles */
    struct al_outbox_slot {
        struct al_mailbox *mailbox;
        uint32_t length; /* exposed */
        struct al_envelope envelopes[AL_OUTBOX_BATCH];
    } slots[AL_OUTBOX_SLOTS];
    /* set by others, under the gate, and taken back by the owner */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 wanted;
    struct al_spinlock gate;
    /* under the gate */
    uint64_t some_taken;             /* slots with messages that have been taken, a bit each */
    uint32_t taken[AL_OUTBOX_SLOTS]; /* how many */
};

/* For the workers without work of a system with batching: see outbox.c. */
struct al_relief;

/* An empty outbox of this worker; NULL: no memory. */
struct al_outbox *al_outbox_new(struct al_runtime *system, uint32_t growth);
/* NULL: no memory, or nobody can relieve anybody. */
struct al_relief *al_relief_new(const struct al_runtime *system);
/* Flush the outboxes of workers that have been inside a behaviour for long; at most every
 * AL_OUTBOX_FLUSH_CYCLES in all. Any worker whose own outbox is empty. */
void al_inverted_relieve(struct al_worker *self);
/* Hand over what is in another worker's outbox, unless that flushes it. */
void al_outbox_relieve(struct al_outbox *outbox);
/* Forget what others have handed over. Owner only. */
void al_outbox_forget(struct al_outbox *outbox);

/* Before the owner flushes. */
static inline void al_outbox_enter(struct al_outbox *outbox)
{
    al_u32_store_relaxed(&outbox->busy, 1); /* relaxed: the barrier orders it */
    al_fence_light();                       /* partner: the membarrier in al_outbox_relieve */
    /* relaxed: the gate orders it */
    if (__builtin_expect(al_u32_load_relaxed(&outbox->wanted) != 0, 0))
        al_outbox_forget(outbox);
}

static inline void al_outbox_leave(struct al_outbox *outbox)
{
    /* release: partner is the acquire in al_outbox_relieve. Without it slots could look full after
     * they have been flushed. */
    al_u32_store_release(&outbox->busy, 0);
}

/* Push the messages [first, end) of a slot, and wake their receivers. */
static inline void al_outbox_push(const struct al_outbox *outbox, const struct al_outbox_slot *slot,
                                  uint32_t first, uint32_t end)
{
    al_spinlock_lock(&slot->mailbox->lock.spin);
    uint32_t before = al_copy_queue_length(&slot->mailbox->copy);
    al_copy_queue_append_serial(&slot->mailbox->copy, slot->envelopes + first, end - first,
                                outbox->growth);
    al_spinlock_unlock(&slot->mailbox->lock.spin);
    if (outbox->sleepers != NULL)
        al_inverted_wake_owner(outbox->sleepers, slot->mailbox, before);
}

/* Of a slot that holds some. Inside. */
static inline void al_outbox_flush_slot(struct al_outbox *outbox, uint32_t index)
{
    struct al_outbox_slot *slot = &outbox->slots[index];
    al_outbox_push(outbox, slot, 0, slot->length);
    al_expose(slot->length, 0);
    al_expose(outbox->filled, outbox->filled & ~((uint64_t)1 << index));
}

/* Inside. */
static inline void al_outbox_flush_all(struct al_outbox *outbox)
{
    while (outbox->filled != 0)
        al_outbox_flush_slot(outbox, (uint32_t)__builtin_ctzll(outbox->filled));
    al_expose(outbox->flushes, outbox->flushes + 1);
}

static inline void al_outbox_flush(struct al_outbox *outbox)
{
    al_outbox_enter(outbox);
    al_outbox_flush_all(outbox);
    al_outbox_leave(outbox);
}

/*
 * At a look at the clock: whether it is time to flush. How many deliveries there are until the next
 * look follows from how long the last ones took. With behaviours of more than AL_OUTBOX_LOOK_CYCLES
 * each delivery is followed by a look and a flush, which are cheap beside it. Time without messages
 * counts as well; that costs a few looks.
 *
 * So the bound holds while behaviours take about as long as the last ones. When they suddenly take
 * longer, a message waits once for up to AL_OUTBOX_LOOK_MOST of them: 1.6 ms if each takes 50 us.
 */
static inline bool al_outbox_due(struct al_outbox *outbox, uint64_t now)
{
    uint64_t took = now - outbox->looked;
    outbox->looked = now;
    if (took <= AL_OUTBOX_LOOK_CYCLES)
        outbox->every = outbox->every < AL_OUTBOX_LOOK_MOST / 2 ? 2 * outbox->every
                                                                : AL_OUTBOX_LOOK_MOST;
    else
        outbox->every = (uint32_t)(outbox->every * AL_OUTBOX_LOOK_CYCLES / took);
    bool long_ones = outbox->every == 0;
    if (long_ones)
        outbox->every = 1;
    if (!long_ones && now - outbox->flushed <= AL_OUTBOX_FLUSH_CYCLES)
        return false;
    outbox->flushed = now;
    return true;
}

/* A slot is full, or another mailbox needs it. A behaviour that sends so much may hold back what it
 * has sent to others for long. */
static inline void al_outbox_make_room(struct al_outbox *outbox, uint32_t index)
{
    uint64_t now = al_cycles();
    al_outbox_enter(outbox);
    if (now - outbox->flushed > AL_OUTBOX_FLUSH_CYCLES) {
        outbox->flushed = now;
        al_outbox_flush_all(outbox);
    } else if (outbox->slots[index].length != 0) {
        al_outbox_flush_slot(outbox, index);
    }
    al_outbox_leave(outbox);
}

/* Store a message for a mailbox; `number` is the mailbox's place in its array. */
static inline void al_outbox_add(struct al_outbox *outbox, struct al_mailbox *mailbox,
                                 size_t number, struct al_actor *actor, struct al_message *message,
                                 al_behaviour *behaviour)
{
    uint32_t index = (uint32_t)(number % AL_OUTBOX_SLOTS);
    struct al_outbox_slot *slot = &outbox->slots[index];
    if (slot->mailbox != mailbox) {
        if (slot->length != 0)
            al_outbox_make_room(outbox, index);
        slot->mailbox = mailbox;
    }
    slot->envelopes[slot->length] = (struct al_envelope){actor, message, behaviour};
    al_expose(slot->length, slot->length + 1);
    al_expose(outbox->filled, outbox->filled | (uint64_t)1 << index);
    if (slot->length == AL_OUTBOX_BATCH)
        al_outbox_make_room(outbox, index);
}

#endif
