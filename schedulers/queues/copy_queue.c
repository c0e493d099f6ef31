/* SPDX-License-Identifier: MIT */
#include "schedulers/queues/copy_queue.h"

#include <string.h>

#include "core/error.h"
#include "core/watermark.h"

static void resize(struct al_copy_queue *queue, uint32_t capacity)
{
    size_t bytes = (size_t)capacity * sizeof *queue->slots;
    struct al_envelope *slots = al_realloc(queue->slots, bytes);
    if (slots == NULL)
        al_out_of_memory("a copy queue", bytes);
    queue->slots = slots;
    queue->capacity = capacity;
}

/* After a resize, but the first: the high-water mark counts what is beyond the empty queues. */
static void count(const struct al_copy_queue *queue, uint32_t before)
{
    al_queue_resized((uint64_t)before * sizeof *queue->slots,
                     (uint64_t)queue->capacity * sizeof *queue->slots);
}

void al_copy_queue_init(struct al_copy_queue *queue, uint32_t capacity)
{
    memset(queue, 0, sizeof *queue);
    resize(queue, capacity);
}

void al_copy_queue_fini(struct al_copy_queue *queue,
                        void (*undelivered)(void *context, const struct al_envelope *envelope),
                        void *context)
{
    uint32_t length = al_copy_queue_length(queue);
    for (uint32_t i = 0; i < length; i++)
        undelivered(context, &queue->slots[i]);
    al_free(queue->slots);
}

void al_copy_queue_grow_serial(struct al_copy_queue *queue, uint32_t growth)
{
    if (queue->capacity > UINT32_MAX / growth)
        al_out_of_memory("a copy queue", SIZE_MAX);
    uint32_t capacity = queue->capacity;
    resize(queue, capacity * growth);
    count(queue, capacity);
}

void al_copy_queue_reclaim_serial(struct al_copy_queue *queue, enum al_reclaim reclaim,
                                  uint32_t used, uint32_t floor)
{
    uint32_t capacity = queue->capacity;
    if (reclaim == AL_RECLAIM_NAIVE ||
        (reclaim == AL_RECLAIM_HALF && 2 * (uint64_t)used < capacity)) {
        resize(queue, capacity - 1);
    } else if (reclaim == AL_RECLAIM_QUARTER && 4 * (uint64_t)used < capacity) {
        /* Free first: the queue is empty, and realloc would copy what nobody needs. */
        al_free(queue->slots);
        queue->slots = NULL;
        resize(queue, capacity / 2 > floor ? capacity / 2 : floor);
    } else {
        return;
    }
    count(queue, capacity);
}
