/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/seize.h"

#include <string.h>

#include "schedulers/custody/custody.h"

/* Taking what waits at a worker that is inside a long behaviour; seize.h has the protocol. */

/* The shard that its receiver's stays with. Who owns that one may just be splitting it. */
static uint32_t family_of(const struct al_worker *self, const struct al_envelope *envelope)
{
    return al_custody_family(al_custody_of(self), al_glimpse(envelope->actor->route));
}

/* Send a message that another worker has sent. Owner only. */
static void pass_on(struct al_worker *self, struct al_envelope envelope)
{
    struct al_custodian *mine = self->scheduler;
    struct al_route *route = mine->routes.to[al_glimpse(envelope.actor->route)];
    if (route->tail < route->limit)
        *route->tail++ = envelope;
    else
        al_custody_send(self, envelope.actor, envelope.message, envelope.behaviour);
}

/* The owner's part */

/* Forget of the outboxes what has been handed over. */
static void drop_copied(struct al_custodian *mine)
{
    for (uint32_t i = 0; i < mine->n_filled; i++) {
        uint32_t number = mine->filled[i], n = mine->seizure.outbox_copied[number];
        struct al_route *outbox = &mine->outboxes[number];
        struct al_envelope *first = al_chunk_of(outbox->limit)->envelopes;
        memmove(first, first + n, (size_t)(outbox->tail - (first + n)) * sizeof *first);
        outbox->tail -= n;
        mine->seizure.outbox_copied[number] = 0;
    }
}

/* Own that shard alone, and what is derived from it. */
static void keep_only(struct al_worker *self, uint32_t number)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_custody *custody = al_custody_of(self);
    struct al_shard *kept = &custody->shards[number];
    uint64_t taken = mine->own[kept->position].taken;
    for (uint32_t i = 0; i < custody->n_shards; i++)
        mine->routes.to[i] = &mine->outboxes[i];
    mine->n_own = mine->splitting.n_parents = 0;
    al_custody_own(mine, kept);
    mine->own[0].taken = taken;
}

/* Make the queue of the message that ran, and of what is kept behind it. */
static void replace_queue(struct al_custodian *mine, struct al_parcel kept)
{
    struct al_chunk *first = mine->first,
                    *chunk = first != mine->last ? al_chunk_next(first) : NULL;
    for (struct al_chunk *next; chunk != NULL; chunk = next) {
        next = chunk != mine->last ? al_chunk_next(chunk) : NULL;
        al_pool_give(&mine->pool, chunk);
    }
    mine->last = first;
    mine->last_but_one = NULL;
    mine->n_chunks = 1;
    mine->routes.own.tail = (struct al_envelope *)(uintptr_t)mine->seizure.message + 1;
    mine->routes.own.limit = al_chunk_limit(first);
    al_chunk_link(first, NULL);
    al_custody_link(mine, kept);
}

void al_custody_repair(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_seizure *seizure = &mine->seizure;
    al_spinlock_lock(&seizure->gate);
    al_u32_store_relaxed(&seizure->seized, 0); /* relaxed: the gate orders it */
    if (seizure->message != NULL) {
        struct al_parcel kept = seizure->kept;
        drop_copied(mine);
        keep_only(self, seizure->shard);
        mine->last->end = mine->routes.own.tail;
        const struct al_envelope *e = seizure->copied;
        for (struct al_chunk *chunk = seizure->chunk;; e = chunk->envelopes) {
            for (; e < chunk->end; e++) {
                if (family_of(self, e) == seizure->shard)
                    al_parcel_pack(&kept, &mine->pool, *e);
                else
                    pass_on(self, *e);
            }
            if (chunk == mine->last)
                break;
            chunk = al_chunk_next(chunk);
        }
        replace_queue(mine, kept);
        seizure->message = NULL;
        seizure->kept = (struct al_parcel){NULL, NULL};
    }
    al_spinlock_unlock(&seizure->gate);
}

/* The thief's part */

/* Hand over copies of what is in the other's outboxes. */
static void copy_outboxes(struct al_worker *self, struct al_custodian *theirs)
{
    struct al_custodian *mine = self->scheduler;
    for (uint32_t i = 0; i < theirs->n_filled; i++) {
        uint32_t number = theirs->filled[i], *copied = &theirs->seizure.outbox_copied[number];
        struct al_route *outbox = &theirs->outboxes[number];
        struct al_envelope *first = al_chunk_of(outbox->limit)->envelopes;
        uint32_t n = (uint32_t)(al_glimpse(outbox->tail) - first);
        struct al_parcel parcel = {NULL, NULL};
        for (; *copied < n; ++*copied)
            al_parcel_pack(&parcel, &mine->pool, first[*copied]);
        if (parcel.first != NULL)
            al_custody_hand_over(self, number, parcel.first);
    }
}

