/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: the store buffer. A thread stores to lines that
 * another core has, which takes no time as long as the buffer has room: then it waits until the
 * first store is done. The second pass over the same lines takes what the instructions take.
 */

#include "benchmarks/harness/measure/calibrate.h"

#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"

/* Neighbours are two lines apart. MOST: more entries than any store buffer has. LASTING: so many
 * depths in a row must be slow, since one may have been disturbed. */
enum { MOST = 160, APART = 2, LASTING = 4, REPEATS = 31 };

struct job {
    struct al_calibrator *calibrator;
    struct al_calibrate_turn *turn;
    char *lines;         /* MOST * APART */
    double ns[MOST + 1]; /* by the number of stores: what they take beyond those in the own L1 */
};

static struct al_atomic_u32 *word_at(const struct job *job, size_t i)
{
    return (struct al_atomic_u32 *)(job->lines + i * APART * AL_CACHE_LINE_BYTES);
}

/* Relaxed: the fences around them publish them. */
static void store(const struct job *job, size_t n)
{
    for (size_t i = 0; i < n; i++)
        al_u32_store_relaxed(word_at(job, i), 1);
}

static uint64_t timed_stores(const struct job *job, size_t n)
{
    al_fence_seq_cst();
    uint64_t began = al_cycles();
    store(job, n);
    uint64_t ended = al_cycles();
    al_fence_seq_cst();
    return ended - began;
}

static size_t repeats(const struct job *job)
{
    return job->calibrator->repeats < REPEATS ? job->calibrator->repeats : REPEATS;
}

static void run_stores(void *argument)
{
    struct job *job = argument;
    uint32_t turn = 0;
    double cycles_per_ns = al_samples_median(&job->calibrator->samples[AL_MODEL_FREQUENCY]) / 1000;
    for (size_t n = 1; n <= MOST; n++) {
        double ns[REPEATS];
        for (size_t i = 0; i < repeats(job); i++) {
            al_calibrate_pass_on(job->turn, ++turn);
            al_calibrate_wait_for(job->turn, ++turn);
            double first = (double)timed_stores(job, n), again = (double)timed_stores(job, n);
            ns[i] = (first - again) / cycles_per_ns;
        }
        job->ns[n] = al_median(ns, repeats(job));
    }
}

static void own_lines(void *argument)
{
    struct job *job = argument;
    uint32_t turn = 0;
    for (size_t i = 0; i < MOST * repeats(job); i++) {
        al_calibrate_wait_for(job->turn, ++turn);
        store(job, MOST);
        al_calibrate_pass_on(job->turn, ++turn);
    }
}

/* The largest number of stores that take less than this; 0: all do. */
static size_t depth(const struct job *job, double ns)
{
    size_t slow = 0;
    for (size_t n = 1; n <= MOST; n++) {
        slow = job->ns[n] > ns ? slow + 1 : 0;
        if (slow == LASTING)
            return n - LASTING;
    }
    return 0;
}

int al_calibrate_stores(struct al_calibrator *calibrator, unsigned pu, unsigned other,
                        double handoff_ns)
{
    struct job job = {.calibrator = calibrator};
    void *lines, *turn;
    int code = al_calibrate_memory(calibrator, pu, MOST * APART * AL_CACHE_LINE_BYTES, &lines);
    if (code == 0)
        code = al_calibrate_memory(calibrator, pu, sizeof *job.turn, &turn);
    if (code != 0)
        return code;
    job.lines = lines;
    job.turn = turn;
    code = al_calibrate_both(calibrator, pu, run_stores, other, own_lines, &job);
    static const double shares[] = {0.125, 0.25, 0.5}; /* of a hand-off: that a store waits */
    for (size_t i = 0; i < sizeof shares / sizeof *shares && code == 0; i++) {
        size_t entries = depth(&job, shares[i] * handoff_ns);
        if (entries > 0)
            al_samples_add(&calibrator->samples[AL_MODEL_STORE_BUFFER], (double)entries);
    }
    return code;
}
