/* SPDX-License-Identifier: MIT */
#ifndef AL_ENGINE_H
#define AL_ENGINE_H

/*
 * The virtual engines: core/sync/sync.h calls them when compiled with AL_VIRTUAL. Workers are
 * coroutines on one thread, and an engine decides which of them runs next and what each step costs.
 * The same configuration and seed give the same run.
 *
 *   al_engine_random   before each operation a seeded random choice (core/engine/random.c): finds
 *                      wrong interleavings
 *   al_engine_sim      the simulated machine (core/engine/sim)
 *   al_engine_check    every interleaving of a scenario, also of weak memory (core/engine/check)
 *
 * Operations are sequentially consistent on the first two, which do not find missing memory orders;
 * ThreadSanitizer finds some of them on the random engine (see coroutine.h), the checker others.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/coroutine.h"

struct al_engine_ops;
struct al_worker;

/* Called by the running task, outside its program: nothing that they do is part of the run. Either
 * may be NULL. */
struct al_engine_watch {
    void *argument;
    uint64_t every;                /* steps between two looks, about */
    void (*look)(void *argument);  /* may end the run: al_engine_stop */
    void (*ended)(void *argument); /* the run was ended; its tasks and memory are still there */
};

struct al_engine_config {
    uint64_t seed;
    enum al_coroutine_backend backend;
    uint64_t step_limit;                 /* a run of more steps counts as stuck; 0: no limit */
    const struct al_engine_ops *ops;     /* which engine; NULL: al_engine_random */
    const void *model;                   /* what the engine simulates: see its header; or NULL */
    const struct al_engine_watch *watch; /* or NULL */
};

/* How a run ended. */
enum al_engine_end {
    AL_ENGINE_DONE,
    AL_ENGINE_DEADLOCK, /* every task was blocked */
    AL_ENGINE_LIVELOCK, /* more steps than step_limit */
    AL_ENGINE_UNJOINED, /* the first task ended before another */
    AL_ENGINE_FATAL,    /* al_fatal: a check failed */
};

struct al_engine_result {
    enum al_engine_end end;
    uint64_t hash;   /* of the event log: each operation, its task and its result */
    uint64_t steps;  /* operations and reported accesses */
    char text[1024]; /* unless AL_ENGINE_DONE: what was wrong, and what each task waits for */
};

/*
 * Run function(argument) as the first coroutine of a new engine until it returns. It must have
 * joined every thread that it started. Unless the run is done, what it allocated is lost. One
 * engine at a time per thread.
 */
void al_engine_run(const struct al_engine_config *config, void (*function)(void *), void *argument,
                   struct al_engine_result *result);

/* One choice point of a run. */
struct al_engine_event {
    uint64_t hash; /* of the event log before it */
    uint32_t task; /* numbered in the order of their start */
    int operation; /* enum al_sync_op */
};

/* Like al_engine_run; also record the first n_events choice points in `events`, to show where two
 * runs with one seed diverge. */
void al_engine_run_logged(const struct al_engine_config *config, void (*function)(void *),
                          void *argument, struct al_engine_result *result,
                          struct al_engine_event *events, uint64_t n_events);

/* Whether the calling thread is inside a run. */
bool al_engine_runs(void);
/* End the run with AL_ENGINE_FATAL and this text. Only inside a run. */
_Noreturn void al_engine_fail(const char *text);

/* The rest is for core/sync, called inside a run; the allocator also outside. */

/* An operation (enum al_sync_op) is next: charge it and log it, then let a task run, possibly the
 * caller. amount: cycles to compute, nanoseconds to sleep; 0 for the other operations. */
void al_engine_operation(int operation, uint64_t amount);
/* Log the result of an operation. */
void al_engine_log(uint64_t value);
/* The calling task's clock. */
uint64_t al_engine_clock(void);
uint64_t al_engine_cycles(void);
/* As al_pause_unchanged and al_yield_unchanged of core/sync/sync.h; operation: AL_SYNC_PAUSE or
 * AL_SYNC_YIELD. */
uint64_t al_engine_wait_unchanged(int operation, uint64_t alike);
void al_engine_prefetch(const void *address);
void al_engine_touch(const void *address, size_t bytes, bool writes);
/* As al_charge. Outside a run nothing is charged anyway. */
bool al_engine_charge(bool charge);
struct al_worker *al_engine_self(void);
void al_engine_self_set(struct al_worker *worker);
/* Run the calling task on this PU of the machine from now on. Returns the PU, or -1 where an engine
 * has none. */
int al_engine_place(unsigned pu);
/* Move whole pages to the memory of this PU's node. */
void al_engine_move(const void *pages, size_t bytes, unsigned pu);
/* Start a task. Returns 0 or -ENOMEM. */
int al_engine_spawn(uintptr_t *handle, void (*function)(void *), void *argument);
void al_engine_join(uintptr_t handle);
/* Block until al_engine_unpark of the same word, or for so many nanoseconds (UINT64_MAX: for ever).
 */
void al_engine_park(const void *word, uint64_t ns);
/* The same if the word has this value, on engines that compare it themselves; false elsewhere. */
bool al_engine_park_if(const void *word, uint32_t expected, uint64_t ns);
void al_engine_unpark(const void *word, uint32_t count);

/* alignment: 0 for malloc's. */
void *al_engine_malloc(size_t alignment, size_t bytes);
void *al_engine_calloc(size_t n, size_t bytes);
void *al_engine_realloc(void *memory, size_t bytes);
/* Also takes what malloc() returned. */
void al_engine_free(void *memory);
/*
 * Free memory, at least as large as a pointer, whose address others may still expect. On the random
 * engine that is when the run ends: if the address were allocated again during the run, a
 * compare-and-swap that still expects it could succeed, and then the allocator as well as the seed
 * would decide the run. Under AddressSanitizer it is freed at once, so that later uses are found.
 */
void al_engine_free_deferred(void *memory);

#endif
