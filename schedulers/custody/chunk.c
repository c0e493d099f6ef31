/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/chunk.h"

#define FIRST_SLAB     4   /* chunks; the next slabs double */
#define LARGEST_SLAB   256 /* chunks */
#define SLAB_ALIGNMENT AL_PAGE_BYTES

/* A slab begins with its link, which takes the place of a chunk. */
static void add_slab(struct al_chunk_pool *pool)
{
    uint32_t n = pool->n_slabs < 6 ? FIRST_SLAB << pool->n_slabs : LARGEST_SLAB;
    size_t bytes = (size_t)(n + 1) * AL_CHUNK_BYTES;
    bytes = (bytes + SLAB_ALIGNMENT - 1) / SLAB_ALIGNMENT * SLAB_ALIGNMENT;
    struct al_slab *slab = al_aligned_alloc(SLAB_ALIGNMENT, bytes);
    if (slab == NULL)
        al_out_of_memory("chunks of messages", bytes);
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->n_slabs++;
    pool->bytes += bytes;
    pool->fresh = (struct al_chunk *)slab + 1;
    pool->n_fresh = (uint32_t)(bytes / AL_CHUNK_BYTES) - 1;
}

void al_chunk_pool_fill(struct al_chunk_pool *pool, struct al_chunk_depot *depot)
{
    /* relaxed: a guess, which saves the lock */
    if (pool->n_fresh == 0 && al_ptr_load_relaxed(&depot->bundles) != NULL) {
        al_spinlock_lock(&depot->lock);
        struct al_chunk *bundle = al_ptr_load_relaxed(&depot->bundles);
        if (bundle != NULL)
            al_ptr_store_relaxed(&depot->bundles, bundle->end);
        al_spinlock_unlock(&depot->lock);
        if (bundle != NULL) {
            pool->free = bundle;
            pool->n_free = AL_BUNDLE;
            return;
        }
    }
    if (pool->n_fresh == 0)
        add_slab(pool);
    pool->n_fresh--;
    pool->free = pool->fresh++;
    pool->n_free = 1;
    al_chunk_link(pool->free, NULL);
}

void al_chunk_pool_trim(struct al_chunk_pool *pool, struct al_chunk_depot *depot)
{
    struct al_chunk *bundle = pool->free, *last = bundle;
    for (uint32_t i = 1; i < AL_BUNDLE; i++)
        last = al_chunk_next(last);
    pool->free = al_chunk_next(last);
    pool->n_free -= AL_BUNDLE;
    al_chunk_link(last, NULL);
    al_spinlock_lock(&depot->lock);
    bundle->end = al_ptr_load_relaxed(&depot->bundles);
    al_ptr_store_relaxed(&depot->bundles, bundle);
    al_spinlock_unlock(&depot->lock);
}

void al_chunk_pool_fini(struct al_chunk_pool *pool)
{
    for (struct al_slab *slab = pool->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        al_free(slab);
    }
}
