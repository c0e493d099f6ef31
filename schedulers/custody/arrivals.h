/* SPDX-License-Identifier: MIT */
#ifndef AL_ARRIVALS_H
#define AL_ARRIVALS_H

/*
 * The chunks that other workers have sent to a shard: a stack of them. To add one takes a single
 * exchange, which never fails and waits for nobody; the owner takes all and turns them round.
 *
 * Invariants
 *   (1) the exchanges put all chunks that were ever added in one order; a chunk's `next` is the one
 *       before it in that order, or NULL if that one had been taken, or AL_PENDING as long as
 *       whoever added the chunk has not linked it yet
 *   (2) what lies behind a pending link is older and not known: it must not be overtaken. So the
 *       owner waits for the link, which is two instructions away from the exchange
 *
 * Memory order: the exchange of add is acq_rel. Its release publishes the chunk's contents; and
 * since later exchanges continue its release sequence, the acquire of whoever takes a younger chunk
 * sees all older ones too. A link is written with release and read with acquire, not for what it
 * leads to, which was published by the exchange before, but for its own place: whoever takes the
 * chunk frees it, and then that place is the pool's. Without the two the link could be written into
 * a chunk that is free.
 *
 * Concurrency: any worker adds; only the owner takes.
 */

#include "schedulers/custody/chunk.h"

#define AL_PENDING       ((void *)1)
#define AL_PENDING_LOOKS 64 /* then whoever is to link may need this PU */

/* Add a chunk. True: there was none, so that the owner may not know of it. Any worker. */
static inline bool al_arrivals_add(struct al_atomic_ptr *arrivals, struct al_chunk *chunk)
{
    al_ptr_store_relaxed(&chunk->next, AL_PENDING);
    void *older = al_ptr_exchange_acq_rel(arrivals, chunk);
    al_ptr_store_release(&chunk->next, older); /* partner: the acquire in al_arrivals_take */
    return older == NULL;
}

/* Take all, the oldest first. Owner only. */
static inline struct al_parcel al_arrivals_take(struct al_atomic_ptr *arrivals)
{
    struct al_parcel parcel = {NULL, NULL};
    /* acquire: partner is the release of each exchange in al_arrivals_add */
    struct al_chunk *chunk = al_ptr_exchange_acquire(arrivals, NULL);
    parcel.last = chunk;
    while (chunk != NULL) {
        void *older;
        for (uint32_t looks = 0; (older = al_ptr_load_acquire(&chunk->next)) == AL_PENDING; looks++)
            looks < AL_PENDING_LOOKS ? al_pause() : al_yield();
        al_chunk_prefetch(chunk);
        al_chunk_link(chunk, parcel.first);
        parcel.first = chunk;
        chunk = older;
    }
    return parcel;
}

#endif
