/* SPDX-License-Identifier: MIT */
#include "core/engine/sim/heap.h"

#include <stdlib.h>

#include "core/error.h"

static void *grow(void *array, size_t bytes)
{
    void *grown = realloc(array, bytes);
    if (grown == NULL)
        al_out_of_memory("the simulator", bytes);
    return grown;
}

/* The key goes to this place, whose parent may be greater. */
static void sift_up(struct heap *heap, uint32_t place, heap_key key)
{
    for (; place > 0 && key < heap->keys[(place - 1) / 4]; place = (place - 1) / 4)
        heap_put(heap, place, heap->keys[(place - 1) / 4]);
    heap_put(heap, place, key);
}

void heap_push(struct heap *heap, uint64_t clock, uint32_t id)
{
    if (heap->n == heap->capacity) {
        heap->capacity = heap->capacity * 2 + 64;
        heap->keys = grow(heap->keys, heap->capacity * sizeof *heap->keys);
    }
    if (id >= heap->ids) {
        uint32_t ids = id * 2 + 64;
        heap->places = grow(heap->places, ids * sizeof *heap->places);
        for (; heap->ids < ids; heap->ids++)
            heap->places[heap->ids] = NOWHERE;
    }
    sift_up(heap, heap->n++, heap_key_of(clock, id));
}

void heap_remove(struct heap *heap, uint32_t id)
{
    uint32_t place = heap->places[id];
    heap_key last = heap->keys[--heap->n];
    heap->places[id] = NOWHERE;
    if (place == heap->n)
        return;
    if (place > 0 && last < heap->keys[(place - 1) / 4])
        sift_up(heap, place, last);
    else
        heap_sift_down(heap, place, last);
}

void heap_free(struct heap *heap)
{
    free(heap->keys);
    free(heap->places);
}
