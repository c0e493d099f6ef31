/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/custody.h"

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

#define PREFETCH_DISTANCE 8 /* envelopes */

void al_custody_disown(struct al_worker *self, struct al_shard *shard, uint32_t to)
{
    struct al_custodian *mine = self->scheduler;
    mine->routes[shard->number] = &mine->outboxes[shard->number];
    struct al_own last = mine->own[--mine->n_own];
    mine->own[shard->position] = last;
    last.shard->position = shard->position;
    /* relaxed: the release of the grant orders it before the wake-up of the taker. Whoever still
     * reads the old owner wakes a worker for nothing; the taker takes in all that has arrived. */
    al_u32_store_relaxed(&shard->owner, to);
}

void al_custody_own(struct al_custodian *mine, struct al_shard *shard)
{
    shard->position = mine->n_own;
    mine->own[mine->n_own++] = (struct al_own){shard->input, shard, shard->reader.taken};
    mine->routes[shard->number] = &mine->local;
}

/* Move what is in the queue for shards that are no longer owned to a parcel; both keep their
 * order. */
static struct al_parcel part(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_parcel parcel = {NULL, NULL};
    if (al_custody_empty(mine))
        return parcel;
    struct al_chunk *chunk = mine->first, *last = mine->last;
    struct al_envelope *read = mine->read, *tail = NULL, *limit = NULL;
    last->end = mine->local.tail;
    al_custody_begin(self);
    for (;;) {
        for (; read < chunk->end; read++) {
            const struct al_envelope *ahead = read + PREFETCH_DISTANCE;
            al_prefetch((ahead < chunk->end ? ahead : read)->actor);
            if (mine->routes[read->actor->route] == &mine->local) {
                al_custody_keep(self, *read);
                continue;
            }
            if (tail == limit) {
                struct al_chunk *fresh = al_chunk_new(&mine->pool);
                if (parcel.first == NULL) {
                    parcel.first = fresh;
                } else {
                    parcel.last->end = tail;
                    al_chunk_link(parcel.last, fresh);
                }
                parcel.last = fresh;
                tail = fresh->envelopes;
                limit = al_chunk_limit(fresh);
            }
            *tail++ = *read;
        }
        struct al_chunk *empty = chunk;
        chunk = al_chunk_next(chunk);
        al_pool_give(&mine->pool, empty);
        if (empty == last)
            break;
        read = chunk->envelopes;
    }
    if (parcel.last != NULL)
        parcel.last->end = tail;
    return parcel;
}

void al_custody_grant(struct al_worker *self, struct al_shard *given, uint32_t to)
{
    struct al_custodian *theirs = self->system->workers[to].scheduler;
    given->parcel = part(self);
    /* release: partner is the acquire in al_custody_answered. It hands over the shards, their
     * messages, and the states of their actors. */
    al_ptr_store_release(&theirs->grant, given);
}

void al_custody_donate(struct al_worker *self, struct al_shard *given, uint32_t to)
{
    struct al_custodian *theirs = self->system->workers[to].scheduler;
    given->parcel = part(self);
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
