/* SPDX-License-Identifier: MIT */

/* The seam on the virtual engine: the only world of a build with AL_VIRTUAL. */

#include "core/sync/virtual.h"

#include "core/sync/sync.h"

const bool al_is_virtual = true;

int al_thread_start(struct al_thread *thread, void (*function)(void *), void *argument)
{
    al_engine_operation(AL_SYNC_START, 0);
    return al_engine_spawn(&thread->handle, function, argument);
}

void al_thread_join(struct al_thread *thread)
{
    al_engine_operation(AL_SYNC_JOIN, 0);
    al_engine_join(thread->handle);
}

bool al_thread_join_for(struct al_thread *thread, uint64_t ns)
{
    (void)ns; /* a thread that never ends is a deadlock, which the engine reports */
    al_thread_join(thread);
    return true;
}

void al_thread_detach(struct al_thread *thread)
{
    al_thread_join(thread);
}

uint64_t al_thread_cpu_ns(const struct al_thread *thread)
{
    (void)thread;
    return 0;
}

uint32_t al_thread_limit(void)
{
    return UINT32_MAX;
}

void al_end_run(const char *line)
{
    if (al_engine_runs())
        al_engine_fail(line);
}

void al_fence_seq_cst(void)
{
    al_engine_operation(AL_SYNC_FENCE, 0);
}

bool al_membarrier_ready(void)
{
    return true;
}

void al_membarrier(void)
{
    al_engine_operation(AL_SYNC_MEMBARRIER, 0);
}

void al_yield(void)
{
    al_engine_operation(AL_SYNC_YIELD, 0);
}

void al_sleep_ns(uint64_t ns)
{
    al_engine_operation(AL_SYNC_SLEEP, ns);
    al_engine_log(ns);
}

uint64_t al_preemptions(void)
{
    return 0;
}

void al_sleep_precisely(void)
{
}

static void park(struct al_atomic_u32 *word, uint32_t expected, uint64_t ns)
{
    al_engine_operation(AL_SYNC_PARK, 0);
    if (!al_engine_park_if(word, expected, ns) &&
        atomic_load_explicit(&word->value, memory_order_relaxed) == expected)
        al_engine_park(word, ns);
}

void al_park(struct al_atomic_u32 *word, uint32_t expected)
{
    park(word, expected, UINT64_MAX);
}

void al_park_for(struct al_atomic_u32 *word, uint32_t expected, uint64_t ns)
{
    park(word, expected, ns);
    al_engine_log(ns);
}

void al_unpark(struct al_atomic_u32 *word, uint32_t count)
{
    al_engine_operation(AL_SYNC_UNPARK, 0);
    al_engine_unpark(word, count);
}

uint64_t al_clock_ns(void)
{
    al_engine_operation(AL_SYNC_CLOCK, 0);
    return al_engine_clock();
}

void al_clock_pair(uint64_t *ns, uint64_t *cycles)
{
    *ns = al_clock_ns();
    *cycles = al_cycles();
}

uint64_t al_work_of(uint64_t ns)
{
    return ns;
}

bool al_cycles_steady(void)
{
    return true;
}
