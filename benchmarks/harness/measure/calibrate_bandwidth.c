/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: threads that read memory in the order of its
 * lines, as fast as they can. If all together read hardly more than one of them would so many
 * times, the memory of their node sets the limit, and not what each of them can have under way.
 */

#include <errno.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/calibrate.h"

enum { PASSES_MOST = 7, LINES_LEAST = 4096, OF_CACHE = 4 };

/* Together they read less than this share of what each reads alone. */
#define LIMITED 0.9

struct reader {
    struct al_atomic_u32 *beginning; /* how many readers have not made their first pass */
    struct al_atomic_u32 *under_way; /* how many have not finished */
    const char *memory;
    size_t lines, passes;
    uint64_t sum;
    double gb_per_s;
};

static uint64_t read_lines(const char *memory, size_t from, size_t end)
{
    uint64_t sum = 0;
    for (size_t i = from; i < end; i++)
        sum += *(const uint64_t *)(const void *)(memory + i * AL_CACHE_LINE_BYTES);
    return sum;
}

/* Leave the number of those that the others wait for, and read on until nobody is in it. */
static uint64_t read_with_others(const struct reader *reader, struct al_atomic_u32 *others)
{
    size_t lines = reader->lines, at = 0;
    uint64_t sum = 0;
    al_u32_add_relaxed(others, (uint32_t)-1); /* relaxed: publishes nothing else */
    while (al_u32_load_relaxed(others) != 0) {
        sum += read_lines(reader->memory, at, at + LINES_LEAST / 16);
        at = (at + LINES_LEAST / 16) % (lines - LINES_LEAST / 16);
    }
    return sum;
}

/* The first pass is not counted: the caches have what wrote the memory, and whoever begins first
 * has them for itself. */
static void run_reader(void *argument)
{
    struct reader *reader = argument;
    size_t lines = reader->lines;
    uint64_t sum = read_lines(reader->memory, 0, lines);
    sum += read_with_others(reader, reader->beginning);
    uint64_t began_ns = al_clock_ns();
    for (size_t i = 0; i < reader->passes; i++)
        sum += read_lines(reader->memory, 0, lines);
    uint64_t bytes = lines * reader->passes * AL_CACHE_LINE_BYTES;
    reader->gb_per_s = (double)bytes / (double)(al_clock_ns() - began_ns);
    sum += read_with_others(reader, reader->under_way);
    reader->sum = sum; /* so that the loads are not left out */
}

/* What all of them read, in GB/s. */
static double run_readers(const struct al_calibrator *calibrator, const unsigned *pus,
                          struct reader *readers, size_t n, int *code)
{
    struct al_calibrate_thread *threads = calloc(n, sizeof *threads);
    struct al_atomic_u32 beginning = {(uint32_t)n}, under_way = {(uint32_t)n};
    double sum = 0;
    *code = threads != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && *code == 0; i++) {
        readers[i].beginning = &beginning;
        readers[i].under_way = &under_way;
        threads[i] = (struct al_calibrate_thread){
            .function = run_reader, .argument = &readers[i], .pu = pus[i]};
    }
    if (*code == 0)
        *code = al_calibrate_run(calibrator->topology, threads, n);
    free(threads);
    for (size_t i = 0; i < n; i++)
        sum += readers[i].gb_per_s;
    return sum;
}

int al_calibrate_bandwidth(struct al_calibrator *calibrator, const unsigned *pus, size_t n)
{
    /* Each reads more than a shared cache holds: what is less would stay there once it is read fast
     * enough. */
    size_t shared = calibrator->l3 + calibrator->l3 / 2, own = (size_t)OF_CACHE * calibrator->l2,
           lines = shared > own ? shared : own,
           passes = calibrator->repeats < PASSES_MOST ? calibrator->repeats : PASSES_MOST;
    struct reader *readers = calloc(n, sizeof *readers);
    void *memory = NULL;
    int code = readers != NULL ? 0 : -ENOMEM;
    lines = lines > LINES_LEAST ? lines : LINES_LEAST;
    if (code == 0)
        code = al_calibrate_memory(calibrator, pus[0], n * lines * AL_CACHE_LINE_BYTES, &memory);
    if (code == 0) {
        for (size_t i = 0; i < n; i++)
            readers[i] = (struct reader){.memory = (char *)memory + i * lines * AL_CACHE_LINE_BYTES,
                                         .lines = lines,
                                         .passes = passes};
        double alone = run_readers(calibrator, pus, readers, 1, &code);
        double all = code == 0 ? run_readers(calibrator, pus, readers, n, &code) : 0;
        if (code == 0 && all < LIMITED * alone * (double)n)
            al_samples_add(&calibrator->samples[AL_MODEL_MEMORY_BANDWIDTH], all);
    }
    free(readers);
    return code;
}
