/* SPDX-License-Identifier: MIT */

/* Look again at once, as the chapter's executor does. */

#include "schedulers/idle/idles.h"

#include "core/plugin/scheduler.h"

/* With more workers than PUs a worker that spins holds up one that works: it gives the PU away
 * after so many looks. */
#define MISSES_PER_YIELD 16

static uint64_t spin_wait(struct al_worker *self, uint64_t misses, uint64_t alike)
{
    if (!self->system->oversubscribed)
        return al_pause_unchanged(alike);
    if (misses % MISSES_PER_YIELD == 0)
        al_yield();
    else
        al_pause();
    return 0;
}

const struct al_idle_ops al_idle_spin = {
    .plugin = {"spin", "look again after a pause instruction; yields if oversubscribed", NULL},
    .always_runs = true,
    .wait = spin_wait,
};
