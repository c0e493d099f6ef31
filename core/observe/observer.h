/* SPDX-License-Identifier: MIT */
#ifndef AL_OBSERVER_H
#define AL_OBSERVER_H

/*
 * Hooks that follow the actors of an actor-centric strategy, like those of CAF's scheduling policy
 * (manual, section "Policies"): how long each actor runs, in what order, and on which worker.
 * Without an observer the strategies run a loop that is compiled without the calls. Each hook may
 * be NULL. Workers call them on their own threads, several at once.
 */

#include <stdint.h>

struct al_actor;
struct al_profile;

struct al_observer {
    void *context;
    /* Before and after an actor receives a batch of messages; not after the batch that ends it. */
    void (*before_resume)(void *context, uint32_t worker, const struct al_actor *actor);
    void (*after_resume)(void *context, uint32_t worker, const struct al_actor *actor);
    /* The actor has terminated and is not yet destroyed. */
    void (*after_completion)(void *context, uint32_t worker, const struct al_actor *actor);
    /* Of the scheduler al_profiler alone: once, in its fini, on the thread that stops the system.
     */
    void (*profiled)(void *context, const struct al_profile *profile);
};

#endif
