/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/ring/ring.h"

#include "benchmarks/peers/ring/actor.h"

/* How many envelopes ahead the actor and the message are fetched: a line from memory takes about as
 * long as so many short behaviours. */
#define AHEAD 8

#define SLOTS 64 /* to begin with */

_Thread_local struct al_peer_ring al_peer_ring;

struct al_pill al_finished_msg = {{sizeof al_finished_msg, AL_NODELETE}, AL_FINISHED};

enum al_verdict al_receive_pill(struct al_actor *actor, struct al_message *message)
{
    (void)actor;
    return ((struct al_pill *)message)->verdict;
}

static struct al_envelope *new_slots(size_t n)
{
    struct al_envelope *slots = malloc(n * sizeof *slots);
    if (slots == NULL)
        al_out_of_memory("the ring", n * sizeof *slots);
    /* Slots that were never filled are prefetched from, too: let them point to what is there. */
    for (size_t i = 0; i < n; i++)
        slots[i] = (struct al_envelope){(void *)slots, (void *)slots, NULL};
    return slots;
}

void al_peer_ring_init(enum al_source source)
{
    struct al_peer_ring *ring = &al_peer_ring;
    ring->small = source == AL_MALLOC ? 0 : AL_PEER_RING_SMALL;
    ring->head = ring->tail = ring->begin = new_slots(SLOTS);
    ring->end = ring->begin + SLOTS;
}

void al_peer_ring_fini(void)
{
    for (size_t class = 0; class < AL_PEER_RING_CLASSES; class ++) {
        struct al_peer_block *block;
        while ((block = al_peer_ring.blocks[class]) != NULL) {
            al_peer_ring.blocks[class] = block->next;
            free(block);
        }
    }
    free(al_peer_ring.begin);
}

/* By a quarter, so that a ring that has grown is about as large as its longest queue, and fits into
 * as small a cache. */
void al_peer_ring_grow(void)
{
    struct al_peer_ring *ring = &al_peer_ring;
    size_t n = (size_t)(ring->end - ring->begin), front = (size_t)(ring->end - ring->head);
    struct al_envelope *slots = new_slots(n + n / 4);
    memcpy(slots, ring->head, front * sizeof *slots);
    memcpy(slots + front, ring->begin, (n - front) * sizeof *slots);
    free(ring->begin);
    ring->begin = ring->head = slots;
    ring->tail = slots + n;
    ring->end = slots + n + n / 4;
}

void *al_peer_ring_malloc(size_t class)
{
    return malloc(class * 16);
}

uint64_t al_peer_ring_run(void)
{
    struct al_peer_ring *ring = &al_peer_ring;
    uint64_t delivered = 0;
    while (ring->head != ring->tail) {
        const struct al_envelope envelope = *ring->head; /* the ring may grow meanwhile */
        if (ring->end - ring->head > AHEAD) {
            __builtin_prefetch(ring->head[AHEAD].actor, 1);
            __builtin_prefetch(ring->head[AHEAD].message);
        }
        ring->head = ring->head + 1 == ring->end ? ring->begin : ring->head + 1;
        enum al_verdict verdict = envelope.behaviour(envelope.actor, envelope.message);
        if (envelope.message->verdict == AL_DELETE)
            al_peer_ring_give(envelope.message, envelope.message->bytes);
        if (verdict == AL_DELETE)
            al_peer_ring_give(envelope.actor, envelope.actor->bytes);
        delivered++;
    }
    return delivered;
}

void al_await(const struct al_atomic_u64 *word, uint64_t least)
{
    (void)word, (void)least;
    al_peer_ring_run();
}
