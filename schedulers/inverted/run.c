/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted/inverted.h"

#include "schedulers/inverted/outbox.h"

/*
 * A worker's loop: go through the mailboxes that its slots lead to, take all that waits in each (a
 * gulp), deliver it. inverted.c states the invariants.
 *
 * Hardly anything is written between two locks, and nothing spilled: a locked instruction waits
 * until every store before it has left the core, so with one message per gulp each store costs a
 * cycle.
 */

/* Envelopes lie in an array, so the next actors are known: fetch one while another runs. This many
 * envelopes ahead, since a cache miss takes as long as a few short behaviours. */
#define PREFETCH_DISTANCE 8
/* Passes without work between two looks at the clock, for al_inverted_relieve. */
#define RELIEF_PASSES 256

/* A look at the clock between two deliveries, so that no message waits for long in the outbox.
 * Returns after how many deliveries to look again. Out of line, to keep the loop in registers. */
static __attribute__((noinline)) uint32_t look(struct al_outbox *outbox)
{
    uint64_t now = al_cycles();
    if (al_outbox_due(outbox, now))
        al_outbox_flush(outbox);
    return outbox->every;
}

/* Deliver what was taken. outbox: NULL without batching. */
static inline __attribute__((always_inline)) void deliver(struct al_worker *self,
                                                          const struct al_envelope *envelope,
                                                          uint32_t length, struct al_outbox *outbox)
{
    const struct al_envelope *end = envelope + length;
    const struct al_envelope *last = end - (length != 0);
    uint32_t left = outbox != NULL ? outbox->left : 0;
    for (; envelope < end; envelope++) {
        al_prefetch(
            (last - envelope > PREFETCH_DISTANCE ? envelope + PREFETCH_DISTANCE : last)->actor);
        al_deliver(self, envelope);
        if (outbox != NULL && --left == 0)
            left = look(outbox);
    }
    if (outbox != NULL)
        outbox->left = left;
    AL_COUNT(self, messages_received, length);
}

/* Shrink the gulped queue by the reclaim policy. Out of line: rare. */
static __attribute__((noinline)) void reclaim(struct al_worker *self, uint32_t used)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_share *share = self->scheduler;
    al_copy_queue_reclaim_serial(&share->local, inverted->reclaim, used, inverted->capacity);
}

static __attribute__((noinline)) bool deliver_many(struct al_worker *self,
                                                   struct al_mailbox *mailbox,
                                                   const struct al_envelope *envelopes,
                                                   uint32_t length, uint32_t floor)
{
    deliver(self, envelopes, length, NULL);
    AL_COUNT(self, gulps, length != 0);
    al_mailbox_end(mailbox);
    if (((struct al_share *)self->scheduler)->local.capacity > floor)
        reclaim(self, length);
    return length != 0;
}

/* Put a gulp on the timeline. `traced` is a constant. */
static inline __attribute__((always_inline)) void
trace_gulp(struct al_worker *self, const struct al_mailbox *mailbox, uint32_t length, bool traced)
{
    if (!traced || length == 0)
        return;
    const struct al_inverted *inverted = self->system->scheduler_state;
    al_trace_batch(self, AL_TRACE_RUN_MAILBOX, (uint64_t)(mailbox - inverted->mailboxes));
    al_trace_gulped(self, length);
}

/* floor: the capacity of a queue that has nothing to give back; passed, since a load would wait for
 * the lock. */
static inline __attribute__((always_inline)) bool gulp_copy(struct al_worker *self,
                                                            struct al_mailbox *mailbox,
                                                            uint32_t floor, bool traced,
                                                            const struct al_lock_choice *chosen)
{
    if (!al_mailbox_begin(self, mailbox, chosen))
        return false;
    struct al_share *share = self->scheduler;
    const struct al_envelope *envelope = mailbox->copy.slots;
    uint32_t length = al_copy_queue_gulp_serial(&share->local, &mailbox->copy);
    al_mailbox_unlock(self, mailbox, chosen);
    trace_gulp(self, mailbox, length, traced);
    if (length != 1)
        return deliver_many(self, mailbox, envelope, length, floor);
    /* The case that a system with little to do meets most: no loop, no prefetch, nothing to
     * save. */
    al_deliver(self, envelope);
    AL_COUNT(self, messages_received, 1);
    AL_COUNT(self, gulps, 1);
    al_mailbox_end(mailbox);
    if (share->local.capacity > floor)
        reclaim(self, 1);
    return true;
}

/* Out of line: called twice. */
static __attribute__((noinline)) void deliver_batched(struct al_worker *self,
                                                      struct al_copy_queue *queue, uint32_t length)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    deliver(self, queue->slots, length, ((struct al_share *)self->scheduler)->outbox);
    al_copy_queue_release_serial(queue, length, inverted->reclaim, inverted->capacity);
}

/*
 * A gulp with batching. What the holder kept is taken without a lock; and if nobody steals, the
 * owner need not even become the holder to take it, since no other worker ever does.
 */
