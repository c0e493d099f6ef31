/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_SEARCH_H
#define AL_CHECK_SEARCH_H

/*
 * The search for all execution graphs of a scenario, each of which is one class of interleavings
 * (and of what a weak memory model makes of them) that no thread can tell apart.
 *
 *   dpor     each consistent graph exactly once, without keeping any. Source: Kokologiannakis,
 *            Marmanis, Gladstein, Vafeiadis: Truly stateless, optimal dynamic partial order
 *            reduction (POPL 2022), the algorithm TruSt
 *   all      the same by trying every thread at every step, and remembering what has been seen: to
 *            compare with
 *   bounded  by schedules with few preemptions; random, pct: one graph after another; replay: one
 *            that has been before: choose.h
 *
 * How dpor works. The graph grows by the next event of the first thread that can go on. A read may
 * read any write that is there, if the model allows it: each is tried. A write may come at any
 * place in co that the model allows. A write may also be what an earlier read should have read,
 * which then came too early: for each such read the graph is taken back to it, but for what the
 * write depends on, and goes on from there. Several graphs lead to the same one that way; so it is
 * done only from the one in which all that is dropped was added as the co-last (`maximal` in
 * search.c): that one exists, since what is dropped will be added again.
 *
 * Loops that wait. A thread that has only read since it last paused or wrote has looked in vain.
 * Its last read is taken back if it was of the co-last write, and done again when there is a new
 * write; if it was of an older one, the run ends, since another run has the co-last. So looks in
 * vain make no graphs of their own. If nothing can go on and every such thread has read what is
 * co-last, it waits for ever.
 */

#include "core/engine/check/model.h"
#include "core/engine/check/run.h"
#include "core/engine/check/scenario.h"
#include "core/random.h"

enum check_way { CHECK_DPOR, CHECK_ALL, CHECK_BOUNDED, CHECK_RANDOM, CHECK_PCT, CHECK_REPLAY };

enum { CHECK_BOUND_MOST = 16 };

struct check_options {
    const struct check_model *model;
    enum check_way way;
    uint64_t seed; /* of the first run, where runs are drawn; each later one has the next */
    uint64_t runs; /* how many are drawn */
    const struct check_schedule *schedule; /* of CHECK_REPLAY */
    unsigned bound;    /* of CHECK_BOUNDED: preemptions; of CHECK_PCT: 1 to CHECK_BOUND_MOST */
    double seconds;    /* end after so many; 0: no limit */
    bool reuse;        /* freed memory is given out again at once */
    bool count_graphs; /* how many complete graphs differ: takes memory */
    bool traces;       /* of failures and refusals */
};

/* A line of a trace. */
struct check_line {
    unsigned thread;
    unsigned step; /* from 1; 0: no step, but what the failure is about */
    unsigned from; /* the step that wrote what this one reads, or makes visible; 0: none */
    char effect[256], place[96], source[256]; /* place, source: empty if nobody knows */
};

struct check_result {
    uint64_t complete; /* runs whose threads all ended */
    uint64_t dropped;  /* runs that another one covers, or that cannot happen */
    uint64_t cut;      /* of dropped: a thread would have taken more steps than it may */
    uint64_t graphs;   /* of complete: how many differ; 0: not counted */
    uint64_t events;   /* in all runs */
    uint64_t seed;     /* of the last run, where runs are drawn */
    unsigned longest;  /* events of a complete run */
    double seconds;
    bool ended;                 /* by the limit of time */
    enum check_outcome outcome; /* CHECK_COMPLETE, CHECK_FAILED, CHECK_REFUSED */
    char reason[512];
    /* What has happened, if traces are asked for and something is wrong: of a refusal only where.
     * A failure is traced without what it does not depend on. check_result_free frees it. */
    struct check_line *lines;
    unsigned n_lines;
    struct check_schedule *schedule; /* of a failure; or NULL */
};

/* Where in the program something happened: the calls that led there, the innermost first. */
enum { CHECK_FRAMES = 12 };
struct check_frames {
    const void *frames[CHECK_FRAMES];
};

/* What a failure is about: two accesses that race, for example. */
struct check_party {
    unsigned thread;
    const char *what;
    struct check_frames frames;
};

/* An object that traces call by its name. */
struct check_name {
    uint64_t address, bytes;
    const char *name;
};

struct check_schedule;

/* How CHECK_PCT chooses in one run. */
struct check_pct {
    uint32_t priorities[CHECK_THREADS]; /* the higher goes first; each is another */
    uint32_t lowest;                    /* that has been given: the next one falls below it */
    uint32_t step, steps[CHECK_BOUND_MOST];
    bool any_option; /* of the event of this step */
};

/* A choice that has not been explored in full. */
struct check_item;
struct check_heap;
struct check_plain;
struct check_set;

struct check_search {
    const struct al_scenario *scenario;
    const struct check_options *options;
    struct check_result *result;
    struct check_graph graph;
    enum check_outcome outcome; /* of the run */
    struct al_random random;

    struct check_item *items;
    unsigned n_items, capacity;
    struct check_graph **spare; /* memory for graphs of items */
    unsigned n_spare;

    struct check_wait seen; /* how its thread had waited before */
    check_id revisited;     /* the read that a later write has been given to; or CHECK_NONE */
    int chosen; /* of ways that try each thread: the one that goes on first; -1: none is chosen */
    int last;   /* the same: the one that went on last; -1: none */
    unsigned preemptions; /* so far */
    struct check_pct pct;
    unsigned n_moves; /* of CHECK_REPLAY: made so far */

    struct check_heap *heap;
    struct check_plain *plain;
    struct check_set *graphs, *states;

    /* Of a failure: what it is about, and on how many events of each thread it depends. */
    struct check_party parties[2];
    unsigned n_parties;
    struct check_clock needed;
    bool needs_all;
    struct check_name names[32];
    unsigned n_names;
    /* Of each event, while a failure is run again for its trace; else NULL. */
    struct check_frames (*frames)[CHECK_EVENTS];
};

/* Search the scenario. 0 or -ENOMEM. */
__attribute__((warn_unused_result)) int check_search(const struct al_scenario *scenario,
                                                     const struct check_options *options,
                                                     struct check_result *result);

void check_result_free(struct check_result *result);

/* For run.c, in the run. */

/* All that is in the graph has been done: add an event, or end the run. */
void check_extend(struct check_run *run);
/* The running thread has looked in vain with its last read: what now? Returns if it goes on;
 * otherwise it is stuck, or the run ends. */
void check_in_vain(struct check_run *run, struct check_task *task);

#endif
