/* SPDX-License-Identifier: MIT */
#ifndef AL_NATIVE_H
#define AL_NATIVE_H

/* Part of core/sync/sync.h: what is inlined on real threads. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/sync/operation.h"

struct al_worker;

uint64_t al_clock_ns(void); /* for machines without a counter of cycles */

#ifdef AL_JITTER
/* For stress tests: threads that sleep before an operation now and then, in every race window. */
void al_jitter(void);
#define AL_SYNC_TESTED     1
#define AL_SYNC_BEFORE(op) al_jitter()
#else
#define AL_SYNC_TESTED     0
#define AL_SYNC_BEFORE(op) ((void)0)
#endif
#define AL_SYNC_AFTER(value) ((void)0)

/* Pauses between two looks at a lock: meanwhile whoever has its line can take it several times
 * over. */
enum { AL_BACKOFF_LEAST = 4, AL_BACKOFF_MOST = 32 };

extern _Thread_local struct al_worker *al_self_native;

static inline struct al_worker *al_self(void)
{
    return al_self_native;
}

static inline void al_self_set(struct al_worker *worker)
{
    al_self_native = worker;
}

static inline void al_free(void *memory)
{
    free(memory);
}

static inline void al_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

static inline uint64_t al_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return al_clock_ns();
#endif
}

static inline void al_touch(const void *address, size_t bytes, enum al_touch_mode mode)
{
    (void)address, (void)bytes, (void)mode;
}

static inline void al_compute(uint64_t ns)
{
    (void)ns;
}

#endif
