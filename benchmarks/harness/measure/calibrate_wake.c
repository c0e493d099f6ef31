/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: waking a thread that sleeps on another PU. An
 * idle PU polls for a while before it halts, and a halted one takes longer to come back: on a
 * guest, the host must schedule it again. So the time that the sleeper has slept decides what a
 * wake-up costs.
 */

#include <math.h>

#include "benchmarks/harness/measure/calibrate.h"
#include "benchmarks/harness/statistics/quantiles.h"

enum { WAKES = 4, TRIES = 5, HALVINGS = 7 };

/* A sleeper's PU polls after the first, and has halted after the second if it ever does. */
#define SHORT_NS 4000.0
#define LONG_NS  2000000.0
/* A PU that takes this many times as long to run a sleeper has halted. */
#define HALTED 1.5
#define PAUSES 8 /* between looks at the clock */

struct job {
    struct al_calibrator *calibrator;
    /* lines apart: when the sleeper went to sleep, and when it ran again; 0: it has not yet */
    struct al_atomic_u64 *slept_ns, *ran_ns;
    struct al_atomic_u32 *bed; /* where it sleeps: how often it has been woken */
    struct al_atomic_u32 *over;
    uint32_t woken;
    double clock_ns, nobody_ns, park_ns;
};

static void run_sleeper(void *argument)
{
    const struct job *job = argument;
    for (uint32_t i = 0;; i++) {
        /* release, here and below: partner is the acquire in wait_for */
        al_u64_store_release(job->slept_ns, al_clock_ns());
        while (al_u32_load_relaxed(job->bed) == i) /* relaxed: no more than the number is needed */
            al_park(job->bed, i);
        /* acquire: partner is the release in run_waker, which comes before the last wake-up */
        if (al_u32_load_acquire(job->over) != 0)
            return;
        al_u64_store_release(job->ran_ns, al_clock_ns());
    }
}

/* The time that the sleeper noted, for which there is a new place then. */
static uint64_t wait_for(struct al_atomic_u64 *word)
{
    uint64_t ns;
    /* acquire: or the next 0 could come before this time */
    while ((ns = al_u64_load_acquire(word)) == 0)
        al_pause();
    al_u64_store_relaxed(word, 0); /* relaxed: the sleeper does not read it */
    return ns;
}

static void wake(struct job *job)
{
    al_u32_store_relaxed(job->bed, ++job->woken); /* relaxed: as in run_sleeper */
    al_fence_seq_cst();                           /* so that the call need not wait for it */
    al_unpark(job->bed, 1);
}

struct wake_up {
    double waker_ns, latency_ns;
};

/* Wake the sleeper after it has slept for this long. */
static struct wake_up wake_after(struct job *job, double ns)
{
    uint64_t until_ns = wait_for(job->slept_ns) + (uint64_t)ns, began_ns;
    while ((began_ns = al_clock_ns()) < until_ns) {
        for (int i = 0; i < PAUSES; i++)
            al_pause();
    }
    wake(job);
    uint64_t ended_ns = al_clock_ns();
    return (struct wake_up){
        .waker_ns = fmax(0, (double)(ended_ns - began_ns) - job->nobody_ns - job->clock_ns),
        .latency_ns = fmax(0, (double)(wait_for(job->ran_ns) - began_ns) - job->clock_ns),
    };
}

static double latency_after(struct job *job, double ns)
{
    double latencies[TRIES];
    for (int i = 0; i < TRIES; i++)
        latencies[i] = wake_after(job, ns).latency_ns;
    return al_median(latencies, TRIES);
}

/* After how long a sleeper's PU halts: between the two, on a scale of ratios. */
static double halts_after(struct job *job, double border_ns)
{
    double least = SHORT_NS, most = LONG_NS;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(least * most);
        *(latency_after(job, middle) > border_ns ? &most : &least) = middle;
    }
    return sqrt(least * most) - job->park_ns;
}

static void run_waker(void *argument)
{
    struct job *job = argument;
    struct al_samples *samples = job->calibrator->samples;
    size_t n = WAKES * job->calibrator->repeats;
    struct al_samples polling = {0}, halted = {0};
    for (size_t i = 0; i < n; i++) {
        struct wake_up soon = wake_after(job, SHORT_NS), late = wake_after(job, LONG_NS);
        al_samples_add(&samples[AL_MODEL_WAKE], soon.waker_ns);
        al_samples_add(&samples[AL_MODEL_WAKE_LATENCY], soon.latency_ns);
        al_samples_add(&samples[AL_MODEL_WAKE_HALTED], late.waker_ns);
        al_samples_add(&samples[AL_MODEL_WAKE_HALTED_LATENCY], late.latency_ns);
        al_samples_add(&polling, soon.latency_ns);
        al_samples_add(&halted, late.latency_ns);
    }
    double polls_ns = al_samples_median(&polling), halted_ns = al_samples_median(&halted);
    al_samples_add(&samples[AL_MODEL_IDLE_POLL], halted_ns > HALTED * polls_ns
                                                     ? halts_after(job, sqrt(polls_ns * halted_ns))
                                                     : LONG_NS);
    /* release: partner is the acquire in run_sleeper. Without it the sleeper could sleep again. */
    al_u32_store_release(job->over, 1);
    wake(job);
}

int al_calibrate_wake(struct al_calibrator *calibrator, unsigned pu, unsigned sleeper)
{
    const struct al_samples *samples = calibrator->samples;
    const size_t apart = 2 * AL_CACHE_LINE_BYTES;
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, 4 * apart, &memory);
    if (code != 0)
        return code;
    char *words = memory;
    struct job job = {
        .calibrator = calibrator,
        .slept_ns = (void *)words,
        .ran_ns = (void *)(words + apart),
        .bed = (void *)(words + 2 * apart),
        .over = (void *)(words + 3 * apart),
        .clock_ns = al_samples_median(&samples[AL_MODEL_CLOCK]),
        .nobody_ns = al_samples_median(&samples[AL_MODEL_WAKE_NOBODY]),
        .park_ns = al_samples_median(&samples[AL_MODEL_PARK]),
    };
    return al_calibrate_both(calibrator, pu, run_waker, sleeper, run_sleeper, &job);
}
