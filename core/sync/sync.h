/* SPDX-License-Identifier: MIT */
#ifndef AL_SYNC_H
#define AL_SYNC_H

/*
 * The seam: whatever one worker may see of another goes through here, and nothing else in the
 * project uses an atomic, a lock, a thread or a clock. Natively each call is the C11 operation that
 * its name says, inlined. Compiled with AL_VIRTUAL, the same calls are choice points of a virtual
 * engine (core/engine/engine.h), which decides who runs next.
 *
 * A call's name ends in its memory order. A caller's comment names the partner of every order that
 * is not relaxed.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define AL_CACHE_LINE_BYTES 64

/* What a choice point is about to do; part of the virtual engine's event log. */
enum al_sync_op {
    AL_SYNC_LOAD,
    AL_SYNC_STORE,
    AL_SYNC_EXCHANGE,
    AL_SYNC_CAS,
    AL_SYNC_ADD,
    AL_SYNC_FENCE,
    AL_SYNC_PAUSE,
    AL_SYNC_YIELD,
    AL_SYNC_SLEEP,
    AL_SYNC_PARK,
    AL_SYNC_UNPARK,
    AL_SYNC_CLOCK,
    AL_SYNC_START,
    AL_SYNC_JOIN,
    AL_SYNC_TOUCH,
    AL_SYNC_COMPUTE,
};

enum al_touch_mode { AL_TOUCH_READ, AL_TOUCH_WRITE };

struct al_worker;

#ifdef AL_VIRTUAL
#include "core/engine/engine.h"
#define AL_SYNC_TESTED       1
#define AL_SYNC_BEFORE(op)   al_engine_choose(op)
#define AL_SYNC_AFTER(value) al_engine_log((uint64_t)(value))
#elif defined(AL_JITTER)
/* For stress tests: a real thread that now and then sleeps before an operation, in every race window. */
void al_jitter(void);
#define AL_SYNC_TESTED       1
#define AL_SYNC_BEFORE(op)   al_jitter()
#define AL_SYNC_AFTER(value) ((void)0)
#else
#define AL_SYNC_TESTED       0 /* 1: built for tests alone, where checks may cost */
#define AL_SYNC_BEFORE(op)   ((void)0)
#define AL_SYNC_AFTER(value) ((void)0)
#endif

/* Pointers differ from run to run, so the event log takes of them only whether they are null. */
#define AL_SYNC_LOG_INTEGER(value) (value)
#define AL_SYNC_LOG_POINTER(value) ((value) != NULL)

/*
 * AL_ATOMIC(name, type): struct al_atomic_<name> and al_<name>_<operation>_<order>().
 * cas: on failure *expected takes the value found; a failed exchange is a relaxed read.
 */
#define AL_ATOMIC_LOAD(name, type, order, LOG)                                                     \
    static inline type al_##name##_load_##order(const struct al_atomic_##name *object)             \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_LOAD);                                                              \
        type value = atomic_load_explicit(&object->value, memory_order_##order);                   \
        AL_SYNC_AFTER(LOG(value));                                                                 \
        return value;                                                                              \
    }

#define AL_ATOMIC_STORE(name, type, order, LOG)                                                    \
    static inline void al_##name##_store_##order(struct al_atomic_##name *object, type value)      \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_STORE);                                                             \
        atomic_store_explicit(&object->value, value, memory_order_##order);                        \
        AL_SYNC_AFTER(LOG(value));                                                                 \
    }

#define AL_ATOMIC_EXCHANGE(name, type, order, LOG)                                                 \
    static inline type al_##name##_exchange_##order(struct al_atomic_##name *object, type value)   \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_EXCHANGE);                                                          \
        type old = atomic_exchange_explicit(&object->value, value, memory_order_##order);          \
        AL_SYNC_AFTER(LOG(old));                                                                   \
        return old;                                                                                \
    }

#define AL_ATOMIC_CAS(name, type, order)                                                           \
    static inline bool al_##name##_cas_##order(struct al_atomic_##name *object, type *expected,    \
                                               type desired)                                       \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_CAS);                                                               \
        bool swapped = atomic_compare_exchange_strong_explicit(                                    \
            &object->value, expected, desired, memory_order_##order, memory_order_relaxed);        \
        AL_SYNC_AFTER(swapped);                                                                    \
        return swapped;                                                                            \
    }

#define AL_ATOMIC_ADD(name, type, order)                                                           \
    static inline type al_##name##_add_##order(struct al_atomic_##name *object, type value)        \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_ADD);                                                               \
        type old = atomic_fetch_add_explicit(&object->value, value, memory_order_##order);         \
        AL_SYNC_AFTER(old);                                                                        \
        return old;                                                                                \
    }

#define AL_ATOMIC(name, type, LOG)                                                                 \
    struct al_atomic_##name {                                                                      \
        _Atomic(type) value;                                                                       \
    };                                                                                             \
    AL_ATOMIC_LOAD(name, type, relaxed, LOG)                                                       \
    AL_ATOMIC_LOAD(name, type, acquire, LOG)                                                       \
    AL_ATOMIC_STORE(name, type, relaxed, LOG)                                                      \
    AL_ATOMIC_STORE(name, type, release, LOG)                                                      \
    AL_ATOMIC_EXCHANGE(name, type, acquire, LOG)                                                   \
    AL_ATOMIC_EXCHANGE(name, type, acq_rel, LOG)                                                   \
    AL_ATOMIC_CAS(name, type, relaxed)                                                             \
    AL_ATOMIC_CAS(name, type, acquire)                                                             \
    AL_ATOMIC_CAS(name, type, acq_rel)

