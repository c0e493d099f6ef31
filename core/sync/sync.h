/* SPDX-License-Identifier: MIT */
#ifndef AL_SYNC_H
#define AL_SYNC_H

/*
 * The seam: whatever one worker may see of another goes through here, and nothing else in the
 * project uses an atomic, a lock, a thread or a clock. This header is the one to include; it is
 * made of
 *
 *   native.h      on real threads each call is the C11 operation that its name says, inlined
 *   virtual.h     with AL_VIRTUAL it is a choice point of a virtual engine, which decides who runs
 *                 next (core/engine/engine.h)
 *   words.h       the words that threads share
 *   atomic.h      typed atomics; a call's name ends in its memory order
 *   self.h        who the calling thread is
 *   spinlock.h    a lock made of them; lock.h, which is included where it is used, has others
 *   sizes.h       of a cache line and of a page
 *   guess.h       values that the processor need not wait for
 *   unreported.h  functions that a virtual engine does not look into
 *
 * Code that must differ by world asks AL_SYNC_TESTED: 1 in builds for tests alone (the virtual
 * engine with choice points, and threads that sleep in race windows), where checks may cost; or
 * AL_SYNC_THREADS: 1 on real threads, where somebody may watch from outside.
 *
 * A caller's comment on an order that is not relaxed names its partner, and says what would go
 * wrong without the order; on a relaxed one, why that is enough.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/sync/atomic.h"
#include "core/sync/guess.h"
#include "core/sync/self.h"
#include "core/sync/sizes.h"
#include "core/sync/words.h"
#include "core/engine/operation.h"
#include "core/sync/spinlock.h"
#include "core/sync/unreported.h"

struct al_worker;

/* Whether this program runs on virtual engines: not on threads. */
extern const bool al_is_virtual;

/* End the run of the virtual engine that the caller is in, with this line as its result; elsewhere
 * it returns. */
void al_end_run(const char *line);

/* The worker that the calling thread is, or NULL; and say who it is. */
static inline struct al_worker *al_self(void);
static inline void al_self_set(struct al_worker *worker);

/* Orders this thread's earlier writes before its later reads, against another thread that does the
 * same: of the two at least one sees what the other wrote. */
void al_fence_seq_cst(void);

/*
 * The same, where one of the two does it often, and the other rarely: al_fence_light costs nothing,
 * and al_membarrier some microseconds, since all threads of the program that run pass a full fence
 * meanwhile. Only between the two kinds. al_membarrier_ready: whether the kernel can do that
 * (membarrier(2), since Linux 4.14); to be asked before, by any thread of the program.
 */
static inline void al_fence_light(void);
void al_membarrier(void);
bool al_membarrier_ready(void);

/* A hint only: never a choice point, never wrong. */
static inline void al_prefetch(const void *address);

/* Tell the core that this is a spin loop. */
static inline void al_pause(void);
/*
 * The pause after a look of a waiting loop that found nothing to do. The next `alike` looks do the
 * same as this one if nothing that it read changes; a virtual engine may leave them out until then.
 * Returns how many it left out: natively none.
 */
static inline uint64_t al_pause_unchanged(uint64_t alike);
/* Likewise, but it gives the processor away. */
static inline uint64_t al_yield_unchanged(uint64_t alike);
#define AL_ALWAYS UINT64_MAX /* alike: all looks are */
/* Give the processor to whoever else wants it. */
void al_yield(void);
/* How often others have taken the processor from this thread. */
uint64_t al_preemptions(void);
void al_sleep_ns(uint64_t ns);

/* From now on this thread wakes up from sleeps as soon as it can; by default the kernel takes up to
 * 50 µs more, to let several wake at once (PR_SET_TIMERSLACK). */
void al_sleep_precisely(void);
/* Sleep while *word == expected; may return early. Partner: al_unpark after a change of *word. */
void al_park(struct al_atomic_u32 *word, uint32_t expected);
/* The same, for at most ns nanoseconds. */
void al_park_for(struct al_atomic_u32 *word, uint32_t expected, uint64_t ns);
/* Wake up to count threads parked on word. */
void al_unpark(struct al_atomic_u32 *word, uint32_t count);

struct al_thread {
    uintptr_t handle;
};

