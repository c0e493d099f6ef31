/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted/outbox.h"

#include <string.h>

/*
 * Relief: what a behaviour has sent waits in its worker's outbox, and if it then goes on for long,
 * or sleeps, or waits for an answer, its worker does not flush that. So now and then one of the
 * workers without work looks at all outboxes, and flushes those that hold messages and have not
 * been empty since the look before.
 *
 * The look costs each sender a line that it must get back, and a flush a membarrier; so there is
 * one look for all in some time, and a flush only where something waits.
 */

struct al_relief {
    struct al_spinlock lock;
    struct al_atomic_u64 next; /* cycles: the next look */
    uint64_t flushes[];        /* of each worker, at the last one */
};

struct al_outbox *al_outbox_new(struct al_runtime *system, uint32_t growth)
{
    struct al_outbox *outbox = al_aligned_alloc(_Alignof(struct al_outbox), sizeof *outbox);
    if (outbox == NULL)
        return NULL;
    *outbox = (struct al_outbox){
        .growth = growth,
        .sleepers = system->wake != NULL ? system : NULL,
        .every = 1,
        .left = 1,
    };
    return outbox;
}

struct al_relief *al_relief_new(const struct al_runtime *system)
{
    if (system->n_workers == 1 || !al_membarrier_ready())
        return NULL;
    return al_calloc(1, sizeof(struct al_relief) + system->n_workers * sizeof(uint64_t));
}

/* Push copies of what is in one slot, and has not been taken before. */
static void take(struct al_outbox *outbox, uint32_t index)
{
    struct al_outbox_slot *slot = &outbox->slots[index];
    uint32_t length = al_glimpse(slot->length), taken = outbox->taken[index];
    if (length == taken)
        return;
    al_outbox_push(outbox, slot, taken, length);
    outbox->taken[index] = length;
    outbox->some_taken |= (uint64_t)1 << index;
}

void al_outbox_relieve(struct al_outbox *outbox)
{
    al_spinlock_lock(&outbox->gate);
    /* Else the owner has not flushed since the barrier. relaxed: the gate orders it */
    if (al_u32_load_relaxed(&outbox->wanted) == 0) {
        al_u32_store_relaxed(&outbox->wanted, 1); /* relaxed: the barrier orders it */
        al_membarrier();                          /* partner: the light fence in al_outbox_enter */
    }
    /* acquire: partner is the release in al_outbox_leave */
    if (al_u32_load_acquire(&outbox->busy) == 0) {
        for (uint64_t filled = al_glimpse(outbox->filled); filled != 0; filled &= filled - 1)
            take(outbox, (uint32_t)__builtin_ctzll(filled));
    }
    al_spinlock_unlock(&outbox->gate);
}

void al_outbox_forget(struct al_outbox *outbox)
{
    al_spinlock_lock(&outbox->gate);
    for (; outbox->some_taken != 0; outbox->some_taken &= outbox->some_taken - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(outbox->some_taken);
        struct al_outbox_slot *slot = &outbox->slots[index];
        uint32_t taken = outbox->taken[index], left = slot->length - taken;
        outbox->taken[index] = 0;
        memmove(slot->envelopes, slot->envelopes + taken, left * sizeof slot->envelopes[0]);
        al_expose(slot->length, left);
        if (left == 0)
            al_expose(outbox->filled, outbox->filled & ~((uint64_t)1 << index));
    }
    al_u32_store_relaxed(&outbox->wanted, 0); /* relaxed: the gate orders it */
    al_spinlock_unlock(&outbox->gate);
}

void al_inverted_relieve(struct al_worker *self)
{
    const struct al_runtime *system = self->system;
    struct al_relief *relief = ((const struct al_inverted *)system->scheduler_state)->relief;
    uint64_t now = al_cycles();
    /* relaxed: a guess; what it publishes is under the lock */
    if ((int64_t)(now - al_u64_load_relaxed(&relief->next)) < 0 || !al_spinlock_try(&relief->lock))
        return;
    for (uint32_t w = 0; w < system->n_workers; w++) {
        struct al_outbox *outbox = ((struct al_share *)system->workers[w].scheduler)->outbox;
        uint64_t flushes = al_glimpse(outbox->flushes);
        if (w != self->id && flushes == relief->flushes[w] && al_glimpse(outbox->filled) != 0)
            al_outbox_relieve(outbox);
        relief->flushes[w] = flushes;
    }
    al_u64_store_relaxed(&relief->next, al_cycles() + AL_OUTBOX_FLUSH_CYCLES);
    al_spinlock_unlock(&relief->lock);
}
