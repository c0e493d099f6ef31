/* SPDX-License-Identifier: MIT */
#include "core/engine/check/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    THREAD_BYTES = 1 << 22,
    HEADER = 16, /* before what is given */
    SIZES = 24,  /* free lists, by powers of two */
};

struct header {
    uint64_t bytes;
    void *next; /* in a free list */
};

_Static_assert(sizeof(struct header) == HEADER, "a header keeps the alignment of malloc");

struct arena {
    char *begin, *next;
    void *spare[SIZES];
};

struct check_heap {
    unsigned n;
    char *memory;
    struct arena arenas[];
};

struct check_heap *check_heap_new(unsigned n)
{
    struct check_heap *heap = calloc(1, sizeof *heap + n * sizeof *heap->arenas);
    if (heap == NULL)
        return NULL;
    heap->n = n;
    heap->memory = mmap(NULL, (size_t)n * THREAD_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (heap->memory == MAP_FAILED) {
        free(heap);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++)
        heap->arenas[i].begin = heap->memory + (size_t)i * THREAD_BYTES;
    check_heap_begin(heap);
    return heap;
}

void check_heap_free(struct check_heap *heap)
{
    munmap(heap->memory, (size_t)heap->n * THREAD_BYTES);
    free(heap);
}

void check_heap_begin(struct check_heap *heap)
{
    for (unsigned i = 0; i < heap->n; i++) {
        heap->arenas[i].next = heap->arenas[i].begin;
        memset(heap->arenas[i].spare, 0, sizeof heap->arenas[i].spare);
    }
}

static struct header *header_of(const void *memory)
{
    return (struct header *)(uintptr_t)((const char *)memory - HEADER);
}

static unsigned size_class(size_t bytes)
{
    unsigned class = 4;
    while (((size_t)1 << class) < bytes)
        class ++;
    return class;
}

void *check_heap_allocate(struct check_heap *heap, unsigned thread, size_t alignment, size_t bytes)
{
    struct arena *arena = &heap->arenas[thread];
    if (bytes > THREAD_BYTES / 2)
        return NULL;
    bytes = bytes != 0 ? bytes : 1;
    unsigned class = size_class(bytes);
    size_t at_least = alignment > HEADER ? alignment : HEADER;
    char *memory = arena->spare[class];
    if (memory != NULL && (uintptr_t)memory % at_least == 0) {
        arena->spare[class] = header_of(memory)->next;
    } else {
        uintptr_t at = (uintptr_t)arena->next + HEADER;
        at = (at + at_least - 1) / at_least * at_least;
        memory = (char *)at;
        if (memory + ((size_t)1 << class) > arena->begin + THREAD_BYTES)
            return NULL;
        arena->next = memory + ((size_t)1 << class);
    }
    *header_of(memory) = (struct header){.bytes = bytes};
    memset(memory, 0xa5, bytes);
    return memory;
}

void check_heap_release(struct check_heap *heap, unsigned thread, void *memory, bool again)
{
    struct header *header = header_of(memory);
    unsigned class = size_class(header->bytes);
    if (!again)
        return;
    header->next = heap->arenas[thread].spare[class];
    heap->arenas[thread].spare[class] = memory;
}

size_t check_heap_size(const struct check_heap *heap, const void *memory)
{
    const char *at = memory;
    if (at < heap->memory || at >= heap->memory + (size_t)heap->n * THREAD_BYTES)
        return 0;
    return header_of(memory)->bytes;
}
