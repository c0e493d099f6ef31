/* SPDX-License-Identifier: MIT */

/*
 * The peer `plain`. Mirrors the workload matrix (benchmarks/workloads/chapter/matrix.c) without
 * actors: threads loop over the rows, so that the difference is the cost of an actor system. Each
 * thread has an equal share of adjacent rows and is bound to a PU, as a worker is.
 * docs/reference/peers.md describes the protocol.
 */

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchmarks/workloads/support/matrix_kernel.h"
#include "core/random.h"

struct arguments {
    uint64_t workers, iterations, warmup, seed, rows;
    enum al_matrix_kernel kernel;
};

struct matrices {
    size_t n;
    uint32_t *x, *y, *z;
};

struct share {
    pthread_t thread;
    const struct arguments *arguments;
    const struct matrices *matrices;
    pthread_barrier_t *begin;
    uint64_t id, ended_ns;
};

static _Noreturn void refuse(const char *what, const char *given)
{
    fprintf(stderr, "peer-plain: %s '%s'\n", what, given);
    exit(2);
}

static uint64_t number(const char *text, uint64_t least)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least)
        refuse("not a number that is large enough:", text);
    return value;
}

static void set(struct arguments *arguments, char *setting)
{
    if (strncmp(setting, "rows=", 5) == 0)
        arguments->rows = number(setting + 5, 1);
    else if (strcmp(setting, "kernel=naive") == 0)
        arguments->kernel = AL_MATRIX_NAIVE;
    else if (strcmp(setting, "kernel=blocked") == 0)
        arguments->kernel = AL_MATRIX_BLOCKED;
    else
        refuse("unknown setting", setting);
}

static struct arguments parse(int argc, char **argv)
{
    struct arguments arguments = {.workers = 1, .iterations = 1, .seed = 1, .rows = 3072};
    if (argc < 2 || strcmp(argv[1], "matrix") != 0)
        refuse("the only workload is matrix, not", argc < 2 ? "" : argv[1]);
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--workers") == 0)
            arguments.workers = number(argv[i + 1], 1);
        else if (strcmp(argv[i], "--iterations") == 0)
            arguments.iterations = number(argv[i + 1], 1);
        else if (strcmp(argv[i], "--warmup") == 0)
            arguments.warmup = number(argv[i + 1], 0);
        else if (strcmp(argv[i], "--seed") == 0)
            arguments.seed = number(argv[i + 1], 0);
        else if (strcmp(argv[i], "--set") == 0)
            set(&arguments, argv[i + 1]);
        else
            refuse("unknown option", argv[i]);
    }
    if (argc % 2 != 0)
        refuse("no value for", argv[argc - 1]);
    return arguments;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL)
        refuse("no memory for", "the matrices");
    return memory;
}

/* The same matrices as the workload's. */
static struct matrices make_matrices(const struct arguments *arguments)
{
    size_t n = arguments->rows;
    struct matrices matrices = {.n = n};
    matrices.x = allocate(n * n * sizeof *matrices.x);
    matrices.y = allocate(n * n * sizeof *matrices.y);
    matrices.z = allocate(n * n * sizeof *matrices.z);
    struct al_random random;
    al_random_seed(&random, arguments->seed, 0);
    for (size_t i = 0; i < n * n; i++) {
        uint64_t bits = al_random_next(&random);
        matrices.x[i] = (uint32_t)bits;
        matrices.y[i] = (uint32_t)(bits >> 32);
    }
    return matrices;
}

/* Bind the calling thread to the id-th PU that this process may use; if that fails, it stays
 * unbound. */
static void bind_self(uint64_t id)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    uint64_t left = id % (uint64_t)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || left-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *run(void *argument)
{
    struct share *share = argument;
    const struct matrices *m = share->matrices;
    bind_self(share->id);
    pthread_barrier_wait(share->begin);
    size_t first = share->id * m->n / share->arguments->workers;
    size_t end = (share->id + 1) * m->n / share->arguments->workers;
    for (size_t i = first; i < end; i++)
        al_matrix_row(share->arguments->kernel, m->z + i * m->n, m->x + i * m->n, m->y, m->n);
    share->ended_ns = now_ns();
    return NULL;
}