/* Take copies of what the other has in its queue, and this worker has not copied yet. */
static uint64_t copy_queue(struct al_worker *self, struct al_custodian *theirs)
{
    struct al_custodian *mine = self->scheduler;
    struct al_seizure *seizure = &theirs->seizure;
    struct al_chunk *chunk = seizure->chunk;
    const struct al_envelope *e = seizure->copied;
    uint64_t n = 0;
    for (;;) {
        const struct al_envelope *end = chunk != theirs->last ? chunk->end
                                                              : al_glimpse(theirs->routes.own.tail);
        for (; e < end; e++) {
            const struct al_envelope *ahead = e + AL_FETCH_AHEAD;
            al_prefetch((ahead < end ? ahead : e)->actor);
            if (family_of(self, e) == seizure->shard) {
                al_parcel_pack(&seizure->kept, &mine->pool, *e);
            } else {
                pass_on(self, *e);
                n++;
            }
        }
        if (chunk == theirs->last)
            break;
        chunk = al_chunk_next(chunk);
        e = chunk->envelopes;
    }
    seizure->chunk = chunk;
    seizure->copied = e;
    return n;
}

/* Own what the other owns, but for the shard whose behaviour runs there. */
static uint32_t own_theirs(struct al_worker *self, struct al_custodian *theirs)
{
    struct al_custodian *mine = self->scheduler;
    uint32_t n = 0;
    for (uint32_t i = 0; i < theirs->n_own; i++) {
        struct al_shard *shard = theirs->own[i].shard;
        if (shard->number == theirs->seizure.shard)
            continue;
        shard->lent_by = 0;
        /* relaxed: this worker takes in all that has arrived, and looks again before it sleeps */
        al_u32_store_relaxed(&shard->owner, self->id);
        for (struct al_shard *d = shard->split.derived; d != NULL; d = d->split.next)
            al_u32_store_relaxed(&d->owner, self->id);
        al_custody_own(mine, shard);
        n++;
    }
    return n;
}

/* Whether there is a message where the other one is. Else it is about to find that its batch was
 * over. */
static bool is_message(const struct al_custodian *theirs, const struct al_envelope *at)
{
    const struct al_chunk *chunk = theirs->first;
    return at < (chunk != theirs->last ? chunk->end : al_glimpse(theirs->routes.own.tail));
}

/* Stop the other where it is. False: it is in its own code. */
static bool halt(const struct al_custody *custody, struct al_custodian *theirs)
{
    struct al_seizure *seizure = &theirs->seizure;
    /* acquire, here and below: partner is the release in al_seizure_at */
    if (seizure->message != NULL) /* again, and for as long as it has not been here since */
        return al_ptr_load_acquire(&seizure->at) == seizure->message;
    al_u32_store_relaxed(&seizure->seized, 1); /* relaxed: the barrier orders it */
    al_membarrier();
    const struct al_envelope *at = al_ptr_load_acquire(&seizure->at);
    if (at == NULL || !is_message(theirs, at))
        return false;
    seizure->message = at;
    seizure->shard = al_custody_family(custody, al_glimpse(at->actor->route));
    seizure->chunk = theirs->first;
    seizure->copied = at + 1;
    return true;
}

/* Take these, which are for another worker. */
static void divert(struct al_worker *self, struct al_shard *given)
{
    /* relaxed: as in own_theirs */
    for (struct al_shard *shard = given; shard != NULL; shard = shard->next)
        al_u32_store_relaxed(&shard->owner, self->id);
    if (given != NULL)
        (void)al_custody_take(self, given);
}

/* Take shards that others have given to this one, which has not seen them. */
static void take_given(struct al_worker *self, struct al_custodian *theirs)
{
    /* acquire, both: partners are the releases in move.c */
    void *grant = al_ptr_load_acquire(&theirs->grant);
    if (grant != NULL && grant != AL_REFUSED) {
        al_ptr_store_relaxed(&theirs->grant, AL_REFUSED); /* relaxed: under the gate */
        divert(self, grant);
    }
    divert(self, al_ptr_exchange_acquire(&theirs->gift, NULL));
}

bool al_custody_seize(struct al_worker *self, uint32_t victim)
{
    struct al_custodian *theirs = self->system->workers[victim].scheduler;
    struct al_seizure *seizure = &theirs->seizure;
    if (!al_spinlock_try(&seizure->gate))
        return false;
    bool again = seizure->message != NULL, found = halt(al_custody_of(self), theirs);
    if (found) {
        uint32_t n_shards = 0;
        al_custody_flush(self);
        copy_outboxes(self, theirs);
        if (!again)
            n_shards = own_theirs(self, theirs);
        uint64_t n = copy_queue(self, theirs);
        (void)al_custody_take_in(self);
        take_given(self, theirs);
        al_custody_flush(self);
        found = !al_custody_empty(self->scheduler);
        if (n_shards != 0) {
            al_victim_attempt(self);
            al_stole(self, victim, n_shards, n);
        }
    }
    al_spinlock_unlock(&seizure->gate);
    return found;
}
