/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_HEAP_H
#define AL_SIM_HEAP_H

/*
 * Tasks in the order of (clock, id): a tournament. The leaves are keys of tasks, and each node
 * above is the lesser of its two children, so that the first is at the root. A change replays the
 * matches from its leaf to the root, without a branch that the processor would have to guess: a key
 * is as likely to win as to lose.
 * Source: Knuth, "The Art of Computer Programming" 3, 5.4.1. Invariants
 *   (1) nodes[i] = min(nodes[2 i], nodes[2 i + 1]), 0 < i < leaves; nodes[1] is the first
 *   (2) places[id] is the node of the id's leaf; NOWHERE: the id is not there
 *   (3) a leaf that no id has is NOBODY, and in `spare`
 */

#include <stdbool.h>
#include <stdint.h>

#define NOWHERE UINT32_MAX
#define NEVER   UINT64_MAX

/* A clock in the upper half, an id in the lower. */
typedef unsigned __int128 heap_key;

#define NOBODY ((heap_key)NEVER << 64 | NOWHERE)

struct heap {
    heap_key *nodes;  /* 2 x leaves; the first is not used */
    uint32_t *places; /* for each id */
    uint32_t *spare;  /* leaves, as a stack */
    uint32_t n;       /* ids that are there */
    uint32_t leaves;  /* a power of 2, or 0 */
    uint32_t ids;     /* places */
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

/* The least key; there is one. */
static inline heap_key heap_first(const struct heap *heap)
{
    return heap->nodes[1];
}

/* The leaf has this key from now on. */
static inline void heap_replay(struct heap *heap, uint32_t node, heap_key key)
{
    heap_key *nodes = heap->nodes;
    uint64_t clock = heap_clock(key), id = (uint64_t)key;
    nodes[node] = key;
    while (node > 1) {
        heap_key other = nodes[node ^ 1];
        uint64_t mask = -(uint64_t)(other < ((heap_key)clock << 64 | id));
        __asm__("" : "+r"(mask)); /* or the compiler makes a branch of it */
        clock ^= (clock ^ heap_clock(other)) & mask;
        id ^= (id ^ (uint64_t)other) & mask;
        node /= 2;
        nodes[node] = (heap_key)clock << 64 | id;
    }
}

/* The id is not there yet. */
void heap_push(struct heap *heap, uint64_t clock, uint32_t id);
/* The id is there. */
void heap_remove(struct heap *heap, uint32_t id);
void heap_free(struct heap *heap);

/* Take the first out and put this one in, which is not there, but has been. Returns the first one's
 * id. */
static inline uint32_t heap_exchange(struct heap *heap, uint64_t clock, uint32_t id)
{
    uint32_t first = (uint32_t)heap->nodes[1], node = heap->places[first];
    heap->places[first] = NOWHERE;
    heap->places[id] = node;
    heap_replay(heap, node, heap_key_of(clock, id));
    return first;
}

#endif
