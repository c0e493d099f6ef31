/* SPDX-License-Identifier: MIT */
#include "schedulers/copy_queue.h"

#include <string.h>

static void resize(struct al_copy_queue *queue, uint32_t capacity)
{
    size_t bytes = (size_t)capacity * sizeof *queue->slots;
    struct al_envelope *slots = realloc(queue->slots, bytes);
    if (slots == NULL)
        al_out_of_memory("a copy queue", bytes);
    queue->slots = slots;
    queue->capacity = capacity;
}

void al_copy_queue_init(struct al_copy_queue *queue, uint32_t capacity)
{
    memset(queue, 0, sizeof *queue);
    resize(queue, capacity);
}

void al_copy_queue_fini(struct al_copy_queue *queue)
{
    free(queue->slots);
}

void al_copy_queue_grow(struct al_copy_queue *queue)
{
    if (queue->capacity > UINT32_MAX / 2)
        al_out_of_memory("a copy queue", SIZE_MAX);
    resize(queue, queue->capacity * 2);
}

void al_copy_queue_reset(struct al_copy_queue *queue, enum al_reclaim reclaim, uint32_t floor)
{
    uint32_t used = al_copy_queue_length(queue);
    al_u32_store_relaxed(&queue->length, 0);
    if (reclaim == AL_RECLAIM_OFF || queue->capacity <= floor)
        return;
    if (reclaim == AL_RECLAIM_NAIVE || used < queue->capacity / 2)
        resize(queue, queue->capacity - 1);
}
