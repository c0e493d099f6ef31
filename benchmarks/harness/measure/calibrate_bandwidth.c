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
    const char *memory;
    size_t lines, passes;
    uint64_t began_ns, ended_ns, sum;
};

static uint64_t read_lines(const char *memory, size_t lines)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < lines; i++)
        sum += *(const uint64_t *)(const void *)(memory + i * AL_CACHE_LINE_BYTES);
    return sum;
}

/* The first pass is not counted: the caches have what wrote the memory. */
static void run_reader(void *argument)
{
    struct reader *reader = argument;
    reader->sum = read_lines(reader->memory, reader->lines);
    reader->began_ns = al_clock_ns();
    for (size_t i = 0; i < reader->passes; i++)
        reader->sum += read_lines(reader->memory, reader->lines);
    reader->ended_ns = al_clock_ns();
}

/* In GB/s: from when the first of them begins until the last has ended. */
static double run_readers(const struct al_calibrator *calibrator, const unsigned *pus,
                          struct reader *readers, size_t n, int *code)
{
    struct al_calibrate_thread *threads = calloc(n, sizeof *threads);
    uint64_t began_ns = UINT64_MAX, ended_ns = 0, lines = 0;
    *code = threads != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && *code == 0; i++)
        threads[i] = (struct al_calibrate_thread){
            .function = run_reader, .argument = &readers[i], .pu = pus[i]};
    if (*code == 0)
        *code = al_calibrate_run(calibrator->topology, threads, n);
    free(threads);
    for (size_t i = 0; i < n; i++) {
        began_ns = readers[i].began_ns < began_ns ? readers[i].began_ns : began_ns;
        ended_ns = readers[i].ended_ns > ended_ns ? readers[i].ended_ns : ended_ns;
        lines += readers[i].lines * readers[i].passes;
    }
    return (double)(lines * AL_CACHE_LINE_BYTES) / (double)(ended_ns - began_ns);
}

int al_calibrate_bandwidth(struct al_calibrator *calibrator, const unsigned *pus, size_t n,
                           size_t sharers)
{
    size_t l3 = OF_CACHE * calibrator->l3 / sharers, l2 = (size_t)OF_CACHE * calibrator->l2,
           lines = l3 > l2 ? l3 : l2,
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
        /* One alone must read more than its caches hold, too. */
        readers[0].lines = lines * sharers;
        double alone = run_readers(calibrator, pus, readers, 1, &code);
        readers[0].lines = lines;
        double all = code == 0 ? run_readers(calibrator, pus, readers, n, &code) : 0;
        if (code == 0 && all < LIMITED * alone * (double)n)
            al_samples_add(&calibrator->samples[AL_MODEL_MEMORY_BANDWIDTH], all);
    }
    free(readers);
    return code;
}
