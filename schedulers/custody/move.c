/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/custody.h"

#include <string.h>

/*
 * Moving shards from worker to worker, without overtaking: messages from one actor to another
 * arrive in the order of their sends, wherever the two actors are run meanwhile. Only the owner
 * gives a shard away, between two messages; nobody waits for an answer, and the giver goes on at
 * once.
 *
 * Invariant: while worker X owns the actors of shard s,
 *   (1) what these actors have sent is in no outbox of another worker, and
 *   (2) messages to s are neither in an outbox of X nor, if an actor of X sent them, among the
 *       arrivals of s
 * so what an actor of s sends next cannot arrive before what it sent earlier. To keep it, steps
 * have an order:
 *   give   hand over all outboxes (1); own the shards no more; part the queue; release the grant;
 *          wake the taker
 *   take   acquire the grant; hand over the own outboxes (2); append the parcel; own the shards;
 *          take in what has arrived for *all* own shards, completely (2); only then deliver or send
 * docs/explanation/custody.md shows what goes wrong without each.
 */

struct al_shard *al_custody_disown(struct al_worker *self, struct al_shard *shard, uint32_t to,
                                   struct al_shard *given)
{
    struct al_custodian *mine = self->scheduler;
    mine->routes.to[shard->number] = &mine->outboxes[shard->number];
    struct al_own last = mine->own[--mine->n_own];
    mine->own[shard->position] = last;
    last.shard->position = shard->position;
    /* relaxed: the release of the grant orders it before the wake-up of the taker. Whoever still
     * reads the old owner wakes a worker for nothing; the taker takes in all that has arrived. */
    al_u32_store_relaxed(&shard->owner, to);
    shard->lead = given != NULL ? given : shard;
    shard->next = given != NULL ? given->next : NULL;
    shard->lead->next = given != NULL ? shard : NULL;
    return shard->lead;
}

void al_custody_own(struct al_custodian *mine, struct al_shard *shard)
{
    shard->position = mine->n_own;
    bool is_parent = shard->split.derived != NULL;
    mine->splitting.n_parents += is_parent;
    mine->own[mine->n_own++] = (struct al_own){shard->input, shard, shard->reader.taken,
                                               shard->number, is_parent};
    mine->routes.to[shard->number] = &mine->routes.own;
    for (struct al_shard *d = shard->split.derived; d != NULL; d = d->split.next)
        mine->routes.to[d->number] = &mine->routes.own;
}

/* Move what is in the queue for shards that are no longer owned to the parcels of their leads; all
 * keep their order. */
static void part(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_shard *shards = al_custody_of(self)->shards;
    if (al_custody_empty(mine))
        return;
    struct al_chunk *chunk = mine->first, *last = mine->last;
    const struct al_envelope *read = mine->read;
    last->end = mine->routes.own.tail;
    al_custody_begin(self);
    for (;;) {
        for (; read < chunk->end; read++) {
            const struct al_envelope *ahead = read + AL_FETCH_AHEAD;
            al_prefetch((ahead < chunk->end ? ahead : read)->actor);
            uintptr_t number = read->actor->route;
            if (mine->routes.to[number] == &mine->routes.own)
                al_custody_keep(self, *read);
            else
                al_parcel_pack(&shards[number].lead->parcel, &mine->pool, *read);
        }
        struct al_chunk *empty = chunk;
        chunk = al_chunk_next(chunk);
        al_pool_give(&mine->pool, empty);
        if (empty == last)
            break;
        read = chunk->envelopes;
    }
}

void al_custody_grant(struct al_worker *self, struct al_shard *given, uint32_t to)
{
    struct al_custodian *theirs = self->system->workers[to].scheduler;
    part(self);
    /* release: partner is the acquire in al_custody_answered. It hands over the shards, their
     * messages, and the states of their actors. */
    al_ptr_store_release(&theirs->grant, given);
}

/* Release a gift, and wake who gets it. */
static void release_gift(struct al_worker *self, struct al_shard *given, uint32_t to)
{
    struct al_custodian *theirs = self->system->workers[to].scheduler;
    struct al_shard *last = given;
    while (last->next != NULL)
        last = last->next;
    void *others = al_ptr_load_relaxed(&theirs->gift); /* relaxed: the CAS checks the guess */
    do
        last->next = others;
    /* acq_rel: partner is the acquire in al_custody_receive. The release hands over as in
     * al_custody_grant; the acquire passes on what others have given before. */
    while (!al_ptr_cas_acq_rel(&theirs->gift, &others, given));
    al_idle_wake(self->system, to);
}

void al_custody_donate(struct al_worker *self, struct al_shard *given, uint32_t to)
{
    part(self);
    release_gift(self, given, to);
}

void al_custody_hand_back(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    uint32_t n = self->system->n_workers,
             *leads = mine->cut.counts; /* by worker: a shard + 1, or 0 */
    memset(leads, 0, n * sizeof *leads);
    al_custody_flush(self);
    for (uint32_t i = mine->n_own; i > 0; i--) {
        struct al_shard *shard = mine->own[i - 1].shard;
        uint32_t to = shard->lent_by - 1;
        if (shard->lent_by == 0 || to == self->id || mine->own[i - 1].is_parent)
            continue;
        struct al_shard *given = leads[to] != 0 ? &custody->shards[leads[to] - 1] : NULL;
        shard->lent_by = 0;
        leads[to] = al_custody_disown(self, shard, to, given)->number + 1;
    }
    part(self);
    for (uint32_t to = 0; to < n; to++) {
        if (leads[to] == 0)
            continue;
        release_gift(self, &custody->shards[leads[to] - 1], to);
        al_custody_refuse(self, to);
    }
}

bool al_custody_receive(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    if (al_ptr_load_relaxed(&mine->gift) == NULL) /* relaxed: a guess; the exchange decides */
        return false;
    /* acquire: partner is the release in al_custody_donate */
    struct al_shard *given = al_ptr_exchange_acquire(&mine->gift, NULL);
    (void)al_custody_take(self, given);
    return true;
}

struct al_taken al_custody_take(struct al_worker *self, struct al_shard *given)
{
    struct al_custodian *mine = self->scheduler;
    struct al_taken taken = {0, 0};
    al_custody_flush(self);
    for (struct al_shard *shard = given, *next; shard != NULL; shard = next) {
        next = shard->next;
        for (struct al_chunk *c = shard->parcel.first; c != NULL; c = al_chunk_next(c))
            taken.messages += (uint64_t)(c->end - c->envelopes);
        al_custody_append(self, shard->parcel);
        shard->parcel = (struct al_parcel){NULL, NULL};
        al_custody_own(mine, shard);
        taken.shards++;
    }
    al_custody_take_in(self);
    return taken;
}
