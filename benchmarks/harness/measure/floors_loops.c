/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/floors.h: steps of a message on one PU, whose data is in its
 * L1. Relaxed unless it says otherwise: nobody else has the data, and an atomic keeps the compiler
 * from leaving out the step. */

#include "benchmarks/harness/measure/floors.h"

enum { SLOTS = 256, BEHIND = 64, WORDS = 3, BLOCKS = 64 };

struct block {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_atomic_ptr next;
};

struct place {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    struct al_atomic_u64 word; /* beside the lock, as what a lock protects */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 slots[SLOTS][WORDS];
    struct al_atomic_ptr first;
    struct block blocks[BLOCKS];
    uint64_t sum; /* so that nothing is left out */
    /* of the PU that looks at the lock */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 over;
};

struct job {
    const struct al_calibrator *calibrator;
    struct place *place;
    struct al_samples *ns;
};

static void update_loop(void *argument)
{
    struct place *place = argument;
    for (unsigned i = 0; i < AL_CALIBRATE_LOOP; i++)
        al_u64_store_relaxed(&place->word, al_u64_load_relaxed(&place->word) + 1);
}

/* Into a queue of some length, as actor, message and behaviour. */
static void envelope_loop(void *argument)
{
    struct place *place = argument;
    uint64_t sum = 0;
    for (unsigned i = 0; i < AL_CALIBRATE_LOOP; i++) {
        for (unsigned word = 0; word < WORDS; word++)
            al_u64_store_relaxed(&place->slots[i % SLOTS][word], i);
        for (unsigned word = 0; word < WORDS; word++)
            sum += al_u64_load_relaxed(&place->slots[(i - BEHIND) % SLOTS][word]);
    }
    place->sum += sum;
}

/* Take a block and give it back. */
static void block_loop(void *argument)
{
    struct place *place = argument;
    for (unsigned i = 0; i < AL_CALIBRATE_LOOP; i++) {
        struct block *taken = al_ptr_load_relaxed(&place->first);
        al_ptr_store_relaxed(&place->first, al_ptr_load_relaxed(&taken->next));
        al_ptr_store_relaxed(&taken->next, al_ptr_load_relaxed(&place->first));
        al_ptr_store_relaxed(&place->first, taken);
    }
}

static void exchange_loop(void *argument)
{
    struct place *place = argument;
    for (unsigned i = 0; i < AL_CALIBRATE_LOOP; i++)
        (void)al_u64_exchange_acquire(&place->word, i); /* as a lock is taken; no partner */
}

static void lock_loop(void *argument)
{
    struct place *place = argument;
    for (unsigned i = 0; i < AL_CALIBRATE_LOOP; i++) {
        al_spinlock_lock(&place->lock);
        al_u64_store_relaxed(&place->word, i);
        al_spinlock_unlock(&place->lock);
    }
}

static void run_loops(void *argument)
{
    const struct job *job = argument;
    const struct al_calibrate_loop loops[] = {
        {update_loop, &job->ns[AL_FLOOR_UPDATE]}, {envelope_loop, &job->ns[AL_FLOOR_ENVELOPE]},
        {block_loop, &job->ns[AL_FLOOR_BLOCK]},   {exchange_loop, &job->ns[AL_FLOOR_EXCHANGE]},
        {lock_loop, &job->ns[AL_FLOOR_LOCK]},
    };
    al_calibrate_loops(loops, sizeof loops / sizeof *loops, job->place, job->calibrator->repeats);
}

static int new_job(struct al_calibrator *calibrator, unsigned pu, struct al_samples *ns,
                   struct job *job)
{
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, sizeof *job->place, &memory);
    if (code != 0)
        return code;
    *job = (struct job){.calibrator = calibrator, .place = memory, .ns = ns};
    for (size_t i = 0; i < BLOCKS; i++)
        al_ptr_store_relaxed(&job->place->blocks[i].next, &job->place->blocks[(i + 1) % BLOCKS]);
    al_ptr_store_relaxed(&job->place->first, &job->place->blocks[0]);
    return 0;
}

int al_floors_loops(struct al_calibrator *calibrator, unsigned pu, struct al_samples ns[AL_FLOORS])
{
    struct job job;
    int code = new_job(calibrator, pu, ns, &job);
    return code != 0 ? code : al_calibrate_on(calibrator, pu, run_loops, &job);
}

static void run_polled(void *argument)
{
    const struct job *job = argument;
    const struct al_calibrate_loop loop = {lock_loop, job->ns};
    al_calibrate_loops(&loop, 1, job->place, job->calibrator->repeats);
    al_u32_store_relaxed(&job->place->over, 1);
}

/* Look at the lock as a worker looks whether another has work. */
static void run_looker(void *argument)
{
    const struct job *job = argument;
    while (al_u32_load_relaxed(&job->place->over) == 0) {
        (void)al_u32_load_relaxed(&job->place->lock.held);
        al_pause();
    }
}

int al_floors_polled(struct al_calibrator *calibrator, unsigned pu, unsigned other,
                     struct al_samples *ns)
{
    struct job job;
    int code = new_job(calibrator, pu, ns, &job);
    return code != 0 ? code
                     : al_calibrate_both(calibrator, pu, run_polled, other, run_looker, &job);
}
