/* SPDX-License-Identifier: MIT */

/*
 * trapr: an integral by the trapezoid rule. The master creates `actors` workers and gives each of
 * them its share of the `pieces` of [left, right]. A worker computes the area of its share, replies
 * and ends; the master adds up the areas. Source: Savina (Imam and Sarkar, 2014), "Trapezoidal
 * Approximation", whose function and sizes are the defaults; TRAPR in the LAS paper.
 *
 * Savina divides the interval, and rounds down the number of pieces in each part. Here shares are
 * whole pieces, so that none is lost. As in Savina, both ends of each piece are evaluated: the
 * benchmark measures a lump of work per actor, not quadrature.
 *
 * Messages: one to the master to begin with, and one to and one from each worker.
 *
 * The answer: areas are added in the order of the shares, whatever the order of replies, so the sum
 * equals that of a sequential loop bit by bit. Because that loop would share a mistake in the
 * function, the sum for the default interval is also compared with the integral itself.
 */

#include <errno.h>
#include <math.h>

#include "benchmarks/workloads/support/hub.h"

enum option { PIECES, ACTORS, LEFT, RIGHT };

static const struct al_option options[] = {
    [PIECES] = {"pieces", AL_OPTION_UINT, "10000000", 1, 1e12, NULL,
                "trapezoids in all; at least as many as actors"},
    [ACTORS] = {"actors", AL_OPTION_UINT, "100", 1, 1e7, NULL, "workers that share the pieces"},
    [LEFT] = {"left", AL_OPTION_REAL, "1", 0, 1000, NULL, "left end of the interval"},
    [RIGHT] = {"right", AL_OPTION_REAL, "5", 0, 1000, NULL, "right end of the interval"},
    {0},
};

/*
 * The integral from 1 to 5, computed in 80-bit floating point by Gauss-Legendre quadrature: 10
 * nodes in each of 1000 panels, 20 in 2000 and 30 in 4000 agree to 15 digits, and QUADPACK on
 * 100 panels agrees with them to 14.
 */
#define INTEGRAL_LEFT  1
#define INTEGRAL_RIGHT 5
#define INTEGRAL       0.27108075195307750

/* The error of the trapezoid rule is at most (right - left)^3 / 12 * max|f''| / pieces^2, and
 * max|f''| on [1, 5] is 4630 (from differences on 2 million points). The error of rounding is far
 * smaller. */
#define ERROR_TRAPEZOIDS 25000
#define ERROR_ROUNDING   1e-10

struct worker;

struct work {
    struct al_message message;
    uint64_t first, end; /* pieces */
};

struct area {
    struct al_message message;
    struct worker *worker;
    double area;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct work work;
    struct area area;
};

struct master {
    struct al_actor actor;
    struct state *state;
    double *areas; /* of each worker's share */
    uint64_t left; /* areas to come */
    double sum;
};

/* Shared by all actors; read-only while they run, except the master. */
struct state {
    struct worker *workers;
    struct al_go go;
    uint32_t actors;
    uint64_t pieces;
    double left, right;
    _Alignas(AL_CACHE_LINE_BYTES) struct master master;
};

AL_ACTOR(master)
AL_ACTOR(worker)
AL_MESSAGE(area)
AL_MESSAGE(work)

/* For each trapezoid, measured on an EPYC of 2.6 GHz. */
enum { CYCLES = 87 };

static double function(double x)
{
    return sin(x * x * x - 1) / (x + 1) * sqrt(1 + exp(sqrt(2 * x)));
}

/* Not inlined, because a compiler may round differently in each inlined copy. */
__attribute__((noinline)) static double trapezoids(const struct state *state, uint64_t first,
                                                   uint64_t end)
{
    double left = state->left, width = (state->right - left) / (double)state->pieces, sum = 0;
    for (uint64_t piece = first; piece < end; piece++) {
        double x = left + (double)piece * width;
        sum += 0.5 * (function(x) + function(x + width)) * width;
    }
    return sum;
}

