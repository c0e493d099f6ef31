/* SPDX-License-Identifier: MIT */
#ifndef AL_COROUTINE_H
#define AL_COROUTINE_H

/*
 * Coroutines: stacks to switch between, each with a guard page below it. Two backends: a few
 * instructions of assembler (core/engine/swap.h), and ucontext, which is portable and slower. The
 * sanitizers are told of every switch. To ThreadSanitizer a switch orders nothing, so it reports
 * races between coroutines as it does between threads, in every interleaving that the engine
 * chooses.
 */

#include <stddef.h>

enum al_coroutine_backend {
    AL_COROUTINE_FASTEST, /* assembler where available */
    AL_COROUTINE_UCONTEXT,
};

struct al_coroutine;

/* Create a coroutine that will run function(argument), which must never return. NULL: no memory. */
struct al_coroutine *al_coroutine_new(enum al_coroutine_backend backend, void (*function)(void *),
                                      void *argument);

/* The calling thread's own stack as a coroutine, to switch away from and back to. */
struct al_coroutine *al_coroutine_host(enum al_coroutine_backend backend);

/* Not for the running coroutine. */
void al_coroutine_free(struct al_coroutine *coroutine);

/* Switch from `from`, which is running, to `to` of the same backend. Returns after a switch
 * back. */
void al_coroutine_switch(struct al_coroutine *from, struct al_coroutine *to);

/* Tell ThreadSanitizer that everything before the release of an address happens before everything
 * after an acquire of it. */
void al_coroutine_release(void *address);
void al_coroutine_acquire(void *address);

#endif
