/* SPDX-License-Identifier: MIT */
#ifndef AL_ENGINE_H
#define AL_ENGINE_H

/*
 * The virtual engine: core/sync/sync.h calls it when compiled with AL_VIRTUAL. Workers are
 * coroutines on one thread, and before each operation a seeded random choice decides which of them
 * runs next. The same seed gives the same run. Operations are sequentially consistent here, so the
 * engine finds wrong interleavings but not missing memory orders (ThreadSanitizer does: see
 * coroutine.h).
 *
 * Even seeds choose uniformly. Odd seeds also stall a worker occasionally for up to a few thousand
 * steps, as a preemption would, which opens the windows of lock-free code.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/coroutine.h"

struct al_worker;

struct al_engine_config {
    uint64_t seed;
    enum al_coroutine_backend backend;
    uint64_t step_limit; /* a run of more steps counts as stuck */
};

struct al_engine_result {
    uint64_t hash;  /* of the event log: each operation, its worker and its result */
    uint64_t steps; /* operations of core/sync/sync.h */
};

/*
 * Run function(argument) as the first coroutine of a new engine until it returns. It must have
 * joined every thread that it started. A deadlock, a run over the step limit or a thread that was
 * not joined ends the process with al_fatal. One engine at a time per thread.
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

/* The rest is for core/sync/sync.h, called inside a coroutine. */

/* A choice point: log the operation (enum al_sync_op), then let a task run, possibly the caller. */
void al_engine_choose(int operation);
/* Log the result of an operation. */
void al_engine_log(uint64_t value);
/* The engine's clock in nanoseconds: one for each step so far, plus the time slept by all tasks. */
uint64_t al_engine_clock(void);
/* Sleep: advances the clock for all tasks. The next task is still drawn, so it may be the
 * sleeper. */
void al_engine_sleep(uint64_t ns);
struct al_worker *al_engine_self(void);
void al_engine_self_set(struct al_worker *worker);
/* Start a task. Returns 0 or -ENOMEM. */
int al_engine_spawn(uintptr_t *handle, void (*function)(void *), void *argument);
void al_engine_join(uintptr_t handle);
/*
 * free() memory, at least as large as a pointer, when the run ends. If the address were allocated
 * again during the run, a compare-and-swap that still expects it could succeed, and then the
 * allocator as well as the seed would decide the run. Under AddressSanitizer it is freed at once,
 * so that later uses are found.
 */
void al_engine_free(void *memory);
/* Block until al_engine_unpark of the same word. */
void al_engine_park(const void *word);
void al_engine_unpark(const void *word, uint32_t count);

#endif
