/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_HEAP_H
#define AL_SIM_HEAP_H

/*
 * Tasks in the order of (clock, id): a heap with four children to a node, which hold what they are
 * ordered by, so that finding the next task reads no other. Invariants
 *   (1) keys[(i - 1) / 4] < keys[i], 0 < i < n
 *   (2) places[id] is the place of the id's key; NOWHERE: the id is not there
 */

#include <stdbool.h>
#include <stdint.h>

#define NOWHERE UINT32_MAX
#define NEVER   UINT64_MAX

/* A clock in the upper half, an id in the lower. */
typedef unsigned __int128 heap_key;

struct heap {
    heap_key *keys;
    uint32_t *places;
    uint32_t n, capacity; /* keys */
    uint32_t ids;         /* places */
};

static inline heap_key heap_key_of(uint64_t clock, uint32_t id)
{
    return (heap_key)clock << 64 | id;
}

static inline uint64_t heap_clock(heap_key key)
{
    return (uint64_t)(key >> 64);
}

static inline bool heap_holds(const struct heap *heap, uint32_t id)
{
    return id < heap->ids && heap->places[id] != NOWHERE;
}

static inline void heap_put(struct heap *heap, uint32_t place, heap_key key)
{
    heap->keys[place] = key;
    heap->places[(uint32_t)key] = place;
}

/* The key goes to this place, whose children may be less. */
static inline void heap_sift_down(struct heap *heap, uint32_t place, heap_key key)
{
    const heap_key *keys = heap->keys;
    uint32_t child;
    while ((child = 4 * place + 1) < heap->n) {
        uint32_t least = child;
        if (child + 3 < heap->n) {
            uint32_t a = child + (keys[child + 1] < keys[child]);
            uint32_t b = child + 2 + (keys[child + 3] < keys[child + 2]);
            least = keys[b] < keys[a] ? b : a;
        } else {
            for (uint32_t i = child + 1; i < heap->n; i++)
                least = keys[i] < keys[least] ? i : least;
        }
        if (key < keys[least])
            break;
        heap_put(heap, place, keys[least]);
        place = least;
    }
    heap_put(heap, place, key);
}

/* The id is not there yet. */
void heap_push(struct heap *heap, uint64_t clock, uint32_t id);
/* The id is there. */
void heap_remove(struct heap *heap, uint32_t id);
void heap_free(struct heap *heap);

/* Take the first out and put this one in, which is not there. Returns the first one's id. */
static inline uint32_t heap_exchange(struct heap *heap, uint64_t clock, uint32_t id)
{
    uint32_t first = (uint32_t)heap->keys[0];
    heap->places[first] = NOWHERE;
    heap_sift_down(heap, 0, heap_key_of(clock, id));
    return first;
}

#endif
