/* SPDX-License-Identifier: MIT */
#ifndef AL_COROUTINE_H
#define AL_COROUTINE_H

/*
 * Coroutines: stacks to switch between, each with a guard page below it. Two backends: a few
 * instructions of assembler (x86-64), and ucontext, which is portable and slower. The sanitizers
 * are told of every switch; for ThreadSanitizer a switch orders nothing, so it sees the races of
 * the coroutines as it would see those of threads, but in every interleaving that the engine
 * chooses.
 */

#include <stddef.h>

enum al_coroutine_backend {
    AL_COROUTINE_FASTEST, /* assembler where there is one */
    AL_COROUTINE_UCONTEXT,
};

struct al_coroutine;

/* A coroutine that will run function(argument), which must never return. NULL without memory. */
struct al_coroutine *al_coroutine_new(enum al_coroutine_backend backend, void (*function)(void *),
                                      void *argument);

/* The calling thread's own stack as a coroutine, to switch away from and back to. */
struct al_coroutine *al_coroutine_host(enum al_coroutine_backend backend);

/* Not the one that runs. */
void al_coroutine_free(struct al_coroutine *coroutine);

/* Leave `from`, which runs, for `to` of the same backend. Returns when somebody switches back. */
void al_coroutine_switch(struct al_coroutine *from, struct al_coroutine *to);

/* Declare that what happened before a release happens after the acquire of the same address. */
void al_coroutine_release(void *address);
void al_coroutine_acquire(void *address);

#endif
