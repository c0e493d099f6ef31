/* SPDX-License-Identifier: MIT */

/*
 * sor: successive over-relaxation on a grid of actors. A cell of one colour, as on a chessboard,
 * sends its value to its neighbours. A cell that has the values of all its neighbours computes its
 * next value from them and its own, and sends it to them, until it has had `rounds` values. Then it
 * reports to the runner, which adds up. Source: Savina (Imam and Sarkar, 2014), "Successive Over-
 * Relaxation", with the sum that the suite expects for its size, 20; first in JavaGrande.
 *
 * As in Savina, values are allocated for each send. The first values are drawn by Java's generator:
 * the sum that the suite expects follows from that one, not from its own, which took its place.
 * Three things differ. Savina splits the grid into two halves with a runner each; here it is one.
 * There, half of the cells send a last value to neighbours that have ended; here they do not.
 * There, a cell adds up values in the order of their arrival; here in that of its neighbours, so
 * that the result does not depend on the schedule.
 *
 * Messages: one to the runner, and to each cell, to begin with; of two neighbours one sends
 * `rounds` values to the other and gets one less; and a report of each cell.
 *
 * The answer: that of a loop over the grid, bit by bit, and for the default size Savina's.
 */

#include <errno.h>
#include <math.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { N, ROUNDS, MEMORY };

