/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_SEIZE_H
#define AL_CUSTODY_SEIZE_H

/*
 * Seizing: an idle worker T takes what waits at a worker O that is inside a long behaviour,
 * whatever that does: it computes, sleeps, or waits for an actor whose messages are in O's own
 * queue.
 *
 * O says where it is. Between two batches of messages it is in its own code, and `at` is NULL;
 * there it looks at `seized`. Before each message of a batch it stores `at`; then, but for the
 * first one, it loads `seized`, and runs the behaviour only if that is 0. A send for which a route
 * has no room, a new actor that begins a block, and the end of an actor are O's own code, too. T
 * holds the gate, and
 *
 *     seized = 1; membarrier    from now on O begins no behaviour, and waits for the gate where it
 *                               comes to its own code; or it is there already: T gives up
 *     at                        the message that O runs, or was about to run
 *     hand over the own outboxes, and copies of what is in O's
 *     own all of O's shards but that message's
 *     take copies of all that waits behind it, but for that shard's own messages
 *     take in what has arrived
 *
 * `seized` stays, so that T may come again for what the behaviour has sent since, without a
 * barrier. O, when it comes to its own code, waits for the gate, forgets what T has copied, and
 * passes on what it has sent since to those that have its shards now. Which of its messages are for
 * shards that it has lost O learns only then: until then they are in its queue, as in an outbox.
 *
 * Invariants
 *   (1) with `seized` unset nobody but O reads or writes O's queue, outboxes and list of shards
 *   (2) with `seized` set they change only under the gate, but for messages that a behaviour adds
 *       at the end of a chunk (core/worker.h: tail is exposed)
 *   (3) the actors of a shard are run by one worker: by O until a barrier after which it begins no
 *       behaviour but those of the shard that it keeps
 *   (4) those of move.c
 * tests/models/seize.py looks at every interleaving, and shows what goes wrong without each step.
 *
 * Memory order: the release of `at` publishes all that O did before in its own code; so T, which
 * acquires it, may read that. What O reads of T's it reads under the gate.
 */

#include "schedulers/custody/chunk.h"

struct al_seizure {
    /* the owner's, read by others: the message whose behaviour it runs, or NULL */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_ptr at;

    /* set by who seizes, under the gate, or by the owner to end a batch; taken back by the owner */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 seized;
    struct al_spinlock gate;
    /* under the gate */
    const struct al_envelope *message; /* that the owner ran; NULL: nothing has been taken */
    uint32_t shard;                    /* its receiver's, which the owner keeps */
    struct al_chunk *chunk;            /* the end of what has been copied, in this one */
    const struct al_envelope *copied;
    struct al_parcel kept;   /* what the owner keeps of that */
    uint32_t *outbox_copied; /* by shard: messages of the outbox that have been handed over */
};

/* This is the message whose behaviour runs next. Owner only. */
static inline void al_seizure_at(struct al_seizure *seizure, const struct al_envelope *envelope)
{
    /* release: partner is the acquire in halt */
    al_ptr_store_release(&seizure->at, (void *)(uintptr_t)envelope);
}

/* The same for a message that is not the first one of its batch. False: it must not run, the batch
 * is over. Owner only. */
static inline bool al_seizure_goes_on(struct al_seizure *seizure,
                                      const struct al_envelope *envelope)
{
    al_seizure_at(seizure, envelope);
    al_fence_light(); /* partner: the membarrier in halt */
    return __builtin_expect(al_u32_load_relaxed(&seizure->seized) == 0, 1);
}

/* End the batch after the message that runs. Owner only, in its own code. */
static inline void al_seizure_end_batch(struct al_seizure *seizure)
{
    al_u32_store_relaxed(&seizure->seized, 1); /* relaxed: its own, if nobody else's */
}

#endif
