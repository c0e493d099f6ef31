/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: the allocator. Some blocks, allocated and freed
 * again, stay in the thread's cache. Of many that another thread has allocated, the cache gives
 * back all but a few.
 */

#include "benchmarks/harness/measure/calibrate.h"

/* Some: fewer than jemalloc's cache holds, but enough for readings of the counter not to overlap
 * with them. First: more than any cache holds. */
enum { SOME = 64, GROUPS = 100, FIRST = 400, MANY = 10400, BLOCK_BYTES = 64 };

#define FRESH_BYTES ((size_t)16 << 20)

struct job {
    struct al_calibrator *calibrator;
    void **blocks; /* MANY */
    uintptr_t sum;
};

/* How many cycles a group of stores takes, which is what a group of calls takes besides them. */
static void count_group(struct job *job, uint64_t cycles[3])
{
    void **blocks = job->blocks;
    uint64_t began = al_cycles();
    for (size_t i = 0; i < SOME; i++)
        al_ptr_store_relaxed((struct al_atomic_ptr *)&blocks[i], NULL); /* one by one, as below */
    uint64_t stored = al_cycles();
    for (size_t i = 0; i < SOME; i++)
        blocks[i] = al_malloc(BLOCK_BYTES);
    uint64_t allocated = al_cycles();
    for (size_t i = 0; i < SOME; i++)
        al_free(blocks[i]);
    uint64_t freed = al_cycles();
    cycles[0] += stored - began;
    cycles[1] += allocated - stored;
    cycles[2] += freed - allocated;
}

static void run_some(void *argument)
{
    struct job *job = argument;
    struct al_calibrator *calibrator = job->calibrator;
    double cycles_per_ns = al_samples_median(&calibrator->samples[AL_MODEL_FREQUENCY]) / 1000;
    for (size_t repeat = 0; repeat <= calibrator->repeats; repeat++) {
        uint64_t cycles[3] = {0};
        for (int i = 0; i < GROUPS; i++)
            count_group(job, cycles);
        for (int call = 1; call <= 2 && repeat > 0; call++) {
            double ns = ((double)cycles[call] - (double)cycles[0]) / cycles_per_ns / GROUPS / SOME;
            al_samples_add(&calibrator->samples[call == 1 ? AL_MODEL_MALLOC : AL_MODEL_FREE],
                           ns > 0 ? ns : 0);
        }
    }
}

/* Touch each page of a block that is so large that the allocator gets its memory anew each time. */
static void run_faults(void *argument)
{
    struct job *job = argument;
    for (size_t repeat = 0; repeat < job->calibrator->repeats; repeat++) {
        char *pages = al_malloc(FRESH_BYTES);
        if (pages == NULL)
            return;
        uint64_t began_ns = al_clock_ns();
        for (size_t i = 0; i < FRESH_BYTES; i += AL_CALIBRATE_PAGE_BYTES)
            al_u64_store_relaxed((void *)(pages + i), 1); /* relaxed: nobody else reads it */
        double ns = (double)(al_clock_ns() - began_ns);
        al_free(pages);
        al_samples_add(&job->calibrator->samples[AL_MODEL_PAGE_FAULT],
                       ns / (double)(FRESH_BYTES / AL_CALIBRATE_PAGE_BYTES));
    }
}

static void allocate_many(void *argument)
{
    struct job *job = argument;
    for (size_t i = 0; i < MANY; i++)
        job->blocks[i] = al_malloc(BLOCK_BYTES);
}

/* Where the blocks are. Returns something that depends on all of it. */
static uintptr_t read_blocks(const struct job *job)
{
    uintptr_t all = 0;
    for (size_t i = FIRST; i < MANY; i++)
        all ^= (uintptr_t)job->blocks[i];
    return all;
}

static void free_many(void *argument)
{
    struct job *job = argument;
    void **blocks = job->blocks; /* not to be read again for each */
    for (size_t i = 0; i < FIRST; i++)
        al_free(blocks[i]);
    job->sum ^= read_blocks(job);
    uint64_t began_ns = al_clock_ns();
    job->sum ^= read_blocks(job);
    uint64_t read_ns = al_clock_ns();
    for (size_t i = FIRST; i < MANY; i++)
        al_free(blocks[i]);
    uint64_t freed_ns = al_clock_ns();
    double ns = ((double)(freed_ns - read_ns) - (double)(read_ns - began_ns)) / (MANY - FIRST);
    ns -= al_samples_median(&job->calibrator->samples[AL_MODEL_FREE]);
    al_samples_add(&job->calibrator->samples[AL_MODEL_MALLOC_FLUSH], ns > 0 ? ns : 0);
}

int al_calibrate_allocator(struct al_calibrator *calibrator, unsigned pu, unsigned other)
{
    struct job job = {.calibrator = calibrator};
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, MANY * sizeof *job.blocks, &memory);
    if (code != 0)
        return code;
    job.blocks = memory;
    code = al_calibrate_on(calibrator, pu, run_some, &job);
    if (code == 0)
        code = al_calibrate_on(calibrator, pu, run_faults, &job);
    for (size_t i = 0; i <= calibrator->repeats && code == 0; i++) {
        code = al_calibrate_on(calibrator, other, allocate_many, &job);
        if (code == 0)
            code = al_calibrate_on(calibrator, pu, free_many, &job);
        if (i == 0) /* the cache was empty */
            calibrator->samples[AL_MODEL_MALLOC_FLUSH].n = 0;
    }
    return code;
}
