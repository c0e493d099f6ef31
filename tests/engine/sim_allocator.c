/* SPDX-License-Identifier: MIT */

/* The simulated machine's allocator: caches of each core, and memory that another core frees. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine/sim_machine.h"
#include "tests/support/fires.h"

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

/* ---- Pages. */

#define FAULT_NS 700
#define RUN      ((size_t)5 * PAGE) /* fits into the L2 */
#define OVERSIZE ((size_t)8 << 20)

/* What writing to each page of a block takes, and reading the second line of each. */
static struct {
    size_t bytes;
    char *block;
    uint64_t pages_ns, lines_ns;
} touched;

static void touch_pages(void *argument)
{
    (void)argument;
    uint64_t began = al_clock_ns();
    for (size_t i = 0; i < touched.bytes; i += PAGE)
        touched.block[i] = 1;
    uint64_t half = al_clock_ns();
    for (size_t i = LINE; i < touched.bytes; i += PAGE)
        (void)*(volatile char *)&touched.block[i];
    touched.pages_ns = half - began;
    touched.lines_ns = al_clock_ns() - half;
}

static void allocate_pages(void *argument)
{
    touched.block = al_malloc(touched.bytes);
    touch_pages(argument);
}

static void free_pages(void *argument)
{
    (void)argument;
    al_free(touched.block);
}

/* In one thread: allocate, free, allocate. */
static void allocate_twice(void *argument)
{
    allocate_pages(argument);
    free_pages(argument);
    allocate_pages(argument);
}

static uint64_t faults(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * FAULT_NS;
}

static bool once, unused, in_use, huge, shared;

static void come_and_go(void *argument)
{
    touched.bytes = RUN;
    on(0, allocate_pages, argument);
    once = touched.pages_ns == faults(RUN) && touched.lines_ns <= 5 * L2_NS;
    on(0, touch_pages, argument); /* by another thread */
    in_use = touched.pages_ns == 0;
    on(0, free_pages, argument);
    on(0, allocate_twice, argument);
    unused = touched.pages_ns == 0;
    on(0, free_pages, argument);
    on(0, allocate_pages, argument);
    unused &= touched.pages_ns == faults(RUN);
    touched.bytes = OVERSIZE;
    on(0, allocate_twice, argument);
    huge = touched.pages_ns == faults(OVERSIZE);
}

/* Small blocks: their page goes when none of it is in use any more. */
static void come_and_go_in_slabs(void *argument)
{
    touched.bytes = LINE;
    on(0, allocate_pages, argument);
    char *first = touched.block;
    on(0, allocate_pages, argument);
    shared = touched.pages_ns == 0; /* the first of them has brought the page */
    on(0, free_pages, argument);
    on(0, allocate_pages, argument);
    shared &= touched.pages_ns == 0;
    on(0, free_pages, argument);
    touched.block = first;
    on(0, free_pages, argument);
    on(0, allocate_pages, argument);
    shared &= touched.pages_ns == FAULT_NS;
}

/* ---- What is not the C library's. */

static void free_foreign(void *argument)
{
    (void)argument;
    free(al_malloc(64));
}

static void realloc_foreign(void *argument)
{
    (void)argument;
    free(realloc(al_malloc(64), 128));
}

static void frees(void)
{
    (void)machine_run(&machine, free_foreign, NULL);
}

static void reallocates(void)
{
    (void)machine_run(&machine, realloc_foreign, NULL);
}

static void free_own(void *argument)
{
    (void)argument;
    free(malloc(64));
    al_free(malloc(64));
    free(NULL);
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
    machine_set(&machine, AL_MODEL_PAGE_FAULT, FAULT_NS);
    (void)machine_run(&machine, come_and_go, NULL);
    tap_ok(&tap, once, "the first touch of a page is a fault, which brings all of its lines");
    tap_ok(&tap, in_use, "pages in use stay when a thread ends");
    tap_ok(&tap, unused, "those not in use stay until a thread of their core ends");
    tap_ok(&tap, huge, "those of very large blocks go when these are freed");
    (void)machine_run(&machine, come_and_go_in_slabs, NULL);
    tap_ok(&tap, shared, "a page of small blocks goes when none of them is in use");
    const char *line = "() of memory that al_malloc or its like has given; valid: al_";
    tap_ok(&tap, fires(frees, SIGABRT, line), "free() of simulated memory is refused in a line");
    tap_ok(&tap, fires(reallocates, SIGABRT, line), "and realloc() of it");
    (void)machine_run(&machine, free_own, NULL);
    tap_ok(&tap, true, "what malloc() returned can be freed by either");
    return tap_done(&tap);
}
