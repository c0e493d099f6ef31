/* SPDX-License-Identifier: MIT */
#ifndef AL_CHUNK_H
#define AL_CHUNK_H

/*
 * Envelopes in chunks of a kilobyte. A worker fills a chunk alone and hands it over whole, so that
 * an envelope is written once and read once, and what another worker must learn of 42 messages is
 * one pointer.
 *
 * Chunks come from a worker's pool and return to the pool of whoever empties them. A pool that
 * grows too large passes bundles on to the depot, where the pools of others find them. Memory is
 * allocated in slabs, each by the worker that needs it first, and freed with the system.
 *
 * Concurrency: a pool is its worker's own; the depot has a lock.
 */

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

struct al_slab {
    struct al_slab *next;
};

#define AL_BUNDLE 64 /* chunks */

struct al_chunk_pool {
    struct al_chunk *free;
    uint32_t n_free;
    struct al_slab *slabs; /* what it has allocated */
    struct al_chunk *fresh;
    uint32_t n_fresh, n_slabs;
    uint64_t bytes; /* in slabs */
};

struct al_chunk_depot {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    /* bundles of AL_BUNDLE linked chunks; the first of each has the next bundle as its `end` */
    struct al_atomic_ptr bundles;
};

static inline struct al_chunk *al_chunk_next(const struct al_chunk *chunk)
{
    return al_ptr_load_relaxed(&chunk->next); /* relaxed: the owner's, or known to be linked */
}

static inline void al_chunk_link(struct al_chunk *chunk, struct al_chunk *next)
{
    al_ptr_store_relaxed(&chunk->next, next); /* relaxed: published with the chunk */
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

/* The rest of the two below: fills an empty pool; passes a bundle on. */
void al_chunk_pool_fill(struct al_chunk_pool *pool, struct al_chunk_depot *depot);
void al_chunk_pool_trim(struct al_chunk_pool *pool, struct al_chunk_depot *depot);

/* A chunk without a successor. Ends the program if there is no memory. */
static inline struct al_chunk *al_chunk_new(struct al_chunk_pool *pool,
                                            struct al_chunk_depot *depot)
{
    if (__builtin_expect(pool->free == NULL, 0))
        al_chunk_pool_fill(pool, depot);
    struct al_chunk *chunk = pool->free;
    pool->free = al_chunk_next(chunk);
    pool->n_free--;
    al_chunk_link(chunk, NULL);
    return chunk;
}

static inline void al_chunk_free(struct al_chunk_pool *pool, struct al_chunk_depot *depot,
                                 struct al_chunk *chunk)
{
    al_chunk_link(chunk, pool->free);
    pool->free = chunk;
    if (__builtin_expect(++pool->n_free == 2 * AL_BUNDLE, 0))
        al_chunk_pool_trim(pool, depot);
}

/* Release the slabs; nobody uses a chunk of them any more. */
void al_chunk_pool_fini(struct al_chunk_pool *pool);

#endif
