/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibrate.h: threads on PUs, and memory to measure on. */

#include "benchmarks/harness/measure/calibrate.h"

#include <errno.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"

/* Less than a large block may share pages with others. */
#define BLOCK_LEAST ((size_t)1 << 16)

double al_samples_median(const struct al_samples *samples)
{
    double values[AL_SAMPLES_MOST];
    memcpy(values, samples->values, samples->n * sizeof *values);
    return al_median(values, samples->n);
}

double al_samples_quantile(const struct al_samples *samples, double p)
{
    double values[AL_SAMPLES_MOST];
    memcpy(values, samples->values, samples->n * sizeof *values);
    (void)al_median(values, samples->n); /* sorts them */
    return al_quantile(values, samples->n, p);
}

/* Where the threads of a run wait for each other. */
struct al_calibrate_meeting {
    const struct al_topology *topology;
    uint32_t expected;
    struct al_atomic_u32 arrived, failed;
};

static void thread_main(void *argument)
{
    const struct al_calibrate_thread *self = argument;
    struct al_calibrate_meeting *meeting = self->meeting;
    /* relaxed: published by the addition below */
    if (al_topology_bind(meeting->topology, self->pu) != (int)self->pu)
        al_u32_store_relaxed(&meeting->failed, 1);
    al_u32_add_acq_rel(&meeting->arrived, 1); /* partner: the acquire below */
    /* acquire: or a thread could miss that another is not bound, and wait for it for ever */
    while (al_u32_load_acquire(&meeting->arrived) < meeting->expected)
        al_yield();
    if (al_u32_load_relaxed(&meeting->failed) == 0) /* relaxed: read after the acquire */
        self->function(self->argument);
}

int al_calibrate_run(const struct al_topology *topology, struct al_calibrate_thread *threads,
                     size_t n)
{
    struct al_calibrate_meeting meeting = {.topology = topology, .expected = (uint32_t)n};
    size_t started = 0;
    int code = 0;
    while (started < n && code == 0) {
        threads[started].meeting = &meeting;
        code = al_thread_start(&threads[started].thread, thread_main, &threads[started]);
        started += code == 0;
    }
    if (code != 0) {
        al_u32_store_relaxed(&meeting.failed, 1); /* relaxed: published by the addition below */
        al_u32_add_acq_rel(&meeting.arrived, (uint32_t)(n - started)); /* as in thread_main */
    }
    for (size_t i = 0; i < started; i++)
        al_thread_join(&threads[i].thread);
    if (code == 0 && al_u32_load_relaxed(&meeting.failed) != 0) /* relaxed: all have ended */
        code = -EPERM;
    return code;
}

int al_calibrate_on(const struct al_calibrator *calibrator, unsigned pu, void (*function)(void *),
                    void *argument)
{
    struct al_calibrate_thread thread = {.function = function, .argument = argument, .pu = pu};
    return al_calibrate_run(calibrator->topology, &thread, 1);
}

int al_calibrate_both(const struct al_calibrator *calibrator, unsigned pu, void (*function)(void *),
                      unsigned other, void (*at_other)(void *), void *argument)
{
    struct al_calibrate_thread threads[] = {
        {.function = function, .argument = argument, .pu = pu},
        {.function = at_other, .argument = argument, .pu = other},
    };
    return al_calibrate_run(calibrator->topology, threads, 2);
}

void al_calibrate_loops(const struct al_calibrate_loop *loops, size_t n, void *place,
                        size_t repeats)
{
    for (size_t repeat = 0; repeat <= repeats; repeat++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t began_ns = al_clock_ns();
            loops[i].loop(place);
            double ns = (double)(al_clock_ns() - began_ns) / AL_CALIBRATE_LOOP;
            if (repeat > 0) /* the first time the code is not in the cache */
                al_samples_add(loops[i].ns, ns);
        }
    }
}

struct touch {
    size_t bytes;
    char *memory;
};

/* The first to touch a page decides where it is. */
static void touch(void *argument)
{
    struct touch *touch = argument;
    touch->memory = al_aligned_alloc(AL_CALIBRATE_PAGE_BYTES, touch->bytes);
    if (touch->memory != NULL)
        memset(touch->memory, 0, touch->bytes);
}

int al_calibrate_memory(struct al_calibrator *calibrator, unsigned pu, size_t bytes, void **memory)
{
    struct touch job = {.bytes = bytes > BLOCK_LEAST ? (bytes + AL_CALIBRATE_PAGE_BYTES - 1) &
                                                           ~(AL_CALIBRATE_PAGE_BYTES - 1)
                                                     : BLOCK_LEAST};
    struct al_calibrate_thread thread = {.function = touch, .argument = &job, .pu = pu};
    void **blocks = realloc(calibrator->blocks,
                            (calibrator->n_blocks + 1) * sizeof *calibrator->blocks);
    if (blocks == NULL)
        return -ENOMEM;
    calibrator->blocks = blocks;
    int code = al_calibrate_run(calibrator->topology, &thread, 1);
    if (code != 0)
        return code;
    if (job.memory == NULL)
        return -ENOMEM;
    *memory = calibrator->blocks[calibrator->n_blocks++] = job.memory;
    return 0;
}

void al_calibrator_release(struct al_calibrator *calibrator)
{
    for (size_t i = 0; i < calibrator->n_blocks; i++)
        al_free(calibrator->blocks[i]);
    free(calibrator->blocks);
    calibrator->blocks = NULL;
    calibrator->n_blocks = 0;
    calibrator->sweep = NULL;
}