/* Run function(argument) on a thread of its own. 0 or a negative errno. */
__attribute__((warn_unused_result)) int al_thread_start(struct al_thread *thread,
                                                        void (*function)(void *), void *argument);
/* Wait for the thread's end. What it wrote is visible afterwards. */
void al_thread_join(struct al_thread *thread);
/* The same for about ns nanoseconds at most; false if it still runs then. The virtual engine waits
 * for the end. */
bool al_thread_join_for(struct al_thread *thread, uint64_t ns);
/* Let the thread end when it will, with nobody who waits for it. The virtual engine waits for its
 * end. Not for a thread that has been joined. */
void al_thread_detach(struct al_thread *thread);
/* The processor time that a thread has used; 0 if that is unknown. */
uint64_t al_thread_cpu_ns(const struct al_thread *thread);
/* How many threads can run at once here: the PUs that the affinity mask allows. */
uint32_t al_thread_limit(void);

/* Read a word that another thread may write meanwhile without an atomic: to show it to a person,
 * never to decide by. */
uint64_t al_peek(const uint64_t *word);
/* The same of a thread's handle, which is 0 until the thread has been started, if it was 0
 * before. */
uintptr_t al_peek_handle(const struct al_thread *thread);

/* Write such a word, whose owner may write it meanwhile: one of the two writes is lost. */
void al_poke(uint64_t *word, uint64_t value);

/* The allocator: as the C functions of these names, and thread-safe like them. al_free also takes
 * what malloc() returned; free() does not take what these return, since a virtual engine may have
 * memory of its own, which goes with its run. What outlives a run, such as a report, or is no part
 * of what is simulated, such as a timeline, comes from malloc(). */
static inline void *al_malloc(size_t bytes);
static inline void *al_calloc(size_t n, size_t bytes);
static inline void *al_realloc(void *memory, size_t bytes);
static inline void *al_aligned_alloc(size_t alignment, size_t bytes);
static inline void al_free(void *memory);
/* al_free of memory whose address another thread may still expect in a compare-and-swap. */
static inline void al_free_deferred(void *memory);

/* Monotonic time in nanoseconds. */
uint64_t al_clock_ns(void);
/* The time-stamp counter: cheap, monotonic per PU, of no fixed unit. To compare PUs, see
 * al_cycles_steady. */
static inline uint64_t al_cycles(void);
/* al_clock_ns and al_cycles of about the same moment: the closest of a few readings, so that a
 * preemption between the two does not shift one against the other. */
void al_clock_pair(uint64_t *ns, uint64_t *cycles);
/* Whether al_cycles of different PUs can be compared: the TSC ticks at one rate, also in idle
 * states. The kernel derives its flags constant_tsc and nonstop_tsc from the same bit (CPUID
 * 8000_0007h, EDX 8: "invariant TSC"). */
bool al_cycles_steady(void);

/*
 * Work that is no more than its time: natively a chain of instructions, each of which waits for the
 * one before; on the simulated machine time, besides what the instructions around it take.
 *   al_work_of  the amount of work that takes about ns nanoseconds on this machine. Natively it
 *               measures for about a tenth of a millisecond, on the calling thread, what a step of
 *               the chain takes.
 *   al_work     do that amount; 0 is none.
 */
uint64_t al_work_of(uint64_t ns);
static inline void al_work(uint64_t amount);

/*
 * What the simulated machine charges for, besides what the compiler reports; nothing on real
 * threads.
 *   al_touch    a behaviour reads or writes this memory by code that reports nothing: a library's,
 *               or of an AL_UNREPORTED function (core/sync/unreported.h). Not by other code, or it
 *               counts twice.
 *   al_compute  it computes for so many cycles of al_cycles, which is how processors of different
 *               frequencies compare; without the accesses to memory, and instead of the
 *               instructions since the last access.
 *   al_charge   whether the machine charges at all, as it does at first. Without, nothing takes
 *               time, and caches stay as they are: for work that is no part of the simulated
 *               program, such as checking its answers. Returns what it was.
 */
static inline void al_touch(const void *address, size_t bytes, enum al_touch_mode mode);
static inline void al_compute(uint64_t cycles);
static inline bool al_charge(bool charge);

#endif
