/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibrate.h: threads that start, take turns on one PU, and
 * fall asleep. */

#include "benchmarks/harness/measure/calibrate.h"

enum { STARTS = 4, YIELDS = 500, PARKS = 4 };
#define INTERRUPTED_NS 200000u   /* a longer gap between two readings of the clock: another ran */
#define SLICES_NS      60000000u /* how long two threads compete for a PU */

struct job {
    struct al_calibrator *calibrator;
    struct al_atomic_u64 *shared; /* its words are lines apart */
    double clock_ns;
};

static struct al_atomic_u64 *word_of(const struct job *job, size_t i)
{
    return &job->shared[i * 2 * AL_CACHE_LINE_BYTES / sizeof *job->shared];
}

/* A sample, but for what reading the clock costs. */
static void add_ns(struct job *job, enum al_model_key key, double ns)
{
    ns -= job->clock_ns;
    al_samples_add(&job->calibrator->samples[key], ns > 0 ? ns : 0);
}

static void do_nothing(void *argument)
{
    (void)argument;
}

static int measure_starts(struct job *job)
{
    for (size_t i = 0; i < STARTS * job->calibrator->repeats; i++) {
        struct al_thread thread;
        uint64_t began_ns = al_clock_ns();
        int code = al_thread_start(&thread, do_nothing, NULL);
        uint64_t ended_ns = al_clock_ns();
        if (code != 0)
            return code;
        al_thread_join(&thread);
        add_ns(job, AL_MODEL_THREAD_START, (double)(ended_ns - began_ns));
    }
    return 0;
}

/*
 * Two threads give a PU to each other. A kernel may let the one that yields go on, so switches are
 * counted: word 0 is the last thread that ran. Relaxed: there is one PU, and nothing to publish.
 */
static void run_yields(struct job *job, uint64_t self)
{
    struct al_calibrator *calibrator = job->calibrator;
    double yield_ns = al_samples_median(&calibrator->samples[AL_MODEL_YIELD]);
    for (size_t repeat = 0; repeat <= calibrator->repeats; repeat++) {
        uint64_t switches = 0, began_ns = al_clock_ns();
        for (int i = 0; i < YIELDS; i++) {
            switches += al_u64_load_relaxed(word_of(job, 0)) != self;
            al_u64_store_relaxed(word_of(job, 0), self);
            al_yield();
        }
        double ns = (double)(al_clock_ns() - began_ns);
        /* In this time the other thread yielded as often, and each switch was followed by one
         * back. */
        if (repeat > 0 && self == 1 && switches > YIELDS / 10)
            al_samples_add(&calibrator->samples[AL_MODEL_SWITCH],
                           (ns - 2 * YIELDS * yield_ns) / (2.0 * (double)switches));
    }
}

static void run_yields_1(void *job)
{
    run_yields(job, 1);
}

static void run_yields_2(void *job)
{
    run_yields(job, 2);
}

/* Two threads compete for a PU: how long does each have it? */
static void run_slices(void *argument)
{
    const struct job *job = argument;
    uint64_t began_ns = al_clock_ns(), got_ns = 0, last_ns = began_ns;
    while (last_ns - began_ns < SLICES_NS) {
        uint64_t now_ns = al_clock_ns();
        if (now_ns - last_ns > INTERRUPTED_NS) {
            if (got_ns != 0)
                al_samples_add(&job->calibrator->samples[AL_MODEL_SLICE],
                               (double)(last_ns - got_ns));
            got_ns = now_ns;
        }
        last_ns = now_ns;
    }
}

/*
 * A thread notes the time and falls asleep; another, which waits for the PU, notes when it has it.
 * Word 0: the time; 0: there is none, or it was seen. Word 1, 32 bits of it: where the thread
 * sleeps. Relaxed: there is one PU, and nothing to publish.
 */
static struct al_atomic_u32 *bed_of(const struct job *job)
{
    return (struct al_atomic_u32 *)word_of(job, 1);
}

static void run_sleeper(void *argument)
{
    const struct job *job = argument;
    for (uint32_t i = 0; i < PARKS * job->calibrator->repeats; i++) {
        al_u64_store_relaxed(word_of(job, 0), al_clock_ns());
        while (al_u32_load_relaxed(bed_of(job)) == i)
            al_park(bed_of(job), i);
    }
}

static void run_heir(void *argument)
{
    struct job *job = argument;
    double switch_ns = al_samples_median(&job->calibrator->samples[AL_MODEL_SWITCH]);
    for (uint32_t i = 0; i < PARKS * job->calibrator->repeats; i++) {
        uint64_t parked_ns;
        while ((parked_ns = al_u64_load_relaxed(word_of(job, 0))) == 0)
            al_yield();
        add_ns(job, AL_MODEL_PARK, (double)(al_clock_ns() - parked_ns) - switch_ns);
        al_u64_store_relaxed(word_of(job, 0), 0);
        al_u32_store_relaxed(bed_of(job), i + 1);
        al_unpark(bed_of(job), 1);
    }
}

static int run_pair(struct job *job, void (*function)(void *), void (*other)(void *), unsigned pu,
                    unsigned other_pu)
{
    void *memory;
    int code = al_calibrate_memory(job->calibrator, pu, 8 * AL_CACHE_LINE_BYTES, &memory);
    if (code != 0)
        return code;
    job->shared = memory;
    return al_calibrate_both(job->calibrator, pu, function, other_pu, other, job);
}

static struct job new_job(struct al_calibrator *calibrator)
{
    return (struct job){.calibrator = calibrator,
                        .clock_ns = al_samples_median(&calibrator->samples[AL_MODEL_CLOCK])};
}

int al_calibrate_threads(struct al_calibrator *calibrator, unsigned pu)
{
    struct job job = new_job(calibrator);
    int code = measure_starts(&job);
    if (code == 0)
        code = run_pair(&job, run_yields_1, run_yields_2, pu, pu);
    if (code == 0)
        code = run_pair(&job, run_slices, run_slices, pu, pu);
    if (code == 0)
        code = run_pair(&job, run_sleeper, run_heir, pu, pu);
    return code;
}
