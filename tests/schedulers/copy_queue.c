/* SPDX-License-Identifier: MIT */

/* The copy queue against a plain FIFO, and the chapter's example of reclamation. */

#include "schedulers/queues/copy_queue.h"

#include "core/random.h"
#include "tests/support/tap.h"

/* An envelope that carries a number in place of an actor. */
static struct al_actor *number(uint64_t n)
{
    return (struct al_actor *)(uintptr_t)n;
}

/* The rest of a gulp that found `used` messages. */
static uint32_t expected_capacity(uint32_t capacity, uint32_t used, enum al_reclaim reclaim,
                                  uint32_t floor)
{
    if (capacity <= floor)
        return capacity;
    switch (reclaim) {
    case AL_RECLAIM_HALF:
        return capacity - used > used ? capacity - 1 : capacity; /* more free than used */
    case AL_RECLAIM_NAIVE:
        return capacity - 1;
    case AL_RECLAIM_OFF:
        return capacity;
    case AL_RECLAIM_QUARTER:
        if (capacity - used <= 3 * used)
            return capacity;
        return capacity / 2 > floor ? capacity / 2 : floor;
    }
    return 0;
}

/*
 * Random pushes, appends and gulps with two queues that change places, as those of a mailbox and
 * its worker do. The numbers must come out in the order in which they went in.
 */
static bool property(uint64_t seed, enum al_reclaim reclaim)
{
    struct al_random random;
    al_random_seed(&random, seed, 0);
    uint32_t floor = 1 + al_random_below(&random, 20);
    uint32_t growth = 2 + al_random_below(&random, 4);
    struct al_copy_queue incoming, local;
    al_copy_queue_init(&incoming, floor);
    al_copy_queue_init(&local, floor);
    uint64_t pushed = 0, popped = 0;
    bool good = true;
    for (int step = 0; step < 2000 && good; step++) {
        uint32_t choice = al_random_below(&random, 100);
        if (choice < 90) {
            al_copy_queue_push_serial(&incoming, number(++pushed), NULL, NULL, growth);
        } else if (choice < 94) {
            struct al_envelope several[7];
            uint32_t n = al_random_below(&random, 8);
            for (uint32_t i = 0; i < n; i++)
                several[i] = (struct al_envelope){.actor = number(++pushed)};
            al_copy_queue_append_serial(&incoming, several, n, growth);
        } else {
            uint32_t capacity = incoming.capacity;
            uint32_t length = al_copy_queue_gulp_serial(&local, &incoming);
            for (uint32_t i = 0; i < length; i++)
                good &= local.slots[i].actor == number(++popped);
            good &= popped == pushed && local.capacity == capacity && length <= capacity;
            good &= al_copy_queue_length(&incoming) == 0;
            al_copy_queue_release_serial(&local, length, reclaim, floor);
            good &= local.capacity == expected_capacity(capacity, length, reclaim, floor);
            good &= al_copy_queue_length(&local) == 0;
        }
        good &= incoming.capacity >= floor && local.capacity >= floor;
        good &= al_copy_queue_length(&incoming) <= incoming.capacity;
    }
    free(incoming.slots);
    free(local.slots);
    return good;
}

/* What a gulp does to the queue's capacity if the queue returns to its mailbox at once. */
static void gulp_alone(struct al_copy_queue *queue, enum al_reclaim reclaim)
{
    uint32_t used = al_copy_queue_length(queue);
    al_u32_store_relaxed(&queue->length, 0);
    al_copy_queue_release_serial(queue, used, reclaim, 10);
}

/*
 * The chapter's example: a queue of 10 slots that never has more than 19 messages. It doubles to
 * 20; two naive gulps leave 18; the next 19 messages double that to 36.
 */
static void example(enum al_reclaim reclaim, uint32_t *after_two_gulps, uint32_t *peak)
{
    struct al_copy_queue queue;
    al_copy_queue_init(&queue, 10);
    *peak = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 19; i++)
            al_copy_queue_push_serial(&queue, number(1), NULL, NULL, AL_COPY_QUEUE_DOUBLES);
        *peak = queue.capacity > *peak ? queue.capacity : *peak;
        gulp_alone(&queue, reclaim);
        if (round == 0)
            gulp_alone(&queue, reclaim); /* a gulp of an almost empty queue */
        if (round == 0)
            *after_two_gulps = queue.capacity;
    }
    free(queue.slots);
}

int main(void)
{
    struct tap tap = {0};
    static const char *const names[] = {"half", "naive", "off", "quarter"};
    for (int reclaim = AL_RECLAIM_HALF; reclaim <= AL_RECLAIM_QUARTER; reclaim++) {
        int good = 0;
        for (uint64_t seed = 0; seed < 300; seed++)
            good += property(seed, (enum al_reclaim)reclaim);
        tap_ok(&tap, good == 300, "300 random runs equal a FIFO, reclaim=%s", names[reclaim]);
    }
    uint32_t after, peak;
    example(AL_RECLAIM_NAIVE, &after, &peak);
    tap_ok(&tap, after == 18 && peak == 36, "19 messages, naive: 18 after two gulps, peak 36");
    example(AL_RECLAIM_HALF, &after, &peak);
    tap_ok(&tap, after == 19 && peak == 20,
           "19 messages, half: only the gulp that used less shrinks");
    example(AL_RECLAIM_OFF, &after, &peak);
    tap_ok(&tap, after == 20 && peak == 20, "19 messages, off: stays at 20");

    example(AL_RECLAIM_QUARTER, &after, &peak);
    tap_ok(&tap, after == 10 && peak == 20, "19 messages, quarter: halves, and never exceeds 20");

    struct al_copy_queue queue;
    al_copy_queue_init(&queue, 10);
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 19; k++)
            al_copy_queue_push_serial(&queue, number(1), NULL, NULL, AL_COPY_QUEUE_DOUBLES);
        gulp_alone(&queue, AL_RECLAIM_HALF);
    }
    tap_ok(&tap, queue.capacity == 20, "19 messages a thousand times, half: never leaves 20");
    for (int i = 0; i < 1000; i++) {
        al_copy_queue_push_serial(&queue, number(1), NULL, NULL, AL_COPY_QUEUE_DOUBLES);
        gulp_alone(&queue, AL_RECLAIM_HALF);
    }
    tap_ok(&tap, queue.capacity == 10,
           "one message a thousand times, half: back at the floor of 10");
    free(queue.slots);
    return tap_done(&tap);
}
