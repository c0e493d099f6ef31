/* SPDX-License-Identifier: MIT */

/*
 * recmatmul: the product of two matrices by halving. The master gives the product to a worker. A
 * worker that has more than `block` elements to compute sends eight products of half the size back
 * to the master, which gives each to the worker that its place in the result belongs to; else it
 * computes its part and adds that to the result. When all is done the master ends the workers.
 * Source: Savina (Imam and Sarkar, 2014), "Recursive Matrix Multiplication", whose sizes are the
 * defaults.
 *
 * As in Savina, orders are allocated for each send. There, orders have priorities, which no
 * strategy here offers.
 *
 * Messages: each order to the master, to a worker, and the news that it is done; and for each
 * worker an order to end and its farewell.
 *
 * The answer: element (i, k) of the first matrix is i + k, of the second it is its column number,
 * so that element (i, j) of the result is j (n i + n (n - 1) / 2). (In Savina the first matrix has
 * the row number, and any half of a sum is as good as the other.)
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { N, BLOCK, WORKERS, MEMORY };

static const struct al_option options[] = {
    [N] = {"n", AL_OPTION_UINT, "1024", 1, 16384, NULL, "rows and columns; a power of 2"},
    [BLOCK] = {"block", AL_OPTION_UINT, "16384", 1, 1e9, NULL,
               "elements of the result that are computed at once"},
    [WORKERS] = {"actors", AL_OPTION_UINT, "20", 1, 1e6, NULL, "actors that compute"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Multiplications and additions in a cycle (savina.h). */
enum { IN_A_CYCLE = 2 };

