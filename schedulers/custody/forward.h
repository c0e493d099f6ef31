/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_FORWARD_H
#define AL_CUSTODY_FORWARD_H

/* What a worker keeps about floods of its queue, which are brought forward (forward.c). */

#include "core/plugin/scheduler.h"

/* The owner's. */
struct al_flood {
    uint32_t at;       /* chunks of the queue: when it looks around in any case */
    uint32_t settled;  /* chunks of the queue, the least lately */
    uint32_t patience; /* doublings of what the queue must grow by */
    uint64_t old_due;  /* of n_delivered: when it may bring messages forward again */
};

/* If the queue has grown fast, bring forward what is sent to few actors. At each look around.
 * Owner only. */
void al_custody_watch_growth(struct al_worker *self);

#endif
