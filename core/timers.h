/* SPDX-License-Identifier: MIT */
#ifndef AL_TIMERS_H
#define AL_TIMERS_H

/*
 * Messages that are sent later (core/later.h). A worker keeps those that the
 * behaviours which it ran have asked for, and sends them when they are due: its loop looks between
 * two messages or batches, and does not sleep beyond the first of them. Some looks read the clock;
 * the others cost a decrement. Without timers, a look costs a load and a branch.
 *
 * Invariants
 *   (1) only the worker reads and writes its timers, but for peeks at timer_due, and a poke that
 *       sets it when the system is cancelled (core/cancel.h)
 *   (2) heap[i] is due no earlier than its parent, heap[(i - 1) / 4]; of two that are due at the
 *       same time the one that was asked for first is sent first
 *   (3) self->timer_due is when heap[0] is due, or 0 without timers, but for such a poke
 */

#include "core/worker.h"

/* Ask for a message to be sent at that time, on al_clock_ns. Behind al_send_at. */
void al_timers_add(struct al_worker *self, uint64_t due, const struct al_envelope *envelope);

/* Read the clock, send what is due, and look whether the system was cancelled. Returns whether
 * anything was due. Owner only; behind al_timers_look. */
bool al_timers_send_due(struct al_worker *self);

/* The worker has nothing else to do: its next look reads the clock. Owner only. */
void al_timers_hurry(struct al_worker *self);

/* How many ns until the first timer is due, 0 if it is; UINT64_MAX without timers. Owner only. */
uint64_t al_timers_left(struct al_worker *self);

/* Sleep while *word == expected, but not beyond the first timer; may return early. Owner only. */
void al_timers_park(struct al_worker *self, struct al_atomic_u32 *word, uint32_t expected);

/* Forget what was to be sent later: send it to be dropped. Owner only; behind al_cancel_sends. */
void al_timers_drop(struct al_worker *self);

/* Free what a worker has. After the workers have ended. */
void al_timers_fini(struct al_worker *worker);

/* Whether the worker has timers, none of which should have been sent long before `now`, on
 * al_clock_ns. Any thread may ask, for a hint. */
bool al_timers_wait(const struct al_worker *worker, uint64_t now);

/* For the loop of a strategy, between two turns: send what is due. Returns whether anything was.
 * Owner only. */
static inline bool al_timers_look(struct al_worker *self)
{
    return __builtin_expect(self->timer_due != 0, 0) && --self->timer_looks == 0 &&
           al_timers_send_due(self);
}

#endif
