/* SPDX-License-Identifier: MIT */

/* The allocator of virtual engines: an engine's own, or the C library's. What is copied and filled
 * here reports itself (hooks.c). */

#include <stdlib.h>
#include <string.h>

#include "core/engine/ops.h"

/* The engine, if it has an allocator. */
static struct al_engine *allocating(void)
{
    return al_engine != NULL && al_engine->ops->allocate != NULL ? al_engine : NULL;
}

void *al_engine_malloc(size_t alignment, size_t bytes)
{
    struct al_engine *engine = allocating();
    bool zero;
    if (engine != NULL)
        return engine->ops->allocate(engine, alignment, bytes, &zero);
    return alignment != 0 ? aligned_alloc(alignment, bytes) : malloc(bytes);
}

void *al_engine_calloc(size_t n, size_t bytes)
{
    struct al_engine *engine = allocating();
    if (engine == NULL)
        return calloc(n, bytes);
    bool zero = false;
    size_t all;
    if (__builtin_mul_overflow(n, bytes, &all))
        return NULL;
    void *memory = engine->ops->allocate(engine, 0, all, &zero);
    return memory != NULL && !zero ? memset(memory, 0, all) : memory;
}

void *al_engine_realloc(void *memory, size_t bytes)
{
    struct al_engine *engine = allocating();
    size_t size = engine != NULL && memory != NULL ? engine->ops->size(engine, memory) : 0;
    if (engine == NULL || (memory != NULL && size == 0))
        return realloc(memory, bytes);
    if (bytes <= size && bytes > size / 2)
        return memory;
    bool zero;
    void *moved = engine->ops->allocate(engine, 0, bytes, &zero);
    if (moved == NULL || memory == NULL)
        return moved;
    memcpy(moved, memory, size < bytes ? size : bytes);
    engine->ops->release(engine, memory);
    return moved;
}

void al_engine_free(void *memory)
{
    struct al_engine *engine = allocating();
    if (engine != NULL && memory != NULL && engine->ops->size(engine, memory) != 0)
        engine->ops->release(engine, memory);
    else
        free(memory);
}

void al_engine_free_deferred(void *memory)
{
    if (al_engine != NULL && al_engine->ops->release_late != NULL)
        al_engine->ops->release_late(al_engine, memory);
    else
        al_engine_free(memory);
}
