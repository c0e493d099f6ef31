/* SPDX-License-Identifier: MIT */

/*
 * matrix: Z = X Y for matrices of integers, with one actor and one message for each of `rows` rows
 * of Z: few messages with much work. X and Z have `columns` columns, and Y is square. Source:
 * Cforall actors chapter, section "Matrix Multiply", where all three are square.
 *
 * Arithmetic is modulo 2^32. The answer is checked by Freivalds' method: for a random vector v, Z v
 * must equal X (Y v). A wrong row passes for one vector with probability one half at most; eight
 * are tried.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "benchmarks/workloads/support/matrix_kernel.h"

#define VECTORS 8

enum option { ROWS, COLUMNS, KERNEL };

/* enum al_matrix_kernel */
static const char *const kernels[] = {"naive", "blocked", NULL};

static const struct al_option options[] = {
    [ROWS] = {"rows", AL_OPTION_UINT, "3072", 1, 65536, NULL, "rows of X and Z"},
    [COLUMNS] = {"columns", AL_OPTION_UINT, "0", 0, 65536, NULL,
                 "columns of all matrices, and rows of Y; 0: as many as rows"},
    [KERNEL] = {"kernel", AL_OPTION_ENUM, "naive", 0, 0, kernels,
                "how a row is computed: column by column, or along the rows of Y"},
    {0},
};

/* Hundredths of a cycle for each product, at 2.6 GHz: the median of matrices of 128 to 448 rows, of
 * which the naive kernel's columns are in the L2. The size sim, of 672, goes beyond that. */
enum { NAIVE_CYCLES = 157, BLOCKED_CYCLES = 38 };

struct multiply {
    struct al_message message;
    const uint32_t *x, *y; /* the row of X, and Y */
};

struct state;

struct row {
    struct al_actor actor;
    struct multiply multiply;
    const struct state *state;
    uint32_t *z;
};

struct state {
    size_t rows, n; /* of X and Z; columns of each, and rows of Y */
    enum al_matrix_kernel kernel;
    uint64_t seed;
    uint32_t *x, *y, *z;
    struct row *actors;
};

AL_ACTOR(row)
AL_MESSAGE(multiply)

/* Tell the simulated machine what a row costs. Arithmetic and accesses are
 * declared apart. */
static void declare_row(const struct state *state, const uint32_t *z, const uint32_t *x,
                        const uint32_t *y)
{
    size_t n = state->n;
    al_touch(x, n * sizeof *x, AL_TOUCH_READ);
    al_touch(y, n * n * sizeof *y, AL_TOUCH_READ);
    al_compute(n * n * (state->kernel == AL_MATRIX_NAIVE ? NAIVE_CYCLES : BLOCKED_CYCLES) / 100);
    al_touch(z, n * sizeof *z, AL_TOUCH_WRITE);
}

AL_BEHAVIOUR(row, multiply, self, msg)
{
    const struct state *state = self->state;
    al_matrix_row(state->kernel, self->z, msg->x, msg->y, state->n);
    declare_row(state, self->z, msg->x, msg->y);
    return AL_FINISHED;
}

static uint64_t columns_of(const union al_value *values)
{
    return values[COLUMNS].uint != 0 ? values[COLUMNS].uint : values[ROWS].uint;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double rows = (double)values[ROWS].uint, n = (double)columns_of(values);
    return (2 * rows + n) * n * sizeof(uint32_t) + rows * sizeof(struct row);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->x);
    al_free(state->y);
    al_free(state->z);
    al_free(state->actors);
    al_free(state);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    size_t rows = values[ROWS].uint, n = columns_of(values);
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .rows = rows,
        .n = n,
        .kernel = (enum al_matrix_kernel)values[KERNEL].uint,
        .seed = seed,
        .x = al_allocate(rows * n * sizeof *state->x),
        .y = al_allocate(n * n * sizeof *state->y),
        .z = al_allocate(rows * n * sizeof *state->z),
        .actors = al_allocate_zeroed(rows, sizeof *state->actors),
    };
    struct al_random random;
    al_random_seed(&random, seed, 0);
    for (size_t i = 0; i < rows * n || i < n * n; i++) {
        uint64_t bits = al_random_next(&random);
        if (i < rows * n)
            state->x[i] = (uint32_t)bits;
        if (i < n * n)
            state->y[i] = (uint32_t)(bits >> 32);
    }
    /* The first touch of a page is not to be timed. */
    memset(state->z, 0xff, rows * n * sizeof *state->z);
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->rows;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (size_t i = 0; i < state->rows; i++) {
        struct row *row = &state->actors[i];
        row->state = state;
        row->z = state->z + i * state->n;
        al_message_init(multiply, &row->multiply, AL_NODELETE);
        row->multiply.x = state->x + i * state->n;
        row->multiply.y = state->y;
        al_actor_init(row, row);
        al_send(row, multiply, row, &row->multiply);
    }
}

/* product = matrix vector, for a matrix of rows x n */
static void multiply_vector(uint32_t *product, const uint32_t *matrix, const uint32_t *vector,
                            size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += matrix[i * n + k] * vector[k];
        product[i] = sum;
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    size_t rows = state->rows, n = state->n;
    uint32_t *v = al_allocate(2 * (n + rows) * sizeof *v), *yv = v + n, *xyv = yv + n;
    uint32_t *zv = xyv + rows;
    struct al_random random;
    al_random_seed(&random, state->seed, 1);
    int code = 0;
    for (int round = 0; round < VECTORS && code == 0; round++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (uint32_t)al_random_next(&random);
        multiply_vector(yv, state->y, v, n, n);
        multiply_vector(xyv, state->x, yv, rows, n);
        multiply_vector(zv, state->z, v, rows, n);
        for (size_t i = 0; i < rows && code == 0; i++) {
            if (xyv[i] != zv[i])
                code = al_error_set(
                    error, -EBADMSG,
                    "row %zu of the product is wrong: its checksum is %u instead of %u", i, zv[i],
                    xyv[i]);
        }
    }
    al_free(v);
    return code;
}

static uint64_t alike(const union al_value *values)
{
    return values[ROWS].uint;
}

const struct al_benchmark_ops al_benchmark_matrix = {
    .plugin = {"matrix", "a matrix product, with an actor and a message for each row", options},
    .stresses = "computation: a few messages with much work each, and load balance at the end",
    .small = "rows=64",
    .sim = "rows=3072 columns=448",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
