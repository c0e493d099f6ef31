/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: two threads add to one word as fast as they can.
 * A thread that finds the word as it left it has kept the line since; the number of additions in a
 * row says for how long a core keeps a line that another waits for.
 */

#include "benchmarks/harness/measure/calibrate.h"

enum { ADDITIONS = 3000, RUNS_LEAST = 4 };

struct job {
    struct al_atomic_u64 *word; /* alone in the two lines that a prefetcher fetches together */
    size_t batches;
    struct al_samples *in_a_row;
};

/* The mean number in a row, between the first and the last time that the line was away: before and
 * after, the other thread may not run. 0: it was away too seldom. */
static double add_batch(struct al_atomic_u64 *word)
{
    uint64_t last = 0, runs = 0, first_at = 0, last_at = 0;
    for (uint64_t i = 0; i < ADDITIONS; i++) {
        uint64_t value = al_u64_add_relaxed(word, 1);
        if (i > 0 && value != last + 1) {
            first_at = runs++ == 0 ? i : first_at;
            last_at = i;
        }
        last = value;
    }
    return runs > RUNS_LEAST ? (double)(last_at - first_at) / (double)(runs - 1) : 0;
}

static void add_and_count(void *argument)
{
    struct job *job = argument;
    for (size_t batch = 0; batch < job->batches; batch++) {
        double in_a_row = add_batch(job->word);
        if (in_a_row > 0)
            al_samples_add(job->in_a_row, in_a_row);
    }
}

static void add(void *argument)
{
    struct job *job = argument;
    for (size_t batch = 0; batch < job->batches; batch++)
        (void)add_batch(job->word);
}

int al_calibrate_kept(struct al_calibrator *calibrator, unsigned pu, unsigned other,
                      double handoff_ns)
{
    struct al_samples in_a_row = {.n = 0}, *kept = &calibrator->samples[AL_MODEL_LINE_KEPT];
    double locked_ns = al_samples_median(&calibrator->samples[AL_MODEL_LOCKED]);
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, 2 * AL_CACHE_LINE_BYTES, &memory);
    if (code != 0)
        return code;
    struct job job = {memory, calibrator->repeats, &in_a_row};
    code = al_calibrate_both(calibrator, pu, add_and_count, other, add, &job);
    /* The first addition waits for the line; the last is under way when the line goes. */
    for (size_t i = 0; i < in_a_row.n; i++) {
        double share = 100 * locked_ns * (in_a_row.values[i] - 0.5) / handoff_ns;
        al_samples_add(kept, in_a_row.values[i] < 1.5 ? 0 : share);
    }
    return code;
}
