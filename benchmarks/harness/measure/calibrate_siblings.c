/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibrate.h: a thread that computes and loads from its L1,
 * alone on its core, and beside one that does the same on the core's other PU. */

#include "benchmarks/harness/measure/calibrate.h"

#include "core/random.h"

enum { STEPS = 20000, WORDS = 1024 };

struct job {
    struct al_calibrator *calibrator;
    uint64_t *words[2]; /* of each thread */
    struct al_atomic_u32 runs, stop;
    double alone_ns;
    uint64_t sum;
};

static uint64_t work(uint64_t *words, size_t steps)
{
    struct al_random random;
    al_random_seed(&random, steps, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < steps; i++) {
        uint64_t number = al_random_next(&random);
        sum += words[number % WORDS]++;
    }
    return sum;
}

static double timed_work(struct job *job)
{
    uint64_t began_ns = al_clock_ns();
    job->sum += work(job->words[0], STEPS);
    return (double)(al_clock_ns() - began_ns);
}

static void run_alone(void *argument)
{
    struct job *job = argument;
    struct al_samples ns = {.n = 0};
    for (size_t i = 0; i <= job->calibrator->repeats; i++) {
        double took_ns = timed_work(job);
        if (i > 0) /* the first time the words are not in the cache */
            al_samples_add(&ns, took_ns);
    }
    job->alone_ns = al_samples_median(&ns);
}

static void run_beside(void *argument)
{
    struct job *job = argument;
    while (al_u32_load_acquire(&job->runs) == 0) /* partner: the release in run_sibling */
        al_pause();
    for (size_t i = 0; i < job->calibrator->repeats; i++)
        al_samples_add(&job->calibrator->samples[AL_MODEL_SMT],
                       100 * job->alone_ns / timed_work(job));
    al_u32_store_relaxed(&job->stop, 1); /* relaxed: publishes nothing else */
}

static void run_sibling(void *argument)
{
    struct job *job = argument;
    uint64_t sum = work(job->words[1], STEPS);
    al_u32_store_release(&job->runs, 1);         /* partner: the acquire in run_beside */
    while (al_u32_load_relaxed(&job->stop) == 0) /* relaxed: it waits for nothing else */
        sum += work(job->words[1], STEPS / 100);
    job->words[1][0] = sum; /* so that the work is not left out */
}

int al_calibrate_siblings(struct al_calibrator *calibrator, unsigned pu, unsigned sibling)
{
    struct job job = {.calibrator = calibrator};
    struct al_calibrate_thread alone = {.function = run_alone, .argument = &job, .pu = pu};
    struct al_calibrate_thread both[] = {
        {.function = run_beside, .argument = &job, .pu = pu},
        {.function = run_sibling, .argument = &job, .pu = sibling},
    };
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        void *memory;
        code = al_calibrate_memory(calibrator, pu, WORDS * sizeof(uint64_t), &memory);
        job.words[i] = code == 0 ? memory : NULL;
    }
    if (code == 0)
        code = al_calibrate_run(calibrator->topology, &alone, 1);
    if (code == 0)
        code = al_calibrate_run(calibrator->topology, both, 2);
    return code;
}
