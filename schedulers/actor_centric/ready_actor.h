/* SPDX-License-Identifier: MIT */
#ifndef AL_READY_ACTOR_H
#define AL_READY_ACTOR_H

/* What an actor-centric strategy keeps of each actor; actor->home points to it. It is what waits in
 * a queue while the actor is ready. */

#include "core/plugin/scheduler.h"
#include "schedulers/queues/inbox.h"

struct al_ready_actor {
    struct al_inbox inbox;
    struct al_actor *actor;
    struct al_ready_actor *next;      /* in a list of ready actors */
    struct al_detached *detached;     /* the thread that runs it, or NULL */
    struct al_atomic_u32 last_worker; /* that ran it; AL_NO_WORKER before the first time */
    uint32_t first_worker;            /* that is to run it first, or AL_NO_WORKER */
    bool is_hub;
};

_Static_assert(sizeof(struct al_ready_actor) <= AL_OBJECT_STEP,
               "it comes from the envelopes' pool");

static inline void al_ready_actor_init(struct al_ready_actor *ready, struct al_actor *actor)
{
    *ready = (struct al_ready_actor){.actor = actor, .first_worker = AL_NO_WORKER};
    al_inbox_init(&ready->inbox);
    /* relaxed: published by whatever makes the actor known */
    al_u32_store_relaxed(&ready->last_worker, AL_NO_WORKER);
}

#endif