static inline __attribute__((always_inline)) bool
gulp_batched(struct al_worker *self, struct al_share *share, struct al_mailbox *mailbox,
             bool steals, uint32_t floor, bool traced)
{
    bool locked = steals || al_copy_queue_length(&mailbox->copy) != 0;
    uint32_t length = 0;
    if (locked) {
        if (!al_mailbox_begin(self, mailbox, NULL))
            return false;
        length = al_copy_queue_gulp_serial(&share->local, &mailbox->copy);
        al_mailbox_unlock(self, mailbox, NULL);
    }
    const struct al_envelope *envelope = mailbox->kept.slots;
    uint32_t kept = al_copy_queue_gulp_serial(&share->kept, &mailbox->kept);
    share->held = mailbox;
    trace_gulp(self, mailbox, kept + length, traced);
    if (kept == 1 && share->kept.capacity == floor) {
        al_deliver(self, envelope);
        AL_COUNT(self, messages_received, 1);
    } else {
        deliver_batched(self, &share->kept, kept);
    }
    if (locked)
        deliver_batched(self, &share->local, length);
    share->held = NULL;
    AL_COUNT(self, gulps, kept + length != 0);
    al_outbox_flush(share->outbox);
    if (locked)
        al_mailbox_end(mailbox);
    /* A thief may have got the mailbox meanwhile, and fallen asleep before this was kept in it. */
    if (share->outbox->sleepers != NULL && al_copy_queue_length(&mailbox->kept) != 0)
        al_inverted_wake_owner(share->outbox->sleepers, mailbox, 0);
    return kept + length != 0;
}

static inline __attribute__((always_inline)) bool gulp_list(struct al_worker *self,
                                                            struct al_mailbox *mailbox, bool traced,
                                                            const struct al_lock_choice *chosen)
{
    if (!al_mailbox_begin(self, mailbox, chosen))
        return false;
    uint32_t length = al_list_queue_length(&mailbox->list);
    struct al_list_node *node = al_list_queue_take_serial(&mailbox->list);
    al_mailbox_unlock(self, mailbox, chosen);
    trace_gulp(self, mailbox, length, traced);
    AL_COUNT(self, gulps, length != 0);
    AL_COUNT(self, messages_received, length);
    for (struct al_list_node *next; node != NULL; node = next) {
        next = node->next;
        struct al_envelope envelope = node->envelope;
        al_pool_give(&self->envelopes, node);
        al_deliver(self, &envelope);
    }
    al_mailbox_end(mailbox);
    return length != 0;
}

/* How many passes without work neither steal nor relieve, after the misses-th. */
static uint64_t passes_alike(const struct al_worker *self, const struct al_inverted *inverted,
                             uint64_t misses)
{
    uint64_t alike = inverted->relief != NULL ? RELIEF_PASSES - misses % RELIEF_PASSES - 1
                                              : AL_ALWAYS;
    if (!inverted->steals)
        return alike;
    if (self->system->idle_ops->steals != NULL)
        return 0;
    uint64_t left = inverted->steal_after - misses % inverted->steal_after - 1;
    return left < alike ? left : alike;
}

/* In passes without work: see whether others hold back what could run. */
static inline void look_at_outboxes(struct al_worker *self, const struct al_inverted *inverted,
                                    uint64_t misses)
{
    if (inverted->relief != NULL && misses % RELIEF_PASSES == 0)
        al_inverted_relieve(self);
}

/* A pass without work, the misses-th in a row. Returns how many there have been after it, or 0 to
 * leave the loop. Out of line, to keep the loop in registers. */
static __attribute__((noinline)) uint64_t idle(struct al_worker *self, uint64_t misses)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    if (al_worker_done(self))
        return 0;
    look_at_outboxes(self, inverted, misses);
    const struct al_idle_ops *idle_ops = self->system->idle_ops;
    if (inverted->steals && (idle_ops->steals != NULL ? idle_ops->steals(self, misses - 1)
                                                      : misses % inverted->steal_after == 0))
        (void)al_inverted_steal(self, inverted, 0);
    return misses + al_idle_wait(self, misses, passes_alike(self, inverted, misses));
}

/* The same with steal_least or steal_backoff. */
static __attribute__((noinline)) uint64_t idle_thrifty(struct al_worker *self, uint64_t misses)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_steal_backoff *backoff = &inverted->thrift[self->id].backoff;
    uint64_t most = inverted->steal_backoff;
    if (al_worker_done(self))
        return 0;
    look_at_outboxes(self, inverted, misses);
    const struct al_idle_ops *idle_ops = self->system->idle_ops;
    if ((idle_ops->steals != NULL ? idle_ops->steals(self, misses - 1)
                                  : misses % inverted->steal_after == 0) &&
        al_steal_backoff_due(backoff) &&
        !al_inverted_steal(self, inverted, inverted->steal_least) && most != 0)
        al_steal_backoff_failed(backoff, most);
    /* With a back-off, the time decides which look steals: no look is like the one before. */
    uint64_t alike = most != 0 ? 0 : passes_alike(self, inverted, misses);
    return misses + al_idle_wait(self, misses, alike);
}

