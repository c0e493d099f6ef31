/* SPDX-License-Identifier: MIT */

/*
 * apsp: the length of the shortest path between any two of `nodes` nodes, by the Floyd-Warshall
 * algorithm. The matrix of lengths is cut into blocks of `block` x `block`, one per actor.
 * Iteration k replaces the length from i to j by that of the way through node k, if this is
 * shorter. For that an actor needs the part of column k in its rows and the part of row k in its
 * columns. It waits for the blocks of all its neighbours, the other actors in its row and column of
 * blocks. Source: Savina (Imam and Sarkar, 2014), "All-Pairs Shortest Path", whose sizes are the
 * defaults; APSP in the LAS paper. As in Savina, an actor sends its block to all neighbours in each
 * iteration, although few need it.
 *
 * Savina allocates a new block in each iteration, with 8 bytes per length. Here a block has two
 * buffers with 4 bytes per length, which are sent by reference. Iteration k reads the buffers of
 * parity k, its own and its neighbours', and writes its own buffer of the other parity. Let
 * block(k) be a block as iteration k reads it. An actor sends block(k) once it has computed it, and
 * starts iteration k once it has block(k) of all its neighbours. Hence:
 *  - A neighbour may be one iteration ahead: to reach iteration k + 1 and send block(k + 1) it
 *    needs the actor's block(k). It cannot be two ahead, since it needs the actor's block(k + 1) to
 *    compute block(k + 2). So block(k) or block(k + 1) may arrive during iteration k, and the
 *    parity tells which.
 *  - An actor that overwrites block(k - 1) with block(k + 1) is in iteration k, so it has block(k)
 *    of all its neighbours. Each was sent after its sender's iteration k - 1, the last to read
 *    block(k - 1).
 *
 * Messages: one to each actor to begin with, and `nodes` from each of its neighbours. An actor ends
 * after the last iteration, which needs all of these; it does not send the result.
 *
 * The answer: lengths are integers, so each equals the result of a sequential loop.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/workloads/support/hub.h"

enum option { NODES, BLOCK, WEIGHT };

static const struct al_option options[] = {
    [NODES] = {"nodes", AL_OPTION_UINT, "300", 1, 30000, NULL, "nodes of the graph, all connected"},
    [BLOCK] = {"block", AL_OPTION_UINT, "50", 1, 30000, NULL,
               "rows and columns of an actor's block; divides nodes"},
    [WEIGHT] = {"weight", AL_OPTION_UINT, "100", 1, 1e9, NULL, "largest weight of an edge"},
    {0},
};

/* A block as an iteration reads it. Written before the first send, and sent in each iteration of
 * its parity. */
struct piece {
    struct al_message message;
    uint32_t row, column; /* of the sender, in blocks */
    uint32_t parity;
    const int32_t *lengths; /* row by row */
};

struct block {
    /* written by this actor */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint32_t row, column; /* in blocks */
    uint32_t k;           /* iteration */
    /* by parity */
    uint32_t n_arrived[2];                   /* pieces, including its own */
    const int32_t *in_row[2], *in_column[2]; /* the blocks with column k and row k */
    int32_t *lengths[2];
    /* read by others */
    _Alignas(AL_CACHE_LINE_BYTES) struct piece pieces[2];
};

/* Shared by all actors; read-only while they run. */
struct state {
    struct block *blocks; /* row by row */
    struct al_go go;
    uint32_t nodes;
    uint32_t size;    /* rows and columns of a block */
    uint32_t across;  /* blocks in a row, and in a column */
    int32_t *weights; /* row by row; check turns them into lengths */
    int32_t *lengths; /* the buffers of all blocks */
};

AL_ACTOR(block)
AL_MESSAGE(piece)

/* The distance from one buffer to the next, in lengths: buffers begin on cache lines. */
static size_t buffer_stride(size_t size)
{
    size_t line = AL_CACHE_LINE_BYTES / sizeof(int32_t);
    return (size * size + line - 1) / line * line;
}