/* The time from when all threads are there until the last has done its rows. As with the other
 * peers and the strategies, starting and ending threads is not timed. */
static uint64_t multiply(const struct arguments *arguments, const struct matrices *matrices)
{
    struct share *shares = allocate(arguments->workers * sizeof *shares);
    memset(matrices->z, 0xff, matrices->n * matrices->n * sizeof *matrices->z);
    pthread_barrier_t begin;
    int failed = pthread_barrier_init(&begin, NULL, (unsigned)arguments->workers + 1);
    if (failed != 0)
        refuse("no barrier:", strerror(failed));
    for (uint64_t i = 0; i < arguments->workers; i++) {
        shares[i] = (struct share){
            .arguments = arguments, .matrices = matrices, .begin = &begin, .id = i};
        int code = pthread_create(&shares[i].thread, NULL, run, &shares[i]);
        if (code != 0)
            refuse("no thread:", strerror(code));
    }
    uint64_t began_ns = now_ns(), ended_ns = began_ns;
    pthread_barrier_wait(&begin);
    for (uint64_t i = 0; i < arguments->workers; i++) {
        pthread_join(shares[i].thread, NULL);
        if (shares[i].ended_ns > ended_ns)
            ended_ns = shares[i].ended_ns;
    }
    pthread_barrier_destroy(&begin);
    free(shares);
    return ended_ns - began_ns;
}

/* Freivalds' check with one vector: compare Z v with X (Y v). */
static int is_right(const struct matrices *m, uint64_t seed)
{
    uint32_t *v = allocate(2 * m->n * sizeof *v), *yv = v + m->n;
    struct al_random random;
    al_random_seed(&random, seed, 1);
    for (size_t i = 0; i < m->n; i++)
        v[i] = (uint32_t)al_random_next(&random);
    for (size_t i = 0; i < m->n; i++) {
        yv[i] = 0;
        for (size_t k = 0; k < m->n; k++)
            yv[i] += m->y[i * m->n + k] * v[k];
    }
    int right = 1;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t difference = 0;
        for (size_t k = 0; k < m->n; k++)
            difference += m->x[i * m->n + k] * yv[k] - m->z[i * m->n + k] * v[k];
        right &= difference == 0;
    }
    free(v);
    return right;
}

static json_int_t peak_rss_bytes(void)
{
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmHWM: %llu", &kibibytes);
    if (file != NULL)
        fclose(file);
    return (json_int_t)kibibytes * 1024;
}

int main(int argc, char **argv)
{
    struct arguments arguments = parse(argc, argv);
    struct matrices matrices = make_matrices(&arguments);
    json_t *times = json_array();
    int right = 1;
    for (uint64_t i = 0; i < arguments.warmup + arguments.iterations; i++) {
        uint64_t time_ns = multiply(&arguments, &matrices);
        right &= is_right(&matrices, arguments.seed);
        if (i >= arguments.warmup)
            json_array_append_new(times, json_integer((json_int_t)time_ns));
    }
    json_t *record = json_pack(
        "{s:s, s:{s:I, s:s}, s:I, s:o, s:I, s:I, s:s, s:s, s:s*}", "benchmark", "matrix",
        "parameters", "rows", (json_int_t)arguments.rows, "kernel",
        arguments.kernel == AL_MATRIX_NAIVE ? "naive" : "blocked", "workers",
        (json_int_t)arguments.workers, "time_ns", times, "messages", (json_int_t)arguments.rows,
        "peak_rss_bytes", peak_rss_bytes(), "version", "threads", "outcome", right ? "ok" : "wrong",
        "error", right ? NULL : "the product is wrong");
    if (record == NULL || json_dumpf(record, stdout, JSON_COMPACT) != 0)
        refuse("no memory for", "the record");
    putchar('\n');
    json_decref(record);
    free(matrices.x);
    free(matrices.y);
    free(matrices.z);
    return right ? 0 : 1;
}
