/* SPDX-License-Identifier: MIT */
#ifndef AL_POOL_H
#define AL_POOL_H

/*
 * Blocks of one size from free lists. A worker takes blocks from its pool and gives back what it
 * no longer needs, wherever that came from: a block belongs to whoever frees it. A pool that grows
 * too large passes a bundle of blocks on to the depot, where pools that have run out find it; so a
 * lock is taken once for AL_BUNDLE blocks. Memory is allocated in slabs, each by the worker that
 * needs it first, and released with the pools, all at once.
 *
 * A pool whose source is malloc has no blocks: each is from malloc, and goes back to free. It is at
 * once empty and about to overflow, so that only the paths that are rare otherwise ask for the
 * source.
 *
 * Invariants
 *   (1) each block is in use, in one pool, or in one bundle of the depot
 *   (2) n_free < 2 AL_BUNDLE, and each bundle has AL_BUNDLE blocks
 *   (3) source == AL_MALLOC: between two calls free == NULL and n_free == 2 AL_BUNDLE - 1
 *
 * Concurrency: a pool is its worker's own; the depot has a lock, which publishes the bundles and
 * whatever their blocks were used for.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory/source.h"
#include "core/sync/sync.h"

#define AL_BUNDLE 64 /* blocks */

/* A block that is not in use. */
struct al_block {
    struct al_block *next;
    struct al_block *bundle; /* of the first of a bundle in the depot: the next bundle */
};

struct al_slab {
    struct al_slab *next;
};

/* All zero: empty. */
struct al_depot {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    struct al_atomic_ptr bundles; /* written under the lock */
};

struct al_pool {
    struct al_block *free;
    uint32_t n_free;
    uint32_t block_bytes;
    struct al_depot *depot;
    char *fresh; /* blocks that were never used */
    uint32_t n_fresh, n_slabs;
    struct al_slab *slabs;
    uint64_t bytes; /* in slabs */
    enum al_source source;
    uint32_t unused;
};

_Static_assert(AL_CACHE_LINE_BYTES % sizeof(struct al_pool) == 0, "no pool lies in two lines");

/* Begin an empty pool of blocks of so many bytes: at least those of a struct al_block, and a
 * multiple of its alignment. Blocks are aligned as the largest power of two that divides their
 * size, up to two cache lines; from malloc, as that aligns them. */
void al_pool_init(struct al_pool *pool, struct al_depot *depot, uint32_t block_bytes,
                  enum al_source source);

/* The rest of the two below. An empty pool: a block; ends the program if there is no memory. One
 * that is too full: passes a bundle on, or frees the block. */
void *al_pool_refill(struct al_pool *pool, size_t bytes);
void al_pool_trim(struct al_pool *pool);

/* The same as al_pool_take_for, but NULL if there is no memory. Owner only. */
void *al_pool_try(struct al_pool *pool, size_t bytes);

/* A block for an object of so many bytes, at most block_bytes; malloc is asked for just these.
 * Owner only. */
static inline void *al_pool_take_for(struct al_pool *pool, size_t bytes)
{
    struct al_block *block = pool->free;
    if (__builtin_expect(block == NULL, 0))
        return al_pool_refill(pool, bytes);
    pool->free = block->next;
    pool->n_free--;
    return block;
}

/* A whole block. Owner only. */
static inline void *al_pool_take(struct al_pool *pool)
{
    return al_pool_take_for(pool, pool->block_bytes);
}

/* Give a block back that this or another pool of the depot has given out. Owner only. */
static inline void al_pool_give(struct al_pool *pool, void *memory)
{
    struct al_block *block = memory;
    block->next = pool->free;
    pool->free = block;
    if (__builtin_expect(++pool->n_free == 2 * AL_BUNDLE, 0))
        al_pool_trim(pool);
}

/* Release the slabs: nobody uses a block of them any more, nor the depot. */
void al_pool_fini(struct al_pool *pool);

#endif
