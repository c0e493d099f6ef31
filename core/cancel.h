/* SPDX-License-Identifier: MIT */
#ifndef AL_CANCEL_H
#define AL_CANCEL_H

/*
 * The end of a system whose actors live on (al_system_cancel). A worker that has nothing to run
 * leaves its loop, as at any end. One that runs messages finds out when it looks for timers, and
 * from then on drops what its behaviours send; so it has nothing to run once it has run what waits.
 *
 *     who cancels   sets `cancelled`; membarrier(); stores each worker's timer_due
 *     a worker      reads timer_due between two turns; if it is set, sends what is due, and as the
 *                   last step, after its own last store of timer_due, reads `cancelled`
 *
 * So a worker that has no timers pays nothing to be told. tests/models/cancel.py looks at every
 * interleaving.
 */

#include "core/system_private.h"

/* What a worker reads as the time of its first timer while it has none, to look in any case. */
#define AL_TIMER_POKED 1

/* Whether al_system_cancel was called. Any thread. */
static inline bool al_cancelled(const struct al_system *system)
{
    return al_u32_load_relaxed(&system->cancelled) != 0; /* relaxed: see above */
}

/* From now on drop what is sent, as the messages' verdicts say. Owner only. */
void al_cancel_sends(struct al_worker *self);

#endif
