/* SPDX-License-Identifier: MIT */

/*
 * The peer `plain`. Mirrors the workload matrix (benchmarks/workloads/chapter/matrix.c) without
 * actors: threads loop over the rows, so that the difference is the cost of an actor system. Each
 * thread has an equal share of adjacent rows and is bound to a PU, as a worker is.
 * docs/reference/peers.md describes the protocol.
 */

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/peers/support/peer.h"
#include "benchmarks/workloads/support/matrix_kernel.h"
#include "core/random.h"

struct arguments {
    struct al_peer_arguments common;
    uint64_t rows, columns; /* 0: as many as rows */
    enum al_matrix_kernel kernel;
};

struct matrices {
    size_t rows, n;
    uint32_t *x, *y, *z;
};

struct share {
    pthread_t thread;
    const struct arguments *arguments;
    const struct matrices *matrices;
    pthread_barrier_t *begin;
    uint64_t id, ended_ns;
};

static void set(struct arguments *arguments, const struct al_setting *setting)
{
    if (strcmp(setting->key, "rows") == 0)
        arguments->rows = al_peer_number(setting->value, 1);
    else if (strcmp(setting->key, "columns") == 0)
        arguments->columns = al_peer_number(setting->value, 0);
    else if (strcmp(setting->key, "kernel") == 0 && strcmp(setting->value, "naive") == 0)
        arguments->kernel = AL_MATRIX_NAIVE;
    else if (strcmp(setting->key, "kernel") == 0 && strcmp(setting->value, "blocked") == 0)
        arguments->kernel = AL_MATRIX_BLOCKED;
    else
        al_peer_refuse("unknown setting '%s=%s'", setting->key, setting->value);
}

static struct arguments parse(int argc, char **argv)
{
    struct arguments arguments = {.rows = 3072};
    al_peer_parse(argc, argv, &arguments.common);
    if (strcmp(arguments.common.workload, "matrix") != 0)
        al_peer_refuse("the only workload is matrix, not '%s'", arguments.common.workload);
    for (size_t i = 0; i < arguments.common.n_settings; i++)
        set(&arguments, &arguments.common.settings[i]);
    return arguments;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL)
        al_peer_refuse("no memory for the matrices");
    return memory;
}

/* The same matrices as the workload's. */
static struct matrices make_matrices(const struct arguments *arguments)
{
    size_t rows = arguments->rows, n = arguments->columns != 0 ? arguments->columns : rows;
    struct matrices matrices = {.rows = rows, .n = n};
    matrices.x = allocate(rows * n * sizeof *matrices.x);
    matrices.y = allocate(n * n * sizeof *matrices.y);
    matrices.z = allocate(rows * n * sizeof *matrices.z);
    struct al_random random;
    al_random_seed(&random, arguments->common.seed, 0);
    for (size_t i = 0; i < rows * n || i < n * n; i++) {
        uint64_t bits = al_random_next(&random);
        if (i < rows * n)
            matrices.x[i] = (uint32_t)bits;
        if (i < n * n)
            matrices.y[i] = (uint32_t)(bits >> 32);
    }
    return matrices;
}

static void *run(void *argument)
{
    struct share *share = argument;
    const struct matrices *m = share->matrices;
    al_peer_bind(share->id);
    pthread_barrier_wait(share->begin);
    size_t first = share->id * m->rows / share->arguments->common.workers;
    size_t end = (share->id + 1) * m->rows / share->arguments->common.workers;
    for (size_t i = first; i < end; i++)
        al_matrix_row(share->arguments->kernel, m->z + i * m->n, m->x + i * m->n, m->y, m->n);
    share->ended_ns = al_peer_now_ns();
    return NULL;
}

/* The time from when all threads are there until the last has done its rows. As with the other
 * peers and the strategies, starting and ending threads is not timed. */
static uint64_t multiply(const struct arguments *arguments, const struct matrices *matrices)
{
    struct share *shares = allocate(arguments->common.workers * sizeof *shares);
    memset(matrices->z, 0xff, matrices->rows * matrices->n * sizeof *matrices->z);
    pthread_barrier_t begin;
    int failed = pthread_barrier_init(&begin, NULL, (unsigned)arguments->common.workers + 1);
    if (failed != 0)
        al_peer_refuse("no barrier: %s", strerror(failed));
    for (uint64_t i = 0; i < arguments->common.workers; i++) {
        shares[i] = (struct share){
            .arguments = arguments, .matrices = matrices, .begin = &begin, .id = i};
        int code = pthread_create(&shares[i].thread, NULL, run, &shares[i]);
        if (code != 0)
            al_peer_refuse("no thread: %s", strerror(code));
    }
    uint64_t began_ns = al_peer_now_ns(), ended_ns = began_ns;
    pthread_barrier_wait(&begin);
    for (uint64_t i = 0; i < arguments->common.workers; i++) {
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
    for (size_t i = 0; i < m->rows; i++) {
        uint32_t difference = 0;
        for (size_t k = 0; k < m->n; k++)
            difference += m->x[i * m->n + k] * yv[k] - m->z[i * m->n + k] * v[k];
        right &= difference == 0;
    }
    free(v);
    return right;
}

int main(int argc, char **argv)
{
    struct arguments arguments = parse(argc, argv);
    struct matrices matrices = make_matrices(&arguments);
    json_t *times = json_array();
    int right = 1;
    for (uint64_t i = 0; i < arguments.common.warmup + arguments.common.iterations; i++) {
        uint64_t time_ns = multiply(&arguments, &matrices);
        right &= is_right(&matrices, arguments.common.seed);
        if (i >= arguments.common.warmup)
            json_array_append_new(times, json_integer((json_int_t)time_ns));
    }
    free(matrices.x);
    free(matrices.y);
    free(matrices.z);
    json_t *parameters = json_pack("{s:I, s:I, s:s}", "rows", (json_int_t)arguments.rows, "columns",
                                   (json_int_t)arguments.columns, "kernel",
                                   arguments.kernel == AL_MATRIX_NAIVE ? "naive" : "blocked");
    return al_peer_print(&arguments.common, parameters, times, arguments.rows, "threads",
                         right ? NULL : "the product is wrong");
}
