/* SPDX-License-Identifier: MIT */
#include "core/engine/sim/heap.h"

#include <stdlib.h>

#include "core/error.h"

#define LEAVES_LEAST 16

static void *grow(void *array, size_t bytes)
{
    void *grown = realloc(array, bytes);
    if (grown == NULL)
        al_out_of_memory("the simulator", bytes);
    return grown;
}

/* Twice as many leaves, all of which have been in use. */
static void add_leaves(struct heap *heap)
{
    uint32_t before = heap->leaves, leaves = before != 0 ? 2 * before : LEAVES_LEAST;
    heap_key *nodes = grow(NULL, 2 * leaves * sizeof *nodes);
    heap->spare = grow(heap->spare, leaves * sizeof *heap->spare);
    for (uint32_t i = 0; i < leaves; i++)
        nodes[leaves + i] = i < before ? heap->nodes[before + i] : NOBODY;
    for (uint32_t i = leaves; i-- > 1;)
        nodes[i] = nodes[2 * i + 1] < nodes[2 * i] ? nodes[2 * i + 1] : nodes[2 * i];
    for (uint32_t i = 0; i < before; i++)
        heap->places[(uint32_t)nodes[leaves + i]] = leaves + i;
    for (uint32_t i = before; i < leaves; i++)
        heap->spare[i - before] = 2 * leaves - 1 - (i - before);
    free(heap->nodes);
    heap->nodes = nodes;
    heap->leaves = leaves;
}

void heap_push(struct heap *heap, uint64_t clock, uint32_t id)
{
    if (heap->n == heap->leaves)
        add_leaves(heap);
    if (id >= heap->ids) {
        uint32_t ids = id * 2 + 64;
        heap->places = grow(heap->places, ids * sizeof *heap->places);
        for (; heap->ids < ids; heap->ids++)
            heap->places[heap->ids] = NOWHERE;
    }
    heap->places[id] = heap->spare[heap->leaves - ++heap->n];
    heap_replay(heap, heap->places[id], heap_key_of(clock, id));
}

void heap_remove(struct heap *heap, uint32_t id)
{
    uint32_t node = heap->places[id];
    heap->places[id] = NOWHERE;
    heap->spare[heap->leaves - heap->n--] = node;
    heap_replay(heap, node, NOBODY);
}

void heap_free(struct heap *heap)
{
    free(heap->nodes);
    free(heap->places);
    free(heap->spare);
}