struct product {
    struct al_message message;
    uint32_t row, column, inner; /* begin of the result's rows and columns, and of the sums */
    uint32_t n;                  /* of each */
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

struct master {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left;      /* orders under way */
    uint32_t computing; /* workers that have not ended */
};

struct completed {
    struct al_message message;
};

/* Read-only while the actors run, except the master and the result. */
struct state {
    double *x, *y, *z; /* z = x y */
    struct worker *workers;
    uint32_t n, n_workers;
    uint64_t block;
    uint64_t parts; /* orders in all */
    struct al_go go;
    struct al_done done;
    struct completed completed;
    struct master master;
};

AL_ACTOR(master)
AL_ACTOR(worker)
AL_MESSAGE(completed)
AL_MESSAGE(product)
AL_RECYCLE(product)

AL_BEHAVIOUR_DECLARE(master, al_done)
AL_BEHAVIOUR_DECLARE(master, completed)
AL_BEHAVIOUR_DECLARE(master, product)
AL_BEHAVIOUR_DECLARE(worker, product)

/* Row by row, along the rows of y. Savina goes along its columns. */
AL_UNREPORTED static void multiply(const struct state *state, const struct product *product)
{
    size_t n = state->n;
    for (size_t i = product->row; i < product->row + product->n; i++) {
        double *restrict z = state->z + i * n + product->column;
        for (size_t k = product->inner; k < product->inner + product->n; k++) {
            double x = state->x[i * n + k];
            const double *restrict y = state->y + k * n + product->column;
            for (size_t j = 0; j < product->n; j++)
                z[j] += x * y[j];
        }
    }
}

static void compute(const struct state *state, const struct product *product)
{
    size_t n = state->n, bytes = product->n * sizeof(double);
    multiply(state, product);
    for (uint32_t i = 0; i < product->n; i++) {
        al_touch(state->x + (product->row + i) * n + product->inner, bytes, AL_TOUCH_READ);
        al_touch(state->y + (product->inner + i) * n + product->column, bytes, AL_TOUCH_READ);
        al_touch(state->z + (product->row + i) * n + product->column, bytes, AL_TOUCH_WRITE);
    }
    al_compute((uint64_t)product->n * product->n * product->n / IN_A_CYCLE);
}

/* The eight halves: each quarter of the result is the sum of two. */
static void split(struct state *state, const struct product *whole)
{
    uint32_t half = whole->n / 2;
    for (uint32_t i = 0; i < 8; i++) {
        struct product *part = al_message_init(product, al_new(product), AL_DELETE);
        part->row = whole->row + (i & 4 ? half : 0);
        part->column = whole->column + (i & 2 ? half : 0);
        part->inner = whole->inner + (i & 1 ? half : 0);
        part->n = half;
        al_send(master, product, &state->master, part);
    }
}

AL_BEHAVIOUR_DEFINE(worker, product, self, msg)
{
    struct state *state = self->state;
    if ((uint64_t)msg->n * msg->n > state->block)
        split(state, msg);
    else
        compute(state, msg);
    al_send(master, completed, &state->master, &state->completed);
    return AL_NODELETE;
}

/* To the worker of its place in the result, so that two never add to one element at once. */
static void give(struct master *self, uint32_t row, uint32_t column, uint32_t inner, uint32_t n)
{
    struct state *state = self->state;
    struct product *product = al_message_init(product, al_new(product), AL_DELETE);
    product->row = row;
    product->column = column;
    product->inner = inner;
    product->n = n;
    self->left++;
    al_send(worker, product, &state->workers[(row + column) % state->n_workers], product);
}

AL_BEHAVIOUR_DEFINE(master, product, self, msg)
{
    give(self, msg->row, msg->column, msg->inner, msg->n);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(worker, self, pill)
{
    al_send(master, al_done, &self->state->master, &self->state->done);
    return pill->verdict;
}

AL_BEHAVIOUR_DEFINE(master, completed, self, msg)
{
    struct state *state = self->state;
    if (--self->left > 0)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_send_pill(&state->workers[i].actor, &al_finished_msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, al_done, self, msg)
{
    return --self->computing == 0 ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(master, al_go, self, msg)
{
    give(self, 0, 0, 0, self->state->n);
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t n = values[N].uint;
    if ((n & (n - 1)) == 0)
        return 0;
    return al_error_set(error, -EINVAL, "n=%llu; valid: a power of 2", (unsigned long long)n);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[N].uint, workers = (uint32_t)values[WORKERS].uint;
    size_t elements = (size_t)n * n;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .x = al_allocate_lines(elements, sizeof(double)),
        .y = al_allocate_lines(elements, sizeof(double)),
        .z = al_allocate_zeroed(elements, sizeof(double)),
        .workers = al_allocate_lines(workers, sizeof *state->workers),
        .n = n,
        .block = values[BLOCK].uint,
        .n_workers = workers,
        .parts = 1,
        .master = {.state = state, .computing = workers},
    };
    for (uint64_t size = n, orders = 1; size * size > state->block; size /= 2) {
        orders *= 8;
        state->parts += orders;
    }
    for (size_t i = 0; i < elements; i++) {
        state->x[i] = (double)(i / n + i % n);
        state->y[i] = (double)(i % n);
    }
    for (uint32_t i = 0; i < workers; i++)
        state->workers[i] = (struct worker){.state = state};
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(completed, &state->completed, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double n = (double)values[N].uint;
    return 3 * n * n * sizeof(double) + (double)values[WORKERS].uint * sizeof(struct worker);
}

/* The first order is the master's own. */
static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 3 * state->parts + 2 * (uint64_t)state->n_workers;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_actor_init(worker, &state->workers[i]);
    al_send(master, al_go, al_actor_init(master, &state->master), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    double n = state->n;
    for (uint32_t i = 0; i < state->n; i++) {
        for (uint32_t j = 0; j < state->n; j++) {
            double z = state->z[(size_t)i * state->n + j];
            double right = j * (n * i + n * (n - 1) / 2);
            if (z != right)
                return al_error_set(error, -EBADMSG, "element %u, %u is %g, not %g", i, j, z,
                                    right);
        }
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->x);
    al_free(state->y);
    al_free(state->z);
    al_free(state->workers);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_recmatmul = {
    .plugin = {"recmatmul", "a matrix product by halving, given out by a master", options},
    .stresses = "a tree of tasks through one hub, whose leaves compute",
    .small = "n=64 block=256 actors=4",
    .sim = "n=256 block=256 actors=96",
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
