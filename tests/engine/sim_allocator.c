/* SPDX-License-Identifier: MIT */

/* The simulated machine's allocator: caches of each core, and memory that another core frees. */

#include <string.h>

#include "tests/engine/sim_machine.h"

#define BLOCKS    300 /* more than a cache holds */
#define CACHED    200
#define HALF      (CACHED / 2)
#define MALLOC_NS 9
#define FREE_NS   5
#define FLUSH_NS  4

static struct machine machine;

static struct {
    char *blocks[BLOCKS];
    uint64_t allocate_ns[BLOCKS], free_ns[BLOCKS];
} run;

static void allocate(void *argument)
{
    for (uint32_t i = 0; i < *(const uint32_t *)argument; i++) {
        uint64_t began = al_clock_ns();
        run.blocks[i] = al_malloc(64);
        run.allocate_ns[i] = al_clock_ns() - began;
    }
}

static void release(void *argument)
{
    for (uint32_t i = 0; i < *(const uint32_t *)argument; i++) {
        uint64_t began = al_clock_ns();
        al_free(run.blocks[i]);
        run.free_ns[i] = al_clock_ns() - began;
    }
}

/* How many of the first n took other than this. */
static uint32_t others(const uint64_t *ns, uint32_t n, uint64_t expected_ns)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += ns[i] != expected_ns;
    return count;
}

static uint32_t all = BLOCKS, cached = CACHED;
static bool local, again, flushed, refilled;

static void reuse(void *argument)
{
    (void)argument;
    char *first[CACHED];
    on(0, allocate, &cached);
    local = others(run.allocate_ns, CACHED, MALLOC_NS) == 0;
    for (uint32_t i = 0; i < CACHED; i++) {
        first[i] = run.blocks[i];
        for (uint32_t k = 0; k < i; k++)
            local &= run.blocks[i] != run.blocks[k];
    }
    on(0, release, &cached);
    local &= others(run.free_ns, CACHED, FREE_NS) == 0;
    on(0, allocate, &cached);
    again = others(run.allocate_ns, CACHED, MALLOC_NS) == 0;
    for (uint32_t i = 0; i < CACHED; i++)
        again &= run.blocks[i] == first[CACHED - 1 - i]; /* the last that was freed comes first */
}

/* Core 0's blocks are freed by core 1, whose cache gives half back to core 0's bin, twice. The bin
 * has a lock on a line of its own, which is taken from memory or from the core that had it. */
static void free_remotely(void *argument)
{
    (void)argument;
    on(0, allocate, &all);
    on(1, release, &all);
    flushed = others(run.free_ns, CACHED, FREE_NS) == 0 &&
              run.free_ns[CACHED] == FREE_NS + HALF * FLUSH_NS + MEMORY_NS &&
              others(run.free_ns + CACHED + 1, BLOCKS - CACHED - 1, FREE_NS) == 0;
    on(0, allocate, &all);
    refilled = run.allocate_ns[0] == MALLOC_NS + HALF * FLUSH_NS + handoff_ns(&machine, 0, 1) &&
               others(run.allocate_ns + 1, BLOCKS - 1, MALLOC_NS) == 0;
}

static bool sound;

/* Memory that is in use is not given out again, whoever frees what; sizes of all classes. */
static void many_sizes(void *argument)
{
    (void)argument;
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < BLOCKS; i++) {
            size_t bytes = 1 + (size_t)i * i;
            char *block = i % 2 == 0 ? al_calloc(1, bytes) : al_aligned_alloc(256, bytes);
            run.blocks[i] = block;
            sound &= block != NULL && (i % 2 == 0 || (uintptr_t)block % 256 == 0);
            for (size_t k = 0; i % 2 == 0 && k < bytes; k += 61)
                sound &= block[k] == 0;
            memset(block, (int)(i % 251), bytes);
        }
        for (uint32_t i = 0; i < BLOCKS; i++) {
            size_t bytes = 1 + (size_t)i * i;
            for (size_t k = 0; k < bytes; k += 61)
                sound &= run.blocks[i][k] == (char)(i % 251);
        }
        on(1, release, &all);
    }
}

int main(void)
{
    struct tap tap = {0};
    machine_init(&machine, (struct shape){1, 1, 1, 2, 1, 1});
    machine_set(&machine, AL_MODEL_MALLOC, MALLOC_NS);
    machine_set(&machine, AL_MODEL_FREE, FREE_NS);
    machine_set(&machine, AL_MODEL_MALLOC_FLUSH, FLUSH_NS);
    (void)machine_run(&machine, reuse, NULL);
    tap_ok(&tap, local, "blocks come from the core's cache, and go there");
    tap_ok(&tap, again, "the last that was freed comes first");
    (void)machine_run(&machine, free_remotely, NULL);
    tap_ok(&tap, flushed, "a full cache gives half of its blocks back");
    tap_ok(&tap, refilled, "to the core that they came from");
    sound = true;
    (void)machine_run(&machine, many_sizes, NULL);
    tap_ok(&tap, sound, "blocks of all sizes are apart, aligned, and zero if they should be");
    return tap_done(&tap);
}
