/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/floors.h: envelopes from one PU to another through a ring.
 *
 *     head <= tail <= head + SLOTS
 *     head to tail: envelopes that were published and are not read yet
 *
 * | operation | by whom        | at the same time as |
 * |-----------|----------------|---------------------|
 * | publish   | the first PU   | receive             |
 * | receive   | the second PU  | publish             |
 */

#include "benchmarks/harness/measure/floors.h"

#include "core/envelope.h"

enum { SLOTS = 1024, ENVELOPES = 16384 }; /* of a sample: a fraction of a millisecond */

/* Each in the two lines that a prefetcher fetches together. */
struct ring {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 tail; /* written by the first PU */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 head; /* by the second */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_envelope slots[SLOTS];
};

struct job {
    struct ring *ring;
    uint64_t batch, samples;
    struct al_samples *ns;
    uintptr_t sum; /* so that every word is read */
};

/* Wait until `left` or fewer envelopes are in the ring. Returns head. */
static uint64_t wait_until_left(const struct job *job, uint64_t tail, uint64_t left)
{
    uint64_t head;
    /* acquire: partner is the release in run_receiver. Without it a slot could be written again
     * before it was read. */
    while (tail - (head = al_u64_load_acquire(&job->ring->head)) > left)
        al_pause();
    return head;
}

static void run_sender(void *argument)
{
    const struct job *job = argument;
    struct ring *ring = job->ring;
    uint64_t tail = 0, head = 0;
    for (uint64_t sample = 0; sample < job->samples; sample++) {
        uint64_t began_ns = al_clock_ns();
        for (uint64_t i = 0; i < ENVELOPES; i += job->batch) {
            if (tail - head > SLOTS - job->batch)
                head = wait_until_left(job, tail, SLOTS - job->batch);
            for (uint64_t k = 0; k < job->batch; k++)
                ring->slots[tail++ % SLOTS] = (struct al_envelope){(void *)ring, (void *)ring,
                                                                   NULL};
            al_u64_store_release(&ring->tail, tail); /* partner: the acquire in run_receiver */
        }
        head = wait_until_left(job, tail, 0);
        double ns = (double)(al_clock_ns() - began_ns) / ENVELOPES;
        if (sample > 0) /* the first waits for the other thread */
            al_samples_add(job->ns, ns);
    }
}

static void run_receiver(void *argument)
{
    struct job *job = argument;
    struct ring *ring = job->ring;
    uintptr_t sum = 0;
    for (uint64_t head = 0; head < job->samples * ENVELOPES;) {
        /* acquire: partner is the release in run_sender. Without it an envelope could be read
         * before it was written. */
        uint64_t tail = al_u64_load_acquire(&ring->tail);
        if (tail == head)
            al_pause();
        for (uint64_t i = head; i < tail; i++) {
            const struct al_envelope *envelope = &ring->slots[i % SLOTS];
            sum += (uintptr_t)envelope->actor + (uintptr_t)envelope->message +
                   (uintptr_t)envelope->behaviour;
        }
        if (tail != head)
            al_u64_store_release(&ring->head, tail); /* partner: the acquire in wait_until_left */
        head = tail;
    }
    job->sum = sum;
}

int al_floors_spsc(struct al_calibrator *calibrator, unsigned pu, unsigned other, uint64_t batch,
                   struct al_samples *ns)
{
    struct job job = {.batch = batch, .samples = calibrator->repeats + 1, .ns = ns};
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, sizeof *job.ring, &memory);
    if (code != 0)
        return code;
    job.ring = memory;
    return al_calibrate_both(calibrator, pu, run_sender, other, run_receiver, &job);
}
