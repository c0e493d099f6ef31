/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: one thread prepares lines, and another passes
 * over them twice. The first pass has to fetch each line, or to take it away from the one that
 * prepared it; the second finds all of them in its L1. The difference is the answer.
 */

#include "benchmarks/harness/measure/calibrate.h"

#include "core/random.h"

/* They fit into any L1, two lines apart, so that none is fetched together with its neighbour. */
enum { LINES = 128, APART = 2 };

/* The word is the address of the next line, whose low bits count the updates. */
struct line {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_atomic_u64 word;
};

struct job {
    struct al_calibrate_turn *turn;
    struct line *lines; /* LINES * APART */
    uint16_t order[LINES], next[LINES * APART];
    size_t passes; /* of each kind */
    struct al_samples *ns;
    uint64_t sum, read; /* by either thread, so that nothing is left out */
};

static void write_lines(struct job *job)
{
    for (size_t i = 0; i < LINES * APART; i++) /* relaxed: passing on publishes it */
        al_u64_store_relaxed(&job->lines[i].word, (uintptr_t)&job->lines[job->next[i]]);
}

static struct line *line_at(uint64_t word)
{
    return (struct line *)(uintptr_t)(word & ~(uint64_t)(AL_CACHE_LINE_BYTES - 1));
}

/* Relaxed: passing on has published what is read, and nobody else has what is changed. */
static uint64_t pass_over(struct job *job, enum al_calibrate_pass pass)
{
    uint64_t sum = 0;
    struct line *line = &job->lines[job->order[0]];
    switch (pass) {
    case AL_PASS_DEPENDENT:
        for (size_t i = 0; i < LINES; i++)
            line = line_at(al_u64_load_relaxed(&line->word));
        return (uintptr_t)line;
    case AL_PASS_INDEPENDENT:
        for (size_t i = LINES; i-- > 0;) /* no word has the address of the line after it */
            sum += al_u64_load_relaxed(&job->lines[job->order[i]].word);
        return sum;
    case AL_PASS_SEQUENTIAL:
        for (size_t i = 0; i < LINES; i++)
            sum += al_u64_load_relaxed(&job->lines[i].word);
        return sum;
    default:
        for (size_t i = 0; i < LINES; i++)
            line = line_at(al_u64_add_relaxed(&line->word, 1));
        return (uintptr_t)line;
    }
}

static double timed_pass(struct job *job, enum al_calibrate_pass pass)
{
    uint64_t began_ns = al_clock_ns();
    job->sum += pass_over(job, pass);
    return (double)(al_clock_ns() - began_ns) / LINES;
}

static void run_passes(void *argument)
{
    struct job *job = argument;
    uint32_t turn = 0;
    for (int pass = 0; pass < AL_PASSES; pass++) {
        for (size_t i = 0; i < job->passes; i++) {
            if (pass == AL_PASS_UPDATE)
                write_lines(job); /* the other thread reads them */
            al_calibrate_pass_on(job->turn, ++turn);
            al_calibrate_wait_for(job->turn, ++turn);
            double first = timed_pass(job, pass), again = timed_pass(job, pass);
            al_samples_add(&job->ns[pass], first > again ? first - again : 0);
        }
    }
}

static void prepare_passes(void *argument)
{
    struct job *job = argument;
    uint32_t turn = 0;
    uint64_t sum = 0;
    for (int pass = 0; pass < AL_PASSES; pass++) {
        for (size_t i = 0; i < job->passes; i++) {
            al_calibrate_wait_for(job->turn, ++turn);
            if (pass == AL_PASS_UPDATE)
                sum += pass_over(job, AL_PASS_INDEPENDENT);
            else
                write_lines(job);
            al_calibrate_pass_on(job->turn, ++turn);
        }
    }
    job->read = sum;
}

static void choose_order(struct job *job)
{
    struct al_random random;
    al_random_seed(&random, LINES, 0);
    for (uint16_t i = 0; i < LINES; i++)
        job->order[i] = (uint16_t)(i * APART);
    for (uint32_t i = LINES - 1; i > 0; i--) {
        uint32_t other = al_random_below(&random, i + 1);
        uint16_t line = job->order[i];
        job->order[i] = job->order[other];
        job->order[other] = line;
    }
    for (size_t i = 0; i < LINES; i++)
        job->next[job->order[i]] = job->order[(i + 1) % LINES];
}

int al_calibrate_lines(struct al_calibrator *calibrator, unsigned pu, unsigned other,
                       struct al_samples ns[AL_PASSES])
{
    struct job job = {.passes = calibrator->repeats, .ns = ns};
    void *lines, *turn;
    int code = al_calibrate_memory(calibrator, pu, LINES * APART * sizeof *job.lines, &lines);
    if (code == 0)
        code = al_calibrate_memory(calibrator, pu, sizeof *job.turn, &turn);
    if (code != 0)
        return code;
    job.lines = lines;
    job.turn = turn;
    choose_order(&job);
    return al_calibrate_both(calibrator, pu, run_passes, other, prepare_passes, &job);
}
