/* SPDX-License-Identifier: MIT */
#ifndef AL_VIRTUAL_H
#define AL_VIRTUAL_H

/*
 * Part of core/sync/sync.h: what is inlined on the virtual engine (AL_VIRTUAL). Every operation is
 * a choice point: the engine decides who runs next before it, and logs its value after it.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/engine/engine.h"
#include "core/sync/operation.h"

#define AL_SYNC_TESTED       1
#define AL_SYNC_BEFORE(op)   al_engine_choose(op)
#define AL_SYNC_AFTER(value) al_engine_log((uint64_t)(value))

/* Each pause is an event: a lock's waiters look again after every one. */
enum { AL_BACKOFF_LEAST = 1, AL_BACKOFF_MOST = 1 };

static inline struct al_worker *al_self(void)
{
    return al_engine_self();
}

static inline void al_self_set(struct al_worker *worker)
{
    al_engine_self_set(worker);
}

static inline void al_pause(void)
{
    al_engine_choose(AL_SYNC_PAUSE);
}

static inline void al_free(void *memory)
{
    al_engine_free(memory);
}

static inline uint64_t al_cycles(void)
{
    return al_engine_clock();
}

static inline void al_touch(const void *address, size_t bytes, enum al_touch_mode mode)
{
    (void)address;
    al_engine_choose(AL_SYNC_TOUCH);
    al_engine_log(bytes << 1 | (mode == AL_TOUCH_WRITE));
}

static inline void al_compute(uint64_t ns)
{
    al_engine_choose(AL_SYNC_COMPUTE);
    al_engine_log(ns);
}

#endif
