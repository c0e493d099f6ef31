/* SPDX-License-Identifier: MIT */
#ifndef AL_ENGINE_H
#define AL_ENGINE_H

/*
 * The virtual engine: what core/sync/sync.h calls when it is compiled with AL_VIRTUAL. Workers are
 * coroutines on one thread; before each operation a seeded random choice says who runs next. The
 * same seed gives the same run. Operations are sequentially consistent here: what it finds are
 * wrong interleavings, not weak orders (but see coroutine.h on ThreadSanitizer).
 *
 * All even seeds choose uniformly. Odd ones besides stall a worker now and then for up to some
 * thousand steps, as a preemption does: that is what opens the windows of lock-free code.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/coroutine.h"

struct al_worker;

struct al_engine_config {
    uint64_t seed;
    enum al_coroutine_backend backend;
    uint64_t step_limit; /* steps after which a run counts as stuck */
};

struct al_engine_result {
    uint64_t hash;  /* of the event log: who did what, and the value that came of it */
    uint64_t steps; /* operations of core/sync/sync.h */
};

/*
 * Run function(argument) as the first coroutine of a new engine, until it returns. Everything that
 * it starts must have been joined by then. Deadlock, a run over the step limit or a thread left
 * behind end the process with al_fatal. One engine at a time per thread.
 */
void al_engine_run(const struct al_engine_config *config, void (*function)(void *), void *argument,
                   struct al_engine_result *result);

/* One choice point of a run. */
struct al_engine_event {
    uint64_t hash; /* of the event log before it */
    uint32_t task; /* in the order of their start */
    int operation; /* enum al_sync_op */
};

/* The same, and keep the first n_events choice points in `events`, to see where two runs of one seed part. */
void al_engine_run_logged(const struct al_engine_config *config, void (*function)(void *),
                          void *argument, struct al_engine_result *result,
                          struct al_engine_event *events, uint64_t n_events);

/* The rest is for core/sync/sync.h, inside a coroutine. */

/* A choice point: log the operation (enum al_sync_op), then let somebody run, perhaps the caller.
 */
void al_engine_choose(int operation);
/* Log the value that an operation gave. */
void al_engine_log(uint64_t value);
/* The engine's clock: the steps so far, and all that anybody has slept, in nanoseconds. */
uint64_t al_engine_clock(void);
/* Somebody sleeps: time passes for all. Who runs next is still drawn: a sleeper may be the first. */
void al_engine_sleep(uint64_t ns);
struct al_worker *al_engine_self(void);
void al_engine_self_set(struct al_worker *worker);
/* 0 or -ENOMEM. */
int al_engine_spawn(uintptr_t *handle, void (*function)(void *), void *argument);
void al_engine_join(uintptr_t handle);
/*
 * free() of at least the bytes of a pointer, when the run ends: allocated anew within it, the
 * address could make a compare-and-swap that still expects it succeed, and the allocator would
 * decide beside the seed. At once for AddressSanitizer, which sees uses after it.
 */
void al_engine_free(void *memory);
/* Block until al_engine_unpark of the same word. */
void al_engine_park(const void *word);
void al_engine_unpark(const void *word, uint32_t count);

#endif
