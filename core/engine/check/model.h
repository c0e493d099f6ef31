/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_MODEL_H
#define AL_CHECK_MODEL_H

/*
 * Memory models: which execution graphs a machine, or the language, allows.
 *
 *   sc    sequential consistency: (po ∪ rf ∪ co ∪ fr) has no cycle. Source: Shasha, Snir: Efficient
 *         and correct execution of parallel programs that share memory (TOPLAS 10, 1988)
 *   tso   total store order, of x86: writes leave a first-in first-out buffer at some later moment,
 *         and a thread reads its own from there. Locked instructions and fences wait for the
 *         buffer. Source: Sewell and others: x86-TSO (CACM 53, 2010)
 *   c11   the orders that the program asks for, no more: RC11, which is C11 without values out of
 *         thin air. Source: Lahav and others: Repairing sequential consistency in C/C++11 (PLDI
 *         2017); release sequences as in C++20. Accesses are relaxed, acquire or release; fences
 *         are sequentially consistent
 *
 * In all of them po ∪ rf has no cycle, and a graph remains consistent without an event that nothing
 * depends on.
 *
 * al_membarrier is a fence that makes every other thread pass one too, at some moment meanwhile. So
 * for it and every light fence of another thread, either what comes before the light fence comes
 * before the barrier, or the barrier comes before what comes after the light fence.
 */

#include "core/engine/check/graph.h"

struct check_step;

struct check_model {
    const char *name;
    /* Whether the graph is consistent if it was so without this event, the last one of its thread:
     * a read, or a write that has a place in co. */
    bool (*consistent)(struct check_graph *graph, check_id id);
    /* Which of an event's clocks counts what its thread has to know of. */
    bool by_hb;
    /* The graph as one sequence of steps, of which each comes after all that it depends on. Returns
     * how many. */
    unsigned (*order)(const struct check_graph *graph, struct check_step *steps);
};

/* A step of a sequence: an event, or the moment when its write becomes visible to others, if that
 * is a later one. */
struct check_step {
    check_id id;
    bool commits;
};
#define CHECK_STEPS (2 * CHECK_THREADS * CHECK_EVENTS)

/* Whether an event is the read of a read-modify-write, whose write there is. */
bool check_is_first_part(const struct check_graph *graph, check_id id);
/* The model's order, in which the two parts of a read-modify-write follow one another. */
unsigned check_order(const struct check_model *model, const struct check_graph *graph,
                     struct check_step steps[CHECK_STEPS]);

extern const struct check_model check_sc, check_tso, check_c11;

/* Set where a graph has more fences than a model looks at: then it must not be judged by it. */
extern bool check_orders_too_many;

/* The writes that a new read, the last event of its thread, may read: the co-last first. Returns
 * how many; there is one at least. */
unsigned check_read_options(const struct check_model *model, struct check_graph *graph,
                            check_id read, check_id options[CHECK_EVENTS]);
/* After which writes a new one, the last event of its thread, may come in co: the co-last first.
 * None, of an exclusive one: another one has read the same. */
unsigned check_write_options(const struct check_model *model, struct check_graph *graph,
                             check_id write, check_id options[CHECK_EVENTS]);
/* The same for a write that `read`, the last event of its thread, is to read. */
unsigned check_revisit_options(const struct check_model *model, struct check_graph *graph,
                               check_id write, check_id read, check_id options[CHECK_EVENTS]);

#endif
