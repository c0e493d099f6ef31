/* SPDX-License-Identifier: MIT */

/*
 * Exponential backoff: after each failed look, wait twice as long as before, up to a limit; short
 * waits spin, long ones sleep. Source: future work of the Cforall actors chapter: "a backoff
 * mechanism after failed steals".
 */

#include "schedulers/idle/idles.h"

#include "core/plugin/scheduler.h"

enum option { SPIN, LONGEST_US };

/* A pause instruction takes 40 to 140 cycles on recent x86 cores: about this many take 1 us. */
#define PAUSES_PER_US 32

static const struct al_option options[] = {
    [SPIN] = {"backoff_spin", AL_OPTION_UINT, "256", 1, 1e6, NULL,
              "longest wait that spins, pause instructions; longer ones sleep"},
    [LONGEST_US] = {"backoff_sleep", AL_OPTION_UINT, "1000", 1, 1e7, NULL,
                    "longest sleep, microseconds"},
    {0},
};

static uint64_t backoff_wait(struct al_worker *self, uint64_t misses, uint64_t alike)
{
    (void)alike; /* no wait is like the one before */
    const union al_value *values = self->system->idle.values;
    uint64_t pauses = misses < 40 ? (uint64_t)1 << misses : (uint64_t)1 << 40;
    if (pauses <= values[SPIN].uint) {
        for (uint64_t i = 0; i < pauses; i++)
            al_pause();
        return 0;
    }
    uint64_t us = pauses / PAUSES_PER_US;
    if (us == 0)
        us = 1;
    if (us > values[LONGEST_US].uint)
        us = values[LONGEST_US].uint;
    al_idle_sleep(self, us * 1000);
    return 0;
}

const struct al_idle_ops al_idle_backoff = {
    .plugin = {"backoff", "wait twice as long after each failed look, up to a limit", options},
    .longest_sleep = "backoff_sleep",
    .wait = backoff_wait,
};
