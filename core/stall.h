/* SPDX-License-Identifier: MIT */
#ifndef AL_STALL_H
#define AL_STALL_H

/*
 * Waiting for workers, without waiting for ever: a message that a strategy has lost leaves its receiver alive and
 * every worker idle. If no message is delivered for config->stall_s seconds, the waiting thread says what it sees:
 * messages sent and received, actors alive, lengths of the queues. A worker that computes all the time, without
 * looking for work, is in a long behaviour, or in a gulp of many, which it counts at its end: that is no stall; nor is a
 * detached actor that computes. A behaviour that blocks for longer counts as one.
 *
 * Needs the counters; without them, and on the virtual engine, which finds deadlocks itself, it waits as long as it
 * takes.
 */

#include <stdint.h>

struct al_system;

/* Wait until all worker threads, and those of detached actors, have ended. For al_system_stop. */
void al_stall_join(struct al_system *system);

#endif
