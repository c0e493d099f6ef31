/* SPDX-License-Identifier: MIT */
#ifndef AL_VIRTUAL_H
#define AL_VIRTUAL_H

/*
 * Part of core/sync/sync.h: what is inlined on the virtual engines (AL_VIRTUAL). There are two
 * kinds of build:
 *
 *   AL_VIRTUAL alone      each operation of the seam is a choice point: the engine decides who runs
 *                         next before it, and logs its value after it. Sanitizers work.
 *   AL_ACCESSES as well   the compiler reports every access, plain or atomic, to the engine
 *                         (core/engine), so that atomics need not report themselves. The
 *                         code must be compiled as meson.build's `reported` says.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/engine.h"
#include "core/engine/operation.h"
#include "core/sync/self.h"

#ifdef AL_ACCESSES
#define AL_SYNC_TESTED       0
#define AL_SYNC_BEFORE(op)   ((void)0)
#define AL_SYNC_AFTER(value) ((void)0)
enum { AL_BACKOFF_LEAST = 4, AL_BACKOFF_MOST = 32 }; /* as in native.h */
#else
#define AL_SYNC_TESTED       1
#define AL_SYNC_BEFORE(op)   al_engine_operation(op, 0)
#define AL_SYNC_AFTER(value) al_engine_log((uint64_t)(value))
/* Each pause is an event: a lock's waiters look again after every one. */
enum { AL_BACKOFF_LEAST = 1, AL_BACKOFF_MOST = 1 };
#endif
#define AL_SYNC_THREADS 0

static inline void al_self_set(struct al_worker *worker)
{
    al_engine_self_set(worker);
}

static inline void al_fence_light(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void al_pause(void)
{
    al_engine_operation(AL_SYNC_PAUSE, 0);
}

static inline uint64_t al_pause_unchanged(uint64_t alike)
{
    return al_engine_wait_unchanged(AL_SYNC_PAUSE, alike);
}

static inline uint64_t al_yield_unchanged(uint64_t alike)
{
    return al_engine_wait_unchanged(AL_SYNC_YIELD, alike);
}

static inline void al_prefetch(const void *address)
{
    al_engine_prefetch(address);
}

static inline void *al_malloc(size_t bytes)
{
    return al_engine_malloc(0, bytes);
}

static inline void *al_calloc(size_t n, size_t bytes)
{
    return al_engine_calloc(n, bytes);
}

static inline void *al_realloc(void *memory, size_t bytes)
{
    return al_engine_realloc(memory, bytes);
}

static inline void *al_aligned_alloc(size_t alignment, size_t bytes)
{
    return al_engine_malloc(alignment, bytes);
}

static inline void al_free(void *memory)
{
    al_engine_free(memory);
}

static inline void al_free_deferred(void *memory)
{
    al_engine_free_deferred(memory);
}

static inline uint64_t al_cycles(void)
{
    return al_engine_cycles();
}

static inline void al_touch(const void *address, size_t bytes, enum al_touch_mode mode)
{
    al_engine_touch(address, bytes, mode == AL_TOUCH_WRITE);
}

static inline void al_compute(uint64_t cycles)
{
    al_engine_operation(AL_SYNC_COMPUTE, cycles);
}

static inline void al_work(uint64_t amount)
{
    if (amount != 0)
        al_engine_operation(AL_SYNC_WORK, amount);
}

static inline bool al_charge(bool charge)
{
    return al_engine_charge(charge);
}

#endif