/* Record the arrival of a piece of this iteration or of the next. */
static void arrive(struct block *self, const struct piece *piece)
{
    uint32_t parity = piece->parity;
    uint32_t k = self->k + ((self->k ^ parity) & 1);
    uint32_t middle = k / self->state->size; /* the row and column of blocks that contain k */
    self->n_arrived[parity]++;
    if (piece->row == self->row && piece->column == middle)
        self->in_row[parity] = piece->lengths;
    if (piece->column == self->column && piece->row == middle)
        self->in_column[parity] = piece->lengths;
}

AL_BEHAVIOUR_DECLARE(block, piece)

/* Send the block of this iteration to all neighbours, and count it as arrived here. */
static void publish(struct block *self)
{
    const struct state *state = self->state;
    struct piece *piece = &self->pieces[self->k & 1];
    for (uint32_t i = 0; i < state->across; i++) {
        if (i != self->row)
            al_send(block, piece, &state->blocks[i * state->across + self->column], piece);
    }
    for (uint32_t i = 0; i < state->across; i++) {
        if (i != self->column)
            al_send(block, piece, &state->blocks[self->row * state->across + i], piece);
    }
    arrive(self, piece);
}

/* Hundredths of a cycle for each length, measured on data in the L1, at 2.6 GHz. */
enum { CYCLES = 26 };

/* Do one iteration on a block. */
AL_UNREPORTED static void shorten_block(int32_t *restrict new, const int32_t *old,
                                        const int32_t *from_k, const int32_t *to_k, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int32_t first = to_k[i * size];
        for (size_t j = 0; j < size; j++) {
            int32_t through = first + from_k[j];
            new[i * size + j] = through < old[i * size + j] ? through : old[i * size + j];
        }
    }
}

static void shorten(struct block *self)
{
    size_t size = self->state->size, parity = self->k & 1, middle = self->k % size;
    const int32_t *old = self->lengths[parity];
    const int32_t *from_k = self->in_column[parity] + middle * size;
    const int32_t *to_k = self->in_row[parity] + middle;
    int32_t *new = self->lengths[!parity];
    shorten_block(new, old, from_k, to_k, size);
    al_touch(from_k, size * sizeof *from_k, AL_TOUCH_READ);
    for (size_t i = 0; i < size; i++)
        al_touch(&to_k[i * size], sizeof *to_k, AL_TOUCH_READ);
    al_touch(old, size * size * sizeof *old, AL_TOUCH_READ);
    al_compute(size * size * CYCLES / 100);
    al_touch(new, size * size * sizeof *new, AL_TOUCH_WRITE);
}

/* Loops more than once only without neighbours: a neighbour's block(k) comes before its block(k +
 * 1), so after the last block(k) that neighbour's block(k + 1) is still missing. */
