/* SPDX-License-Identifier: MIT */
#ifndef AL_WATERMARK_H
#define AL_WATERMARK_H

/*
 * The high-water mark of the memory in queues: the most that all queues of a system held at once.
 *
 * Each worker keeps its own balance, so that giving back a slot, which reclamation does with every
 * gulp, touches no shared line. Whoever makes a queue grow adds up all balances and remembers the
 * largest sum; that costs a look at each worker, once for a queue that doubles. Resizes that
 * overlap such a sum may or may not be in it. The simulated machine charges for none of this; but,
 * as for all work that it does not charge, it first lets the worker's stores leave the store
 * buffer.
 *
 * Empty queues of a system that has just started count as 0: what is added up is growth.
 */

#include <stdint.h>

struct al_system;

/* A queue of the calling thread's system grew or shrank. Nothing if the thread has no system, or in
 * a build without counters. */
void al_queue_resized(uint64_t from_bytes, uint64_t to_bytes);

/* How many bytes more all queues held at the high-water mark than they do now. After the workers
 * have ended. */
uint64_t al_watermark_above_now(const struct al_system *system);

#endif
