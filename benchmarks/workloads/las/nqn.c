/* SPDX-License-Identifier: MIT */

/*
 * nqn: counts the ways to place `queens` queens on a board of as many rows so that none attacks
 * another, by divide and conquer. The master hands boards to `actors` workers in turn. A worker
 * that receives a board with fewer than `threshold` queens sends the boards with one more queen in
 * the next row back to the master, which hands them out; otherwise it counts the board's solutions
 * itself. Then it reports that it is done with the board. Source: Savina (Imam and Sarkar, 2014),
 * "NQueens first N solutions", whose sizes are the defaults; NQN in the LAS paper.
 *
 * Savina sends one message per solution and can stop after the first N. Here a worker reports the
 * number of solutions when it is done, and all are counted, because the work would otherwise depend
 * on the schedule. If the actor library has priorities, Savina gives boards one by depth; messages
 * here have none. Boards and reports are allocated for each send.
 *
 * Messages: let n be the number of boards that are handed out, which prepare counts. Each goes from
 * the master to a worker, which answers with one done; each except the empty board came to the
 * master from a worker. With one message to begin with and a pill for each worker that makes 3n +
 * actors. A worker sends a board's children before its done, and messages between two actors keep
 * their order. So when the master has received a done for every board that it handed out, no
 * message is left.
 *
 * The answer: the number of solutions is known (OEIS A000170).
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { QUEENS, THRESHOLD, ACTORS, MEMORY };

#define QUEENS_MOST    16
#define THRESHOLD_MOST 10 /* the number of boards grows almost like a factorial */

