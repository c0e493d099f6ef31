/* SPDX-License-Identifier: MIT */
#ifndef AL_BLOCKS_H
#define AL_BLOCKS_H

/*
 * How many blocks of memory this program has allocated and not freed, exactly, whatever allocator
 * it has. For one source of a program that is linked so that a call of malloc in it, and in the
 * static libraries, is one of __wrap_malloc, and so on: `counting` in tests/schedulers/meson.build.
 */

#include <stdlib.h>

#include "core/sync/sync.h"

#ifdef AL_VIRTUAL
/* One thread, and no operation of the seam, which would be part of the run. ThreadSanitizer takes
 * the engine's tasks for threads. */
static uint64_t blocks_allocated;

__attribute__((noinline, no_sanitize("thread"))) static void blocks_add(uint64_t n)
{
    blocks_allocated += n;
}

static inline uint64_t blocks_now(void)
{
    return blocks_allocated;
}

#else
static struct al_atomic_u64 blocks_allocated;

static inline void blocks_add(uint64_t n)
{
    al_u64_add_relaxed(&blocks_allocated, n); /* relaxed, both: it publishes nothing */
}

/* Exact when no other thread runs. */
static inline uint64_t blocks_now(void)
{
    return al_u64_load_relaxed(&blocks_allocated);
}
#endif

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *memory);

static inline void *blocks_counted(void *memory)
{
    blocks_add(memory != NULL);
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return blocks_counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return blocks_counted(__real_calloc(n, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return memory == NULL ? __wrap_malloc(bytes) : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return blocks_counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *memory)
{
    blocks_add((uint64_t) - (int64_t)(memory != NULL));
    __real_free(memory);
}

#endif
