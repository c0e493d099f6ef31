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
 * Invariants
 *   (1) each block is in use, in one pool, or in one bundle of the depot
 *   (2) n_free < 2 AL_BUNDLE, and each bundle has AL_BUNDLE blocks
 *
 * Concurrency: a pool is its worker's own; the depot has a lock, which publishes the bundles and
 * whatever their blocks were used for.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
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
    uint64_t unused;
};

_Static_assert(sizeof(struct al_pool) == AL_CACHE_LINE_BYTES, "a pool is a line");

/* Begin an empty pool of blocks of so many bytes: at least those of a struct al_block, and a
 * multiple of its alignment. Blocks are aligned as the largest power of two that divides their
 * size, up to two cache lines. */
static inline void al_pool_init(struct al_pool *pool, struct al_depot *depot, uint32_t block_bytes)
{
    *pool = (struct al_pool){.depot = depot, .block_bytes = block_bytes};
}

/* The rest of the two below: puts blocks into an empty pool, or ends the program if there is no
 * memory; passes a bundle on. */
void al_pool_fill(struct al_pool *pool);
void al_pool_trim(struct al_pool *pool);

/* A block. Owner only. */
static inline void *al_pool_take(struct al_pool *pool)
{
    if (__builtin_expect(pool->free == NULL, 0))
        al_pool_fill(pool);
    struct al_block *block = pool->free;
    pool->free = block->next;
    pool->n_free--;
    return block;
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
