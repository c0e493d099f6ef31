/* SPDX-License-Identifier: MIT */
#ifndef AL_OBSERVER_H
#define AL_OBSERVER_H

/*
 * Watches the actors of an actor-centric strategy, as the hooks of CAF's scheduling policy do (manual, section
 * "Policies"): for how long each runs, in what order, on which worker. Without an observer the strategies run a
 * loop that was compiled without the calls. Each hook may be NULL; a worker calls them on its own thread,
 * several workers at once.
 */

#include <stdint.h>

struct al_actor;

struct al_observer {
    void *context;
    /* before and after an actor receives a batch of messages; not after the batch that ends it */
    void (*before_resume)(void *context, uint32_t worker, const struct al_actor *actor);
    void (*after_resume)(void *context, uint32_t worker, const struct al_actor *actor);
    /* the actor has terminated, and is not yet destroyed */
    void (*after_completion)(void *context, uint32_t worker, const struct al_actor *actor);
};

#endif
