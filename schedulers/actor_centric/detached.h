/* SPDX-License-Identifier: MIT */
#ifndef AL_DETACHED_H
#define AL_DETACHED_H

/* Detached actors: each has a thread of its own, since it blocks or computes for long. */

#include "schedulers/actor_centric/ready_actor.h"

/* Start the thread of a new actor, which waits for its first message. Any worker. */
void al_detach(struct al_worker *creator, struct al_ready_actor *ready);

/* Run the actor on its thread, after a push that found it waiting. Any worker. */
void al_detached_wake(struct al_detached *detached);

#endif