static const struct al_option options[] = {
    [QUEENS] = {"queens", AL_OPTION_UINT, "12", 1, QUEENS_MOST, NULL,
                "queens, and rows and columns of the board"},
    [THRESHOLD] = {"threshold", AL_OPTION_UINT, "4", 0, THRESHOLD_MOST, NULL,
                   "boards with at least this many queens are not divided further"},
    [ACTORS] = {"actors", AL_OPTION_UINT, "20", 1, 1e7, NULL,
                "workers that the boards are handed to"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

static const uint32_t known_solutions[QUEENS_MOST + 1] = {
    0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
};

/* A board with a queen in each of its first rows. Bit c of a mask: column c of the next row is
 * attacked along its column or a diagonal. */
struct board {
    uint32_t rows, columns, falling, rising;
};

struct worker;

struct work {
    struct al_message message;
    struct board board;
};

struct done {
    struct al_message message;
    uint64_t solutions;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

struct master {
    struct al_actor actor;
    struct state *state;
    uint32_t next; /* the worker whose turn it is */
    uint64_t handed_out, done, solutions;
};

/* Shared by all actors; read-only while they run, except the master. */
struct state {
    struct worker *workers;
    struct al_go go;
    uint32_t queens, threshold, actors;
    uint64_t boards; /* to be handed out */
    _Alignas(AL_CACHE_LINE_BYTES) struct master master;
};

AL_ACTOR(master)
AL_ACTOR(worker)
AL_MESSAGE(done)
AL_MESSAGE(work)
AL_RECYCLE(done)
AL_RECYCLE(work)

/* The columns of the next row where a queen may stand. */
static uint32_t free_columns(const struct board *board, uint32_t queens)
{
    return ((1u << queens) - 1) & ~(board->columns | board->falling | board->rising);
}

/* The board with one more queen; column is a mask of one bit. */
static struct board put(const struct board *board, uint32_t column)
{
    return (struct board){board->rows + 1, board->columns | column, (board->falling | column) >> 1,
                          (board->rising | column) << 1};
}

/* For each board, measured on an EPYC of 2.6 GHz: most of it for branches that were predicted
 * wrongly. */
enum { CYCLES = 13 };

static uint64_t count_solutions(const struct board *board, uint32_t queens)
{
    al_compute(CYCLES);
    if (board->rows == queens)
        return 1;
    uint64_t solutions = 0;
    for (uint32_t columns = free_columns(board, queens); columns != 0; columns &= columns - 1) {
        struct board child = put(board, columns & -columns);
        solutions += count_solutions(&child, queens);
    }
    return solutions;
}

/* The number of boards handed out: this board and its descendants. */
static uint64_t count_boards(const struct board *board, uint32_t queens, uint32_t threshold)
{
    uint64_t boards = 1;
    if (board->rows == queens || board->rows >= threshold)
        return boards;
    for (uint32_t columns = free_columns(board, queens); columns != 0; columns &= columns - 1) {
        struct board child = put(board, columns & -columns);
        boards += count_boards(&child, queens, threshold);
    }
    return boards;
}

static struct work *new_work(const struct board *board)
{
    struct work *work = al_message_init(work, al_new(work), AL_DELETE);
    work->board = *board;
    return work;
}

AL_BEHAVIOUR_DECLARE(worker, work)

static void hand_out(struct master *self, const struct board *board)
{
    const struct state *state = self->state;
    al_send(worker, work, &state->workers[self->next], new_work(board));
    self->handed_out++;
    if (++self->next == state->actors)
        self->next = 0;
}

AL_BEHAVIOUR(master, al_go, self, msg)
{
    const struct state *state = self->state;
    for (uint32_t i = 0; i < state->actors; i++)
        al_actor_init(worker, &state->workers[i]);
    hand_out(self, &(struct board){0});
    return AL_NODELETE;
}

/* Sends on a copy, because the received board is freed. */
AL_BEHAVIOUR(master, work, self, msg)
{
    hand_out(self, &msg->board);
    return AL_NODELETE;
}

AL_BEHAVIOUR(master, done, self, msg)
{
    const struct state *state = self->state;
    self->solutions += msg->solutions;
    if (++self->done < self->handed_out)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->actors; i++)
        al_send_pill(&state->workers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(worker, work, self, msg)
{
    struct state *state = self->state;
    const struct board *board = &msg->board;
    uint32_t queens = state->queens;
    struct done *done = al_message_init(done, al_new(done), AL_DELETE);
    done->solutions = 0;
    if (board->rows >= state->threshold || board->rows == queens) {
        done->solutions = count_solutions(board, queens);
    } else {
        for (uint32_t columns = free_columns(board, queens); columns != 0; columns &= columns - 1) {
            struct board child = put(board, columns & -columns);
            al_send(master, work, &state->master, new_work(&child));
        }
    }
    al_send(master, done, &state->master, done);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t actors = (uint32_t)values[ACTORS].uint;
    uint32_t queens = (uint32_t)values[QUEENS].uint;
    uint32_t threshold = (uint32_t)values[THRESHOLD].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    struct worker *workers = al_allocate_lines(actors, sizeof *workers);
    *state = (struct state){.workers = workers,
                            .queens = queens,
                            .threshold = threshold,
                            .actors = actors,
                            .boards = count_boards(&(struct board){0}, queens, threshold),
                            .master.state = state};
    for (uint32_t i = 0; i < actors; i++)
        workers[i] = (struct worker){.state = state};
    return state;
}

/* All boards may be queued at once, as work or as done; an allocator adds about a word to each. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    uint64_t boards = count_boards(&(struct board){0}, (uint32_t)values[QUEENS].uint,
                                   (uint32_t)values[THRESHOLD].uint);
    return (double)values[ACTORS].uint * sizeof(struct worker) +
           (double)boards * (sizeof(struct work) + sizeof(void *));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 3 * state->boards + state->actors;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_actor_init(master, &state->master);
    al_send(master, al_go, &state->master, &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct master *master = &state->master;
    uint32_t known = known_solutions[state->queens];
    if (master->solutions != known)
        return al_error_set(error, -EBADMSG, "%u queens have %llu solutions instead of %u",
                            state->queens, (unsigned long long)master->solutions, known);
    if (master->handed_out != state->boards)
        return al_error_set(error, -EBADMSG, "%llu boards were handed out instead of %llu",
                            (unsigned long long)master->handed_out,
                            (unsigned long long)state->boards);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->workers);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_nqn = {
    .plugin = {"nqn", "queens on a board: workers divide boards, a master hands them out in turn",
               options},
    .stresses = "uneven work in small messages that all pass through one actor",
    .small = "queens=8 threshold=3 actors=8",
    .sim = "queens=13 threshold=5 actors=768",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
