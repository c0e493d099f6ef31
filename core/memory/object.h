/* SPDX-License-Identifier: MIT */
#ifndef AL_OBJECT_H
#define AL_OBJECT_H

/*
 * Storage of actors and messages that come and go by the million: from malloc or from free lists by
 * size, one for each worker (pool.h), as the system's configuration says. AL_RECYCLE in
 * core/actor.h says of a type that its storage is from here.
 *
 * What is allocated by one worker is often freed by another, which then keeps it for what it
 * allocates itself. The builds that look for misuse of memory (checks, AddressSanitizer) allocate
 * each object by itself; that with ThreadSanitizer does not, though it has the checks, since who
 * gets whose storage when is a matter of order.
 */

#include "core/checks.h"
#include "core/error.h"
#include "core/memory/pool.h"
#include "core/plugin/runtime.h"
#include "core/worker.h"

#if defined(__SANITIZE_ADDRESS__)
#define AL_RECYCLES 0
#elif defined(__SANITIZE_THREAD__) && !defined(AL_ACCESSES) /* which is instrumented alike */
#define AL_RECYCLES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AL_RECYCLES 0
#elif __has_feature(thread_sanitizer) && !defined(AL_ACCESSES)
#define AL_RECYCLES 1
#endif
#endif
#ifndef AL_RECYCLES
#define AL_RECYCLES (!AL_CHECKS)
#endif

/* Make the pools of a worker, and that of its envelopes. Before it runs. */
void al_object_pools_init(struct al_worker *worker, const struct al_runtime *system);
/* Release them. After the workers have ended. */
void al_object_pools_fini(struct al_worker *worker);

/* Which of a worker's pools has objects of so many bytes. */
static inline size_t al_object_class(size_t bytes)
{
    return (bytes - 1) / AL_OBJECT_STEP;
}

/* Storage for an object of at most AL_OBJECT_MOST bytes, from a worker of a running system. It
 * lives until its verdict is DELETE. Ends the program if there is no memory. */
static inline void *al_object_new(size_t bytes)
{
    if (AL_RECYCLES)
        return al_pool_take_for(&al_self()->pools[al_object_class(bytes)], bytes);
    void *memory = al_malloc(bytes);
    if (memory == NULL)
        al_out_of_memory("an actor or a message", bytes);
    return memory;
}

/* The same out of line, for programs that do not know what a worker is made of. */
void *al_object_allocate(size_t bytes);
/* NULL if there is no memory. */
void *al_object_try(size_t bytes);

/* Give back the storage of an object of so many bytes. Owner only. */
static inline void al_object_free(struct al_worker *self, void *memory, size_t bytes)
{
    /* Most are one line long. Whoever allocates next need not wait until that is known. */
    al_pool_give(&self->pools[al_guess(al_object_class(bytes), 0)], memory);
}

#endif
