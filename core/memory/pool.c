/* SPDX-License-Identifier: MIT */
#include "core/memory/pool.h"

#define FIRST_SLAB   8192 /* bytes; the next slabs double */
#define MOST_DOUBLED 5
#define SLAB_HEADER  (2 * AL_CACHE_LINE_BYTES)
#define FRESH_BYTES  1024 /* of small blocks that were never used: so many at a time */

void al_pool_init(struct al_pool *pool, struct al_depot *depot, uint32_t block_bytes,
                  enum al_source source)
{
    *pool = (struct al_pool){.depot = depot,
                             .block_bytes = block_bytes,
                             .source = source,
                             .n_free = source == AL_MALLOC ? 2 * AL_BUNDLE - 1 : 0};
}

static size_t next_slab_bytes(const struct al_pool *pool)
{
    uint32_t doublings = pool->n_slabs < MOST_DOUBLED ? pool->n_slabs : MOST_DOUBLED;
    return (size_t)FIRST_SLAB << doublings;
}

/* False: there is no memory. */
static bool add_slab(struct al_pool *pool)
{
    size_t slab_bytes = next_slab_bytes(pool);
    struct al_slab *slab = al_aligned_alloc(FIRST_SLAB / 2, slab_bytes);
    if (slab == NULL)
        return false;
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->n_slabs++;
    pool->bytes += slab_bytes;
    pool->fresh = (char *)slab + SLAB_HEADER;
    pool->n_fresh = (uint32_t)((slab_bytes - SLAB_HEADER) / pool->block_bytes);
    return true;
}

/* Put some blocks of the slab into an empty pool, in the order of their addresses. */
static void take_fresh(struct al_pool *pool)
{
    uint32_t n = FRESH_BYTES / pool->block_bytes;
    n = n == 0 ? 1 : n < pool->n_fresh ? n : pool->n_fresh;
    char *block = pool->fresh;
    pool->free = (struct al_block *)block;
    pool->n_free = n;
    pool->n_fresh -= n;
    for (uint32_t i = 1; i < n; i++, block += pool->block_bytes)
        ((struct al_block *)block)->next = (struct al_block *)(block + pool->block_bytes);
    ((struct al_block *)block)->next = NULL;
    pool->fresh = block + pool->block_bytes;
}

/* Put blocks into an empty pool. False: there is no memory. */
static bool fill(struct al_pool *pool)
{
    struct al_depot *depot = pool->depot;
    /* relaxed: a guess, which saves the lock */
    if (pool->n_fresh == 0 && al_ptr_load_relaxed(&depot->bundles) != NULL) {
        al_spinlock_lock(&depot->lock);
        struct al_block *bundle = al_ptr_load_relaxed(&depot->bundles);
        if (bundle != NULL)
            al_ptr_store_relaxed(&depot->bundles, bundle->bundle);
        al_spinlock_unlock(&depot->lock);
        if (bundle != NULL) {
            pool->free = bundle;
            pool->n_free = AL_BUNDLE;
            return true;
        }
    }
    if (pool->n_fresh == 0 && !add_slab(pool))
        return false;
    take_fresh(pool);
    return true;
}

void *al_pool_try(struct al_pool *pool, size_t bytes)
{
    if (pool->source == AL_MALLOC)
        return al_malloc(bytes > sizeof(struct al_block) ? bytes : sizeof(struct al_block));
    return pool->free != NULL || fill(pool) ? al_pool_take_for(pool, bytes) : NULL;
}

void *al_pool_refill(struct al_pool *pool, size_t bytes)
{
    void *block = al_pool_try(pool, bytes);
    if (block == NULL)
        al_out_of_memory("messages and actors",
                         pool->source == AL_MALLOC ? bytes : next_slab_bytes(pool));
    return block;
}

void al_pool_trim(struct al_pool *pool)
{
    struct al_depot *depot = pool->depot;
    struct al_block *bundle = pool->free, *last = bundle;
    if (pool->source == AL_MALLOC) {
        pool->free = NULL;
        pool->n_free--;
        al_free_deferred(bundle); /* an inbox may expect the address of an envelope */
        return;
    }
    for (uint32_t i = 1; i < AL_BUNDLE; i++)
        last = last->next;
    pool->free = last->next;
    pool->n_free -= AL_BUNDLE;
    last->next = NULL;
    al_spinlock_lock(&depot->lock);
    bundle->bundle = al_ptr_load_relaxed(&depot->bundles);
    al_ptr_store_relaxed(&depot->bundles, bundle);
    al_spinlock_unlock(&depot->lock);
}

void al_pool_fini(struct al_pool *pool)
{
    for (struct al_slab *slab = pool->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        al_free(slab);
    }
    al_pool_init(pool, pool->depot, pool->block_bytes, pool->source);
}