static enum al_verdict proceed(struct block *self)
{
    const struct state *state = self->state;
    while (self->n_arrived[self->k & 1] == 2 * state->across - 1) {
        shorten(self);
        self->n_arrived[self->k & 1] = 0;
        if (++self->k == state->nodes)
            return AL_FINISHED;
        publish(self);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(block, piece, self, msg)
{
    arrive(self, msg);
    return proceed(self);
}

/* An actor fills its block itself, so that the memory is near its first worker. Pieces of others
 * may have arrived before. */
AL_BEHAVIOUR(block, al_go, self, msg)
{
    const struct state *state = self->state;
    size_t size = state->size;
    const int32_t *corner = state->weights + self->row * size * state->nodes + self->column * size;
    for (size_t i = 0; i < size; i++)
        memcpy(self->lengths[0] + i * size, corner + i * state->nodes, size * sizeof *corner);
    publish(self);
    return proceed(self);
}

/* All nodes are connected, with the same weight in both directions, as in Savina. */
static void fill(int32_t *weights, size_t nodes, uint32_t most, uint64_t seed)
{
    struct al_random random;
    al_random_seed(&random, seed, 0);
    for (size_t i = 0; i < nodes; i++) {
        weights[i * nodes + i] = 0;
        for (size_t j = i + 1; j < nodes; j++) {
            int32_t weight = (int32_t)al_random_below(&random, most) + 1;
            weights[i * nodes + j] = weights[j * nodes + i] = weight;
        }
    }
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    size_t nodes = values[NODES].uint, size = values[BLOCK].uint;
    if (nodes % size != 0)
        return al_error_set(error, -EINVAL, "block=%zu does not divide nodes=%zu", size, nodes);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    size_t nodes = values[NODES].uint, size = values[BLOCK].uint;
    size_t across = nodes / size, n_blocks = across * across, stride = buffer_stride(size);
    struct state *state = al_allocate(sizeof *state);
    struct block *blocks = al_allocate_lines(n_blocks, sizeof *blocks);
    int32_t *weights = al_allocate(nodes * nodes * sizeof *weights);
    int32_t *lengths = al_allocate_lines(2 * n_blocks, stride * sizeof *lengths);
    fill(weights, nodes, (uint32_t)values[WEIGHT].uint, seed);
    *state = (struct state){.blocks = blocks,
                            .nodes = (uint32_t)nodes,
                            .size = (uint32_t)size,
                            .across = (uint32_t)across,
                            .weights = weights,
                            .lengths = lengths};
    for (size_t i = 0; i < n_blocks; i++) {
        blocks[i] = (struct block){
            .state = state, .row = (uint32_t)(i / across), .column = (uint32_t)(i % across)};
        for (uint32_t parity = 0; parity < 2; parity++) {
            blocks[i].lengths[parity] = lengths + (2 * i + parity) * stride;
            blocks[i].pieces[parity] = (struct piece){.row = blocks[i].row,
                                                      .column = blocks[i].column,
                                                      .parity = parity,
                                                      .lengths = blocks[i].lengths[parity]};
        }
    }
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double nodes = (double)values[NODES].uint, across = nodes / (double)values[BLOCK].uint;
    double stride = (double)buffer_stride(values[BLOCK].uint);
    return nodes * nodes * sizeof(int32_t) +
           across * across * (sizeof(struct block) + 2 * stride * sizeof(int32_t));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    uint64_t across = state->across;
    return across * across * (1 + state->nodes * 2 * (across - 1));
}

static void start(void *argument)
{
    struct state *state = argument;
    uint32_t n_blocks = state->across * state->across;
    al_message_init(al_go, &state->go, AL_NODELETE);
    for (uint32_t i = 0; i < n_blocks; i++) {
        struct block *block = al_actor_init(block, &state->blocks[i]);
        al_message_init(piece, &block->pieces[0], AL_NODELETE);
        al_message_init(piece, &block->pieces[1], AL_NODELETE);
    }
    for (uint32_t i = 0; i < n_blocks; i++)
        al_send(block, al_go, &state->blocks[i], &state->go);
}

/* Turn weights into lengths, in place. */
static void floyd_warshall(int32_t *lengths, size_t nodes)
{
    for (size_t k = 0; k < nodes; k++) {
        for (size_t i = 0; i < nodes; i++) {
            for (size_t j = 0; j < nodes; j++) {
                int32_t through = lengths[i * nodes + k] + lengths[k * nodes + j];
                if (through < lengths[i * nodes + j])
                    lengths[i * nodes + j] = through;
            }
        }
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    size_t nodes = state->nodes, size = state->size;
    floyd_warshall(state->weights, nodes);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            const struct block *block = &state->blocks[i / size * state->across + j / size];
            int32_t length = block->lengths[nodes & 1][i % size * size + j % size];
            if (length != state->weights[i * nodes + j])
                return al_error_set(error, -EBADMSG,
                                    "the path from node %zu to %zu has length %d instead of %d", i,
                                    j, length, state->weights[i * nodes + j]);
        }
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->blocks);
    al_free(state->weights);
    al_free(state->lengths);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    uint64_t across = values[NODES].uint / values[BLOCK].uint;
    return across * across;
}

const struct al_benchmark_ops al_benchmark_apsp = {
    .plugin = {"apsp", "shortest paths by blocks: each block waits for its row and column",
               options},
    .stresses = "large state in each actor, and neighbours that wait for one another",
    .small = "nodes=40 block=10",
    .sim = "nodes=300 block=25",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
