/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: loads from the levels of the memory hierarchy, by
 * a walk through lines, each of which has the address of the next. They follow in a random order,
 * which no prefetcher guesses. What a level costs is what a step takes beyond one in the L1.
 */

#include "benchmarks/harness/measure/calibrate.h"

#include "core/random.h"

/* A walk through memory is of lines whose pages the TLB holds. */
enum { STEPS_LEAST = 20000, MEMORY_LINES = 8192, MEMORY_REPEATS = 7 };

struct line {
    _Alignas(AL_CACHE_LINE_BYTES) struct line *next;
};

/* Make the lines a circle (Sattolo 1986: one cycle, each as likely). */
static void link_lines(struct line *lines, size_t n)
{
    struct al_random random;
    al_random_seed(&random, n, 0);
    for (size_t i = 0; i < n; i++)
        lines[i].next = &lines[i];
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = al_random_below(&random, (uint32_t)i);
        struct line *next = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = next;
    }
}

static struct line *walk(struct line *line, size_t steps)
{
    while (steps-- > 0)
        line = line->next;
    return line;
}

struct job {
    struct line *lines;
    size_t n, repeats, sweep_lines;
    struct line *sweep;
    struct al_samples *ns;
};

static void run_level(void *argument)
{
    const struct job *job = argument;
    size_t steps = job->n > STEPS_LEAST ? job->n : STEPS_LEAST;
    link_lines(job->lines, job->n);
    struct line *line = walk(job->lines, job->n);
    for (size_t i = 0; i < job->repeats; i++) {
        uint64_t began_ns = al_clock_ns();
        line = walk(line, steps);
        al_samples_add(job->ns, (double)(al_clock_ns() - began_ns) / (double)steps);
    }
    job->lines[0].next = line; /* so that the walk is not left out */
}

/* A load from n lines, which the level holds and the one above it does not. */
static int measure_level(struct al_calibrator *calibrator, unsigned pu, size_t n,
                         struct al_samples *ns)
{
    struct job job = {.n = n, .repeats = calibrator->repeats, .ns = ns};
    void *memory;
    int code = al_calibrate_memory(calibrator, pu, n * sizeof(struct line), &memory);
    if (code != 0)
        return code;
    job.lines = memory;
    return al_calibrate_on(calibrator, pu, run_level, &job);
}

static size_t between(size_t least, size_t value, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* What is beyond a load from the L1. */
static void subtract_l1(const struct al_calibrator *calibrator, struct al_samples *ns)
{
    double l1_ns = al_samples_median(&calibrator->samples[AL_MODEL_L1_HIT]);
    for (size_t i = 0; i < ns->n; i++)
        ns->values[i] = ns->values[i] > l1_ns ? ns->values[i] - l1_ns : 0;
}

int al_calibrate_caches(struct al_calibrator *calibrator, unsigned pu)
{
    uint32_t l1 = calibrator->l1, l2 = calibrator->l2, l3 = calibrator->l3;
    int code = measure_level(calibrator, pu, between(16, l1 / 4, 256),
                             &calibrator->samples[AL_MODEL_L1_HIT]);
    if (code == 0 && l2 != 0) {
        struct al_samples *ns = &calibrator->samples[AL_MODEL_L2_HIT];
        code = measure_level(calibrator, pu, between(2 * l1, l2 / 4, l2 / 2), ns);
        subtract_l1(calibrator, ns);
    }
    if (code == 0 && l3 != 0) {
        struct al_samples *ns = &calibrator->samples[AL_MODEL_L3_HIT];
        code = measure_level(calibrator, pu, between(2 * (size_t)l2, 4 * (size_t)l2, l3 / 2), ns);
        subtract_l1(calibrator, ns);
    }
    return code;
}

/* Link the lines, and then access so many others that no cache holds them any more. */
static void run_home(void *argument)
{
    const struct job *job = argument;
    link_lines(job->lines, job->n);
    for (size_t i = 0; i < job->sweep_lines; i++)
        job->sweep[i].next = job->lines;
}

static void run_walk(void *argument)
{
    const struct job *job = argument;
    uint64_t began_ns = al_clock_ns();
    struct line *line = walk(job->lines, job->n);
    al_samples_add(job->ns, (double)(al_clock_ns() - began_ns) / (double)job->n);
    line->next = line; /* so that the walk is not left out */
}

int al_calibrate_memories(struct al_calibrator *calibrator, unsigned pu, unsigned home,
                          struct al_samples *ns)
{
    size_t caches = (size_t)calibrator->l1 + calibrator->l2 + calibrator->l3;
    struct job job = {.n = MEMORY_LINES, .sweep_lines = 2 * caches, .ns = ns};
    void *memory;
    int code = 0;
    if (calibrator->sweep == NULL)
        code = al_calibrate_memory(calibrator, pu, job.sweep_lines * sizeof(struct line),
                                   &calibrator->sweep);
    if (code == 0)
        code = al_calibrate_memory(calibrator, home, job.n * sizeof(struct line), &memory);
    if (code != 0)
        return code;
    job.lines = memory;
    job.sweep = calibrator->sweep;
    size_t repeats = between(1, calibrator->repeats, MEMORY_REPEATS);
    for (size_t i = 0; i < repeats && code == 0; i++) {
        code = al_calibrate_on(calibrator, home, run_home, &job);
        if (code == 0)
            code = al_calibrate_on(calibrator, pu, run_walk, &job);
    }
    subtract_l1(calibrator, ns);
    return code;
}
