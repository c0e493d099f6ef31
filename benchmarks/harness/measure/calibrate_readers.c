/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: threads on several cores that share an L3 wait
 * for a change of one line, and note when they see it. They want the line at the same moment, so
 * each has to wait for those before it.
 */

#include "benchmarks/harness/measure/calibrate.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 10, SETTLE = 10 };

/* Two lines each: the number that all wait for, and each reader's answer. */
struct word {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 value;
};

struct job {
    struct al_calibrator *calibrator;
    struct word *number, *seen_ns; /* seen_ns: one for each reader; 0: it has not seen it yet */
    size_t n_readers;
};

struct reader {
    struct job *job;
    size_t index;
};

static void read_numbers(void *argument)
{
    const struct reader *reader = argument;
    struct job *job = reader->job;
    size_t rounds = ROUNDS * job->calibrator->repeats;
    for (uint64_t round = 1; round <= rounds; round++) {
        /* acquire: partner is the release in write_numbers. No pause, which would spread them. */
        while (al_u64_load_acquire(&job->number->value) != round)
            ;
        /* release: partner is the acquire in wait_for_all */
        al_u64_store_release(&job->seen_ns[reader->index].value, al_clock_ns());
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void wait_for_all(struct job *job, uint64_t *times)
{
    for (size_t i = 0; i < job->n_readers; i++) {
        /* acquire: partner is the release in read_numbers; the reader waits again afterwards */
        while ((times[i] = al_u64_load_acquire(&job->seen_ns[i].value)) == 0)
            al_pause();
        al_u64_store_relaxed(&job->seen_ns[i].value, 0); /* relaxed: before the next number */
    }
}

/* The mean time from one reader to the next without that of this index, and how far from it the
 * single ones are. */
static double spacing_without(const uint64_t *times, size_t n, size_t without, double *far)
{
    size_t first = without == 0, last = without == n - 1 ? n - 2 : n - 1;
    double mean = (double)(times[last] - times[first]) / (double)(n - 2);
    *far = 0;
    for (size_t i = first, next; i < last; i = next) {
        next = i + 1 == without ? i + 2 : i + 1;
        *far += fabs((double)(times[next] - times[i]) - mean);
    }
    return mean;
}

/*
 * The mean time from one reader to the next. The first has the line from another core than the
 * others, who have it from their cache, and may come before or after them: it is the one without
 * which the others are spaced most evenly.
 */
static double spacing(uint64_t *times, size_t n)
{
    double nearest = INFINITY, ns = 0;
    qsort(times, n, sizeof *times, compare);
    for (size_t i = 0; i < n; i++) {
        double far, mean = spacing_without(times, n, i, &far);
        if (far < nearest) {
            nearest = far;
            ns = mean;
        }
    }
    return ns;
}

static void write_numbers(void *argument)
{
    struct job *job = argument;
    uint64_t times[AL_READERS_MOST], round = 0;
    for (size_t i = 0; i < job->calibrator->repeats; i++) {
        double ns = 0;
        for (int k = 0; k < ROUNDS; k++) {
            for (int pause = 0; pause < SETTLE; pause++)
                al_pause();
            al_u64_store_release(&job->number->value, ++round); /* partner: acquire in readers */
            wait_for_all(job, times);
            ns += spacing(times, job->n_readers);
        }
        al_samples_add(&job->calibrator->samples[AL_MODEL_LINE_BUSY], ns / ROUNDS);
    }
}

int al_calibrate_readers(struct al_calibrator *calibrator, unsigned writer, const unsigned *readers,
                         size_t n)
{
    struct job job = {.calibrator = calibrator, .n_readers = n};
    struct reader selves[AL_READERS_MOST];
    struct al_calibrate_thread threads[AL_READERS_MOST + 1] = {
        {.function = write_numbers, .argument = &job, .pu = writer},
    };
    void *memory;
    int code = al_calibrate_memory(calibrator, writer, (n + 1) * sizeof *job.number, &memory);
    if (code != 0)
        return code;
    job.number = memory;
    job.seen_ns = job.number + 1;
    for (size_t i = 0; i < n; i++) {
        selves[i] = (struct reader){.job = &job, .index = i};
        threads[i + 1] = (struct al_calibrate_thread){
            .function = read_numbers, .argument = &selves[i], .pu = readers[i]};
    }
    return al_calibrate_run(calibrator->topology, threads, n + 1);
}
