/* SPDX-License-Identifier: MIT */
#ifndef AL_NATIVE_H
#define AL_NATIVE_H

/* Part of core/sync/sync.h: what is inlined on real threads. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/engine/operation.h"
#include "core/sync/self.h"

void al_yield(void);
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
#define AL_SYNC_THREADS      1

/* Pauses between two looks at a lock: meanwhile whoever has its line can take it several times
 * over. */
enum { AL_BACKOFF_LEAST = 4, AL_BACKOFF_MOST = 32 };

static inline void al_self_set(struct al_worker *worker)
{
    al_self_native.worker = worker;
}

static inline void *al_malloc(size_t bytes)
{
    return malloc(bytes);
}

static inline void *al_calloc(size_t n, size_t bytes)
{
    return calloc(n, bytes);
}

static inline void *al_realloc(void *memory, size_t bytes)
{
    return realloc(memory, bytes);
}

static inline void *al_aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

static inline void al_free(void *memory)
{
    free(memory);
}

static inline void al_free_deferred(void *memory)
{
    free(memory);
}

static inline void al_fence_light(void)
{
    atomic_signal_fence(memory_order_seq_cst); /* the compiler keeps the order */
}

static inline void al_prefetch(const void *address)
{
    __builtin_prefetch(address);
}

static inline void al_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

static inline uint64_t al_pause_unchanged(uint64_t alike)
{
    (void)alike;
    al_pause();
    return 0;
}

static inline uint64_t al_yield_unchanged(uint64_t alike)
{
    (void)alike;
    al_yield();
    return 0;
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

static inline void al_compute(uint64_t cycles)
{
    (void)cycles;
}

/* The amount is a number of steps: a multiplication and an addition. What follows begins after
 * them: else the processor would do it at the same time, and hide up to 20 ns. */
static inline void al_work(uint64_t amount)
{
    if (amount == 0)
        return;
    uint64_t chain = amount;
    for (uint64_t i = 0; i < amount; i++)
        chain = chain * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : : "r"(chain)); /* else the compiler leaves it out */
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

static inline bool al_charge(bool charge)
{
    (void)charge;
    return true;
}

#endif
