/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibrate.h: single instructions and calls, in loops, by one
 * thread whose data is in its own L1. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/calibrate.h"

enum { LOOP = AL_CALIBRATE_LOOP, SLEEPS = 4, DATA = 64 };
#define SLEEP_NS   50000u
#define BETWEEN_NS 5000000u /* two readings of clock and counter; they are some 30 ns off */

/* What the loops work on: relaxed, because nobody else does. */
struct place {
    struct al_atomic_u64 words[8];
    struct al_atomic_u32 word;
    uint64_t sum;
    struct al_atomic_u64 data[DATA], results[DATA];
};

#define LOOP_OF(name, step)                                                                        \
    static void name##_loop(void *argument)                                                        \
    {                                                                                              \
        struct place *place = argument;                                                            \
        (void)place;                                                                               \
        for (unsigned i = 0; i < LOOP; i++)                                                        \
            step;                                                                                  \
    }

/* Some twenty instructions that a core can overlap with others: loads, a store, arithmetic, a
 * branch. */
#define UNIT(k)                                                                                    \
    do {                                                                                           \
        uint64_t a = al_u64_load_relaxed(&place->data[(i + (k)) % DATA]),                          \
                 b = al_u64_load_relaxed(&place->data[(3 * i + (k)) % DATA]);                      \
        if (((a ^ b) & 1024) != 0)                                                                 \
            a += 3;                                                                                \
        al_u64_store_relaxed(&place->results[(i + (k)) % DATA], a + b + (k));                      \
    } while (0)
#define WORK                                                                                       \
    do {                                                                                           \
        UNIT(0);                                                                                   \
        UNIT(1);                                                                                   \
        UNIT(2);                                                                                   \
        UNIT(3);                                                                                   \
        UNIT(4);                                                                                   \
        UNIT(5);                                                                                   \
        UNIT(6);                                                                                   \
        UNIT(7);                                                                                   \
    } while (0)
#define WORK_AROUND                                                                                \
    do {                                                                                           \
        WORK;                                                                                      \
        (void)al_u64_add_relaxed(&place->words[0], 1);                                             \
    } while (0)

LOOP_OF(work, WORK)
LOOP_OF(amid, WORK_AROUND)
LOOP_OF(least, (void)al_u64_load_relaxed(&place->words[0]))
LOOP_OF(locked, (void)al_u64_add_relaxed(&place->words[0], 1))
LOOP_OF(fence, al_fence_seq_cst())
LOOP_OF(pause, al_pause())
LOOP_OF(yield, al_yield())
LOOP_OF(unpark, al_unpark(&place->word, 1))

static void clock_loop(void *argument)
{
    struct place *place = argument;
    uint64_t sum = 0;
    for (unsigned i = 0; i < LOOP; i++)
        sum += al_clock_ns();
    place->sum += sum;
}

static void counter_loop(void *argument)
{
    struct place *place = argument;
    uint64_t sum = 0;
    for (unsigned i = 0; i < LOOP; i++)
        sum += al_cycles();
    place->sum += sum;
}

static void refused_loop(void *argument)
{
    struct place *place = argument;
    uint32_t other = al_u32_load_relaxed(&place->word) + 1; /* relaxed: nobody writes it */
    for (unsigned i = 0; i < LOOP; i++)
        al_park(&place->word, other);
}

static const struct {
    enum al_model_key key;
    void (*loop)(void *argument);
    bool overlaps; /* with the loop's own instructions */
} loops[] = {
    {AL_MODEL_LOCKED, locked_loop, true},       {AL_MODEL_FENCE, fence_loop, false},
    {AL_MODEL_PAUSE, pause_loop, false},        {AL_MODEL_YIELD, yield_loop, false},
    {AL_MODEL_CLOCK, clock_loop, false},        {AL_MODEL_COUNTER, counter_loop, false},
    {AL_MODEL_WAKE_NOBODY, unpark_loop, false}, {AL_MODEL_PARK_REFUSED, refused_loop, false},
};
#define N_LOOPS (sizeof loops / sizeof *loops)

struct job {
    struct al_calibrator *calibrator;
    struct place *place;
    struct al_samples samples[N_LOOPS + 1]; /* of loops, before they are compared */
};

static void run_loops(void *argument)
{
    struct job *job = argument;
    struct al_samples *least = &job->samples[N_LOOPS];
    struct al_calibrate_loop all[N_LOOPS + 1] = {[N_LOOPS] = {least_loop, least}};
    for (size_t i = 0; i < N_LOOPS; i++)
        all[i] = (struct al_calibrate_loop){loops[i].loop, &job->samples[i]};
    al_calibrate_loops(all, N_LOOPS + 1, job->place, job->calibrator->repeats);
    for (size_t i = 0; i < N_LOOPS; i++) {
        for (size_t repeat = 0; repeat < least->n; repeat++) {
            double besides = loops[i].overlaps ? 0 : least->values[repeat];
            al_samples_add(&job->calibrator->samples[loops[i].key],
                           fmax(job->samples[i].values[repeat] - besides, 0));
        }
    }
}

/* What locked instructions add to other work, each time. */
static void run_amid(void *argument)
{
    struct job *job = argument;
    struct al_samples *work = &job->samples[0], *amid = &job->samples[1];
    const struct al_calibrate_loop both[] = {{work_loop, work}, {amid_loop, amid}};
    work->n = amid->n = 0;
    al_calibrate_loops(both, 2, job->place, job->calibrator->repeats);
    for (size_t i = 0; i < amid->n; i++)
        al_samples_add(&job->calibrator->samples[AL_MODEL_LOCKED_AMID],
                       fmax(amid->values[i] - work->values[i], 0));
}

static void run_sleeps(void *argument)
{
    const struct job *job = argument;
    struct al_calibrator *calibrator = job->calibrator;
    double clock_ns = al_samples_median(&calibrator->samples[AL_MODEL_CLOCK]);
    for (size_t i = 0; i < SLEEPS * calibrator->repeats; i++) {
        uint64_t began_ns = al_clock_ns();
        al_sleep_ns(SLEEP_NS);
        double ns = (double)(al_clock_ns() - began_ns) - SLEEP_NS - clock_ns;
        al_samples_add(&calibrator->samples[AL_MODEL_SLEEP_SLACK], ns > 0 ? ns : 0);
    }
}

static void run_frequency(void *argument)
{
    const struct job *job = argument;
    for (size_t i = 0; i < job->calibrator->repeats; i++) {
        uint64_t from_ns, from_cycles, to_ns, to_cycles;
        al_clock_pair(&from_ns, &from_cycles);
        al_sleep_ns(BETWEEN_NS);
        al_clock_pair(&to_ns, &to_cycles);
        al_samples_add(&job->calibrator->samples[AL_MODEL_FREQUENCY],
                       (double)(to_cycles - from_cycles) * 1000 / (double)(to_ns - from_ns));
    }
}

int al_calibrate_instructions(struct al_calibrator *calibrator, unsigned pu)
{
    struct job *job = calloc(1, sizeof *job);
    void (*const runs[])(void *) = {run_loops, run_amid, run_sleeps, run_frequency};
    void *memory;
    if (job == NULL)
        return -ENOMEM;
    int code = al_calibrate_memory(calibrator, pu, sizeof *job->place, &memory);
    job->calibrator = calibrator;
    job->place = memory;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && code == 0; i++)
        code = al_calibrate_on(calibrator, pu, runs[i], job);
    free(job);
    return code;
}
