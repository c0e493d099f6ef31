/* SPDX-License-Identifier: MIT */
#ifndef AL_CHUNK_H
#define AL_CHUNK_H

/*
 * Envelopes in chunks of a kilobyte. A worker fills a chunk alone and hands it over whole, so that
 * an envelope is written once and read once, and what another worker must learn of 42 messages is
 * one pointer. Chunks come from a worker's pool and return to the pool of whoever empties them.
 */

#include "core/memory/pool.h"
#include "core/plugin/scheduler.h"

#define AL_CHUNK_BYTES     1024
#define AL_CHUNK_ENVELOPES ((AL_CHUNK_BYTES - 2 * sizeof(void *)) / sizeof(struct al_envelope))
#define AL_CHUNK_FEW       16 /* a guess of how many messages are in a chunk that is handed over */

struct al_chunk {
    /* the next younger one; while it is among the arrivals of a shard: the next older one */
    struct al_atomic_ptr next;
    struct al_envelope *end; /* behind the last envelope; unknown while somebody fills the chunk */
    struct al_envelope envelopes[AL_CHUNK_ENVELOPES];
};

_Static_assert(sizeof(struct al_chunk) == AL_CHUNK_BYTES, "the limit of a chunk must be its end");

/* Chunks in the order of their messages. */
struct al_parcel {
    struct al_chunk *first, *last; /* NULL: none */
};

static inline struct al_chunk *al_chunk_next(const struct al_chunk *chunk)
{
    return al_ptr_load_relaxed(&chunk->next); /* relaxed: the owner's, or known to be linked */
}

static inline void al_chunk_link(struct al_chunk *chunk, struct al_chunk *next)
{
    al_ptr_store_relaxed(&chunk->next, next); /* relaxed: published with the chunk */
}

/* Fetch the messages of a chunk that another worker has written; its first line has come. */
static inline void al_chunk_prefetch(const struct al_chunk *chunk)
{
    const char *line = (const char *)chunk, *end = (const char *)chunk->end;
    while ((line += AL_CACHE_LINE_BYTES) < end)
        al_prefetch(line);
}

/* The chunk whose envelopes end at `limit`. */
static inline struct al_chunk *al_chunk_of(const struct al_envelope *limit)
{
    return (struct al_chunk *)(uintptr_t)limit - 1;
}

static inline struct al_envelope *al_chunk_limit(struct al_chunk *chunk)
{
    return chunk->envelopes + AL_CHUNK_ENVELOPES;
}

/* A chunk without a successor. Ends the program if there is no memory. Owner of the pool only. */
static inline struct al_chunk *al_chunk_new(struct al_pool *pool)
{
    struct al_chunk *chunk = al_pool_take(pool);
    al_chunk_link(chunk, NULL);
    return chunk;
}

/* Append a chunk to a parcel. */
static inline void al_parcel_link(struct al_parcel *parcel, struct al_chunk *chunk)
{
    if (parcel->last == NULL)
        parcel->first = chunk;
    else
        al_chunk_link(parcel->last, chunk);
    al_chunk_link(chunk, NULL);
    parcel->last = chunk;
}

/* Append a message to a parcel, in a chunk of that pool if it needs one. Owner of the pool only. */
static inline void al_parcel_pack(struct al_parcel *parcel, struct al_pool *pool,
                                  struct al_envelope envelope)
{
    if (parcel->last == NULL || parcel->last->end == al_chunk_limit(parcel->last)) {
        struct al_chunk *chunk = al_chunk_new(pool);
        chunk->end = chunk->envelopes;
        al_parcel_link(parcel, chunk);
    }
    *parcel->last->end++ = envelope;
}

#endif