AL_ATOMIC(u32, uint32_t, AL_SYNC_LOG_INTEGER)
AL_ATOMIC_ADD(u32, uint32_t, relaxed)
AL_ATOMIC_ADD(u32, uint32_t, acq_rel)
AL_ATOMIC(u64, uint64_t, AL_SYNC_LOG_INTEGER)
AL_ATOMIC_ADD(u64, uint64_t, relaxed)
AL_ATOMIC_ADD(u64, uint64_t, acq_rel)
AL_ATOMIC(ptr, void *, AL_SYNC_LOG_POINTER)

/* Orders this thread's earlier writes before its later reads, against another that does the same.
 */
void al_fence_seq_cst(void);

/* A hint only: never a choice point, never wrong. */
static inline void al_prefetch(const void *address)
{
    __builtin_prefetch(address);
}

struct al_thread {
    uintptr_t handle;
};

/* Run function(argument) on a thread of its own. 0 or a negative errno. */
__attribute__((warn_unused_result)) int al_thread_start(struct al_thread *thread,
                                                        void (*function)(void *), void *argument);
/* Wait for the thread's end. What it wrote is visible afterwards. */
void al_thread_join(struct al_thread *thread);
/* The same for about ns nanoseconds at most; false if it still runs then. On the virtual engine it waits for the end. */
bool al_thread_join_for(struct al_thread *thread, uint64_t ns);
/* The processor time that a thread has used; 0 if that cannot be told. */
uint64_t al_thread_cpu_ns(const struct al_thread *thread);
/* Read a word that another thread may write meanwhile without an atomic: for a person to look at, never to decide by. */
uint64_t al_peek(const uint64_t *word);
/* The same of a thread's handle, which is 0 until it has been started, if it was 0 before. */
uintptr_t al_peek_handle(const struct al_thread *thread);
/* How many threads can run at once here: the PUs that the affinity mask allows. */
uint32_t al_thread_limit(void);

/* Give the processor to whoever else wants it. */
void al_yield(void);
void al_sleep_ns(uint64_t ns);
/* Sleep while *word == expected; may return early. Partner: al_unpark after a change of *word. */
void al_park(struct al_atomic_u32 *word, uint32_t expected);
/* The same, for at most ns nanoseconds. */
void al_park_for(struct al_atomic_u32 *word, uint32_t expected, uint64_t ns);
/* Wake up to count threads parked on word. */
void al_unpark(struct al_atomic_u32 *word, uint32_t count);
/* Monotonic time in nanoseconds. */
uint64_t al_clock_ns(void);
/* al_clock_ns and al_cycles of about the same moment: of a few readings the closest, so that a preemption between the
 * two does not shift one against the other. */
void al_clock_pair(uint64_t *ns, uint64_t *cycles);
/* Whether al_cycles of different PUs can be compared: the TSC ticks at one rate, through idle states too. The kernel
 * derives its flags constant_tsc and nonstop_tsc from the same bit (CPUID 8000_0007h, EDX 8: "invariant TSC"). */
bool al_cycles_steady(void);

#ifdef AL_VIRTUAL

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

#else

extern _Thread_local struct al_worker *al_self_native;

/* The worker that the calling thread is, or NULL. */
static inline struct al_worker *al_self(void)
{
    return al_self_native;
}

static inline void al_self_set(struct al_worker *worker)
{
    al_self_native = worker;
}

/* free() of something whose address another thread may still expect in a compare-and-swap. */
static inline void al_free(void *memory)
{
    free(memory);
}

/* Tell the core that this is a spin loop. */
static inline void al_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* The time-stamp counter: cheap, monotonic per PU, of no fixed unit. To compare PUs, see al_cycles_steady. */
static inline uint64_t al_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return al_clock_ns();
#endif
}

/* Declares that a behaviour reads or writes this memory: what the simulated machine charges for. */
static inline void al_touch(const void *address, size_t bytes, enum al_touch_mode mode)
{
    (void)address, (void)bytes, (void)mode;
}

/* Declares that a behaviour computes for so long: what the simulated machine charges for. */
static inline void al_compute(uint64_t ns)
{
    (void)ns;
}

#endif

/*
 * Test-and-test-and-set. Fair enough for critical sections of a few instructions, and smaller than
 * any queue lock: it shares its cache line with what it protects.
 */
struct al_spinlock {
    struct al_atomic_u32 held;
};

void al_spinlock_wait(struct al_spinlock *lock);

/* For locks: count a wait in the calling worker's counters (core/worker.c). */
void al_lock_waited(void);

static inline void al_spinlock_lock(struct al_spinlock *lock)
{
    /* acquire: partner is the release in al_spinlock_unlock, publishes what the lock protects */
    if (__builtin_expect(al_u32_exchange_acquire(&lock->held, 1) != 0, 0))
        al_spinlock_wait(lock);
}

/* False if somebody has it. */
static inline bool al_spinlock_try(struct al_spinlock *lock)
{
    return al_u32_exchange_acquire(&lock->held, 1) == 0; /* acquire: as in al_spinlock_lock */
}

static inline void al_spinlock_unlock(struct al_spinlock *lock)
{
    /* release: partner is the acquire in al_spinlock_lock */
    al_u32_store_release(&lock->held, 0);
}

#endif