/* The first piece of a worker's share. Shares end where the next one begins, and differ by at most
 * one piece. */
static uint64_t first_piece(const struct state *state, uint32_t worker)
{
    uint64_t share = state->pieces / state->actors, rest = state->pieces % state->actors;
    return worker * share + (worker < rest ? worker : rest);
}

AL_BEHAVIOUR(master, area, self, msg)
{
    const struct state *state = self->state;
    self->areas[msg->worker - state->workers] = msg->area;
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->actors; i++)
        self->sum += self->areas[i];
    return AL_FINISHED;
}

AL_BEHAVIOUR(worker, work, self, msg)
{
    self->area.area = trapezoids(self->state, msg->first, msg->end);
    al_compute((msg->end - msg->first) * CYCLES);
    al_send(master, area, &self->state->master, &self->area);
    return AL_FINISHED;
}

AL_BEHAVIOUR(master, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint32_t i = 0; i < state->actors; i++) {
        struct worker *worker = al_actor_init(worker, &state->workers[i]);
        worker->work.first = first_piece(state, i);
        worker->work.end = first_piece(state, i + 1);
        al_send(worker, work, worker, &worker->work);
    }
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t pieces = values[PIECES].uint;
    uint32_t actors = (uint32_t)values[ACTORS].uint;
    double left = values[LEFT].real, right = values[RIGHT].real;
    if (pieces < actors)
        return al_error_set(
            error, -EINVAL,
            "pieces=%llu is less than actors=%u; valid: at least one piece for each",
            (unsigned long long)pieces, actors);
    if (left >= right)
        return al_error_set(error, -EINVAL, "left=%g is not below right=%g", left, right);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t actors = (uint32_t)values[ACTORS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    struct worker *workers = al_allocate_lines(actors, sizeof *workers);
    double *areas = al_allocate_zeroed(actors, sizeof *areas);
    *state = (struct state){.workers = workers,
                            .actors = actors,
                            .pieces = values[PIECES].uint,
                            .left = values[LEFT].real,
                            .right = values[RIGHT].real,
                            .master = {.state = state, .left = actors, .areas = areas}};
    for (uint32_t i = 0; i < actors; i++) {
        workers[i] = (struct worker){.state = state, .area.worker = &workers[i]};
        al_message_init(work, &workers[i].work, AL_NODELETE);
        al_message_init(area, &workers[i].area, AL_NODELETE);
    }
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * (sizeof(struct worker) + sizeof(double));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 2 * (uint64_t)state->actors;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(master, &state->master);
    al_send(master, al_go, &state->master, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct master *master = &state->master;
    double sum = 0;
    for (uint32_t i = 0; i < state->actors; i++) {
        double area = trapezoids(state, first_piece(state, i), first_piece(state, i + 1));
        if (master->areas[i] != area)
            return al_error_set(error, -EBADMSG, "the area of worker %u is %.17g, not %.17g", i,
                                master->areas[i], area);
        sum += area;
    }
    if (master->sum != sum)
        return al_error_set(error, -EBADMSG, "the sum of the areas is %.17g, not %.17g",
                            master->sum, sum);
    double pieces = (double)state->pieces;
    double tolerance = ERROR_TRAPEZOIDS / (pieces * pieces) + ERROR_ROUNDING;
    if (state->left == INTEGRAL_LEFT && state->right == INTEGRAL_RIGHT &&
        !(fabs(sum - INTEGRAL) <= tolerance))
        return al_error_set(error, -EBADMSG, "the area is %.17g; the integral is %.17g within %g",
                            sum, INTEGRAL, tolerance);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->master.areas);
    al_free(state->workers);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_trapr = {
    .plugin = {"trapr", "trapezoid rule: a master gives out pieces, workers reply and end",
               options},
    .stresses = "lumps of equal work that one actor creates at once: how fast thieves spread them",
    .small = "pieces=20000 actors=20",
    .sim = "pieces=4000000 actors=10000",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
