/* SPDX-License-Identifier: MIT */
#ifndef AL_STALL_H
#define AL_STALL_H

/*
 * Waiting for workers, but not for ever: a message that a strategy has lost leaves its receiver
 * alive and every worker idle. If no message is sent or delivered for config->stall_s seconds, and
 * none is to be sent later, the waiting thread reports the messages sent and received, the actors
 * alive and the lengths of the queues. A worker that computes all the time without looking for work
 * is in a long behaviour, or in a gulp of many messages, which it counts at its end: that is no
 * stall, nor is a detached actor that computes. A behaviour that blocks for longer counts as one.
 *
 * This needs the counters. Without them it waits as long as it takes; so it does on the virtual
 * engine, which finds deadlocks itself.
 */

#include <stdint.h>

struct al_system;

/* Wait until all worker threads, and those of detached actors, have ended. For al_system_stop. */
void al_stall_join(struct al_system *system);

#endif
