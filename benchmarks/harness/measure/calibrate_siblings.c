/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibrate.h: a thread that computes and loads from its L1,
 * alone, and beside others that do the same: on the core's other PU, or on all cores of the
 * package. */

#include <errno.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/calibrate.h"

#include "core/random.h"

enum { STEPS = 20000, WORDS = 1024 };

struct job {
    size_t repeats, others;
    struct al_samples *share; /* of its speed alone, in percent */
    struct al_atomic_u32 runs, stop;
    double alone_ns;
};

/* What a thread works on. */
struct worker {
    struct job *job;
    uint64_t *words;
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

static double timed_work(struct worker *worker)
{
    uint64_t began_ns = al_clock_ns(), sum = work(worker->words, STEPS);
    double took_ns = (double)(al_clock_ns() - began_ns);
    worker->words[0] = sum; /* so that the work is not left out */
    return took_ns;
}

static void run_alone(void *argument)
{
    struct worker *worker = argument;
    struct al_samples ns = {.n = 0};
    for (size_t i = 0; i <= worker->job->repeats; i++) {
        double took_ns = timed_work(worker);
        if (i > 0) /* the first time the words are not in the cache */
            al_samples_add(&ns, took_ns);
    }
    worker->job->alone_ns = al_samples_median(&ns);
}

static void run_beside(void *argument)
{
    struct worker *worker = argument;
    struct job *job = worker->job;
    while (al_u32_load_acquire(&job->runs) < job->others) /* partner: the add in run_other */
        al_pause();
    for (size_t i = 0; i < job->repeats; i++)
        al_samples_add(job->share, 100 * job->alone_ns / timed_work(worker));
    al_u32_store_relaxed(&job->stop, 1); /* relaxed: publishes nothing else */
}

static void run_other(void *argument)
{
    struct worker *worker = argument;
    struct job *job = worker->job;
    uint64_t sum = work(worker->words, STEPS);
    al_u32_add_acq_rel(&job->runs, 1);           /* partner: the acquire in run_beside */
    while (al_u32_load_relaxed(&job->stop) == 0) /* relaxed: it waits for nothing else */
        sum += work(worker->words, STEPS / 100);
    worker->words[0] = sum;
}

int al_calibrate_beside(struct al_calibrator *calibrator, const unsigned *pus, size_t n,
                        struct al_samples *share)
{
    struct job job = {.repeats = calibrator->repeats, .others = n - 1, .share = share};
    struct al_calibrate_thread *threads = calloc(n, sizeof *threads);
    struct worker *workers = calloc(n, sizeof *workers);
    int code = threads != NULL && workers != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && code == 0; i++) {
        void *memory = NULL;
        code = al_calibrate_memory(calibrator, pus[i], WORDS * sizeof(uint64_t), &memory);
        workers[i] = (struct worker){&job, memory};
        threads[i] = (struct al_calibrate_thread){
            .function = i == 0 ? run_beside : run_other, .argument = &workers[i], .pu = pus[i]};
    }
    if (code == 0)
        code = al_calibrate_on(calibrator, pus[0], run_alone, &workers[0]);
    if (code == 0)
        code = al_calibrate_run(calibrator->topology, threads, n);
    free(threads);
    free(workers);
    return code;
}