/* Send what is due, between two gulps. With batching the outbox is empty then, and stays so. */
static inline __attribute__((always_inline)) void look_at_timers(struct al_worker *self,
                                                                 enum al_batching batching)
{
    struct al_share *share = self->scheduler;
    if (al_timers_look(self) && batching == AL_BATCHING_ON)
        al_outbox_flush(share->outbox);
}

/* The loop is compiled for each caller, where all arguments are constants; but not in run_chosen,
 * the only one with a lock that was chosen. */
static inline __attribute__((always_inline)) void
run(struct al_worker *self, enum al_queue_kind kind, enum al_batching batching, bool thrifty,
    bool traced, const struct al_lock_choice *chosen)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_share *share = self->scheduler;
    const struct al_atomic_ptr *first = &inverted->owned[share->first],
                               *end = &inverted->owned[share->end];
    uint32_t floor = inverted->capacity;
    bool steals = inverted->steals;
    struct al_thrift *thrift = thrifty ? &inverted->thrift[self->id] : NULL;
    uint64_t misses = 0; /* passes without work in a row */
    for (;;) {
        bool found = false;
        look_at_timers(self, batching);
        for (const struct al_atomic_ptr *slot = first; slot < end; slot++) {
            /* relaxed: QPCAS needs no more, and the mailbox's lock publishes what is in it. Never
             * NULL outside this worker's own steal (qpcas.h, (3)). */
            struct al_mailbox *mailbox = al_ptr_load_relaxed(slot);
            /* A look without the lock; what it misses is found in the next pass. */
            uint32_t length = al_mailbox_length(mailbox, kind, batching);
            if (length == 0)
                continue;
            look_at_timers(self, batching);
            if (traced)
                al_trace_between(self, length);
            found |= kind == AL_QUEUE_LIST ? gulp_list(self, mailbox, traced, chosen)
                     : batching == AL_BATCHING_ON
                         ? gulp_batched(self, share, mailbox, steals, floor, traced)
                         : gulp_copy(self, mailbox, floor, traced, chosen);
        }
        if (!found) {
            misses = thrifty ? idle_thrifty(self, misses + 1) : idle(self, misses + 1);
            if (misses == 0)
                return;
            continue;
        }
        if (misses != 0) {
            al_victim_rest(self->system->victim_ops, self);
            if (thrifty)
                al_steal_backoff_rest(&thrift->backoff);
            misses = 0;
        }
        if (thrifty)
            al_thrift_passed(thrift);
    }
}

static __attribute__((noinline)) void run_copy(struct al_worker *self)
{
    run(self, AL_QUEUE_COPY, AL_BATCHING_OFF, false, false, NULL);
}

static __attribute__((noinline)) void run_batched(struct al_worker *self)
{
    run(self, AL_QUEUE_COPY, AL_BATCHING_ON, false, false, NULL);
}

static __attribute__((noinline)) void run_list(struct al_worker *self)
{
    run(self, AL_QUEUE_LIST, AL_BATCHING_OFF, false, false, NULL);
}

/* Any of the three. thrifty and traced are constants. */
static inline __attribute__((always_inline)) void run_any(struct al_worker *self, bool thrifty,
                                                          bool traced)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    if (inverted->kind == AL_QUEUE_LIST)
        run(self, AL_QUEUE_LIST, AL_BATCHING_OFF, thrifty, traced, NULL);
    else if (inverted->batching == AL_BATCHING_ON)
        run(self, AL_QUEUE_COPY, AL_BATCHING_ON, thrifty, traced, NULL);
    else
        run(self, AL_QUEUE_COPY, AL_BATCHING_OFF, thrifty, traced, NULL);
}

static __attribute__((noinline)) void run_traced(struct al_worker *self)
{
    run_any(self, false, true);
}

/* Another lock than the default; the loop of the chapter's executor has no more branches than with
 * the default. */
static __attribute__((noinline)) void run_chosen(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    bool thrifty = inverted->thrift != NULL, traced = self->trace != NULL;
    if (inverted->kind == AL_QUEUE_COPY && !thrifty && !traced)
        run(self, AL_QUEUE_COPY, AL_BATCHING_OFF, false, false, &inverted->lock);
    else
        run(self, inverted->kind, AL_BATCHING_OFF, thrifty, traced, &inverted->lock);
}

static __attribute__((noinline)) void run_rarer(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    if (inverted->loop == AL_LOOP_CHOSEN) {
        run_chosen(self);
        return;
    }
    if (self->trace != NULL)
        run_any(self, true, true);
    else
        run_any(self, true, false);
}

void al_inverted_run(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    if (inverted->loop >= AL_LOOP_THRIFTY)
        run_rarer(self);
    else if (self->trace != NULL)
        run_traced(self);
    else if (inverted->kind == AL_QUEUE_LIST)
        run_list(self);
    else if (inverted->loop == AL_LOOP_BATCHED)
        run_batched(self);
    else
        run_copy(self);
}