static const struct al_option options[] = {
    [N] = {"n", AL_OPTION_UINT, "20", 2, 20000, NULL, "rows and columns of cells"},
    [ROUNDS] = {"rounds", AL_OPTION_UINT, "100", 2, 1e9, NULL, "values of each cell"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's. */
enum { SEED = 10101010, DEFAULT_N = 20, DEFAULT_ROUNDS = 100 };
static const double OMEGA = 1.25, SCALE = 1e-6, DEFAULT_SUM = 0.000003189420084871275,
                    TOLERANCE = 1e-12;

struct cell;

enum direction { DOWN, RIGHT, LEFT, UP, DIRECTIONS };

struct value {
    struct al_message message;
    enum direction from;
    double value;
};

struct report {
    struct al_message message;
    struct cell *cell;
};

struct cell {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    double value;
    double values[DIRECTIONS]; /* that have come in this round; 0 where there is no neighbour */
    uint32_t row, column;
    uint32_t neighbours, came; /* how many, and how many of their values */
    uint64_t rounds;           /* values that it has had */
    bool started;
    struct report report;
};

struct runner {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left; /* reports */
};

/* Read-only while the actors run. */
struct state {
    struct cell *cells;
    uint32_t n;
    uint64_t rounds;
    struct al_go go;
    struct runner runner;
};

AL_ACTOR(cell)
AL_ACTOR(runner)
AL_MESSAGE(report)
AL_MESSAGE(value)
AL_RECYCLE(value)

AL_BEHAVIOUR_DECLARE(cell, value)

/* Whether a cell begins. */
static bool begins(uint32_t row, uint32_t column)
{
    return (row + column) % 2 == 0;
}

/* The neighbour in this direction; n x n: there is none. */
static size_t neighbour(uint32_t n, uint32_t row, uint32_t column, enum direction direction)
{
    size_t at = (size_t)row * n + column, none = (size_t)n * n;
    switch (direction) {
    case DOWN:
        return row + 1 < n ? at + n : none;
    case RIGHT:
        return column + 1 < n ? at + 1 : none;
    case LEFT:
        return column > 0 ? at - 1 : none;
    default:
        return row > 0 ? at - n : none;
    }
}

static double relaxed(double value, const double values[DIRECTIONS])
{
    double sum = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        sum += values[i];
    return 0.25 * OMEGA * sum + (1 - OMEGA) * value;
}

AL_BEHAVIOUR(runner, report, self, msg)
{
    return al_count_down(&self->left);
}

static void send_value(struct cell *self)
{
    struct state *state = self->state;
    for (enum direction i = 0; i < DIRECTIONS; i++) {
        size_t at = neighbour(state->n, self->row, self->column, i);
        if (at == (size_t)state->n * state->n)
            continue;
        struct value *value = al_message_init(value, al_new(value), AL_DELETE);
        value->from = (enum direction)(DIRECTIONS - 1 - i);
        value->value = self->value;
        al_send(cell, value, &state->cells[at], value);
    }
}

/* It has another value: send it, but for the last of those that follow, which nobody awaits. */
static enum al_verdict go_on(struct cell *self)
{
    struct state *state = self->state;
    bool last = ++self->rounds == state->rounds;
    if (!last || begins(self->row, self->column))
        send_value(self);
    if (!last)
        return AL_NODELETE;
    al_send(runner, report, &state->runner, &self->report);
    return AL_FINISHED;
}

static enum al_verdict relax_if_complete(struct cell *self)
{
    if (!self->started || self->came < self->neighbours)
        return AL_NODELETE;
    self->came = 0;
    self->value = relaxed(self->value, self->values);
    return go_on(self);
}

AL_BEHAVIOUR_DEFINE(cell, value, self, msg)
{
    self->values[msg->from] = msg->value;
    self->came++;
    return relax_if_complete(self);
}

AL_BEHAVIOUR(cell, al_go, self, msg)
{
    self->started = true;
    return begins(self->row, self->column) ? go_on(self) : relax_if_complete(self);
}

AL_BEHAVIOUR(runner, al_go, self, msg)
{
    struct state *state = self->state;
    size_t cells = (size_t)state->n * state->n;
    for (size_t i = 0; i < cells; i++)
        al_actor_init(cell, &state->cells[i]);
    for (size_t i = 0; i < cells; i++)
        al_send(cell, al_go, &state->cells[i], &state->go);
    return AL_NODELETE;
}

static double draw(struct al_java_random *random)
{
    return al_java_real(random) * SCALE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[N].uint;
    size_t cells = (size_t)n * n;
    struct al_java_random random = al_java_random_of(SEED);
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.cells = al_allocate_lines(cells, sizeof *state->cells),
                            .n = n,
                            .rounds = values[ROUNDS].uint,
                            .runner = {.state = state, .left = cells}};
    for (size_t i = 0; i < cells; i++) {
        struct cell *cell = &state->cells[i];
        *cell = (struct cell){.state = state,
                              .value = draw(&random),
                              .row = (uint32_t)(i / n),
                              .column = (uint32_t)(i % n),
                              .report.cell = cell};
        for (enum direction j = 0; j < DIRECTIONS; j++)
            cell->neighbours += neighbour(n, cell->row, cell->column, j) < cells;
        al_message_init(report, &cell->report, AL_NODELETE);
    }
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double cells = (double)values[N].uint * (double)values[N].uint;
    return cells * (sizeof(struct cell) + 2 * sizeof(struct value));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    uint64_t n = state->n, pairs = 2 * n * (n - 1);
    return 1 + 2 * n * n + pairs * (2 * state->rounds - 1);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_send(runner, al_go, al_actor_init(runner, &state->runner), &state->go);
}

/* The cells of one colour, from those of the other. */
static void relax_colour(const struct state *state, double *value, bool begin)
{
    size_t cells = (size_t)state->n * state->n;
    for (size_t i = 0; i < cells; i++) {
        uint32_t row = (uint32_t)(i / state->n), column = (uint32_t)(i % state->n);
        double values[DIRECTIONS] = {0};
        if (begins(row, column) != begin)
            continue;
        for (enum direction j = 0; j < DIRECTIONS; j++) {
            size_t at = neighbour(state->n, row, column, j);
            values[j] = at < cells ? value[at] : 0;
        }
        value[i] = relaxed(value[i], values);
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    size_t cells = (size_t)state->n * state->n, wrong = cells;
    struct al_java_random random = al_java_random_of(SEED);
    double *value = al_allocate(cells * sizeof *value), sum = 0;
    for (size_t i = 0; i < cells; i++)
        value[i] = draw(&random);
    for (uint64_t round = 0; round < state->rounds; round++) {
        relax_colour(state, value, false);
        if (round + 1 < state->rounds)
            relax_colour(state, value, true);
    }
    for (size_t i = 0; i < cells; i++) {
        sum += value[i];
        if (state->cells[i].value != value[i])
            wrong = i;
    }
    int code = 0;
    if (wrong < cells)
        code = al_error_set(error, -EBADMSG, "cell %zu has %.17g, not %.17g", wrong,
                            state->cells[wrong].value, value[wrong]);
    else if (state->n == DEFAULT_N && state->rounds == DEFAULT_ROUNDS &&
             fabs(sum - DEFAULT_SUM) > TOLERANCE)
        code = al_error_set(error, -EBADMSG, "the sum is %.17g, not %.17g", sum, DEFAULT_SUM);
    al_free(value);
    return code;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->cells);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[N].uint * values[N].uint;
}

const struct al_benchmark_ops al_benchmark_sor = {
    .plugin = {"sor", "cells of a grid that exchange values with their neighbours", options},
    .stresses = "many actors that talk to four neighbours each, in step",
    .small = "n=6 rounds=10",
    .sim = "n=64 rounds=20",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
