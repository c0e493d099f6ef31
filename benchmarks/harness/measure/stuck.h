/* SPDX-License-Identifier: MIT */
#ifndef AL_STUCK_H
#define AL_STUCK_H

/* What a run on a virtual engine has done, and what its tasks wait for. Called while no task runs,
 * as from struct al_engine_watch. */

#include "core/engine/ops.h"

/* A number that changes when a message is sent or delivered, or an actor is created or
 * terminated. */
uint64_t al_stuck_progress(const struct al_engine *engine);

/* Write how far the run came, and what each worker does. */
void al_stuck_describe(struct al_engine *engine, char *text, size_t size);

#endif
