/* SPDX-License-Identifier: MIT */
#include "core/bound.h"

#include "core/error.h"
#include "core/later.h"
#include "core/sync/sync.h"

#define SLEEPER (UINT64_C(1) << 32)

void al_bound_init(struct al_bound *bound, uint32_t most)
{
    if (most == 0)
        al_fatal("al_bound_init: nothing could ever be sent; valid: 1 or more messages");
    *bound = (struct al_bound){.most = most};
}

bool al_bound_enter(struct al_bound *bound)
{
    /* relaxed, both: it only counts; the send publishes the message */
    uint64_t word = al_u64_load_relaxed(&bound->word);
    do {
        if ((uint32_t)word >= bound->most)
            return false;
    } while (!al_u64_cas_relaxed(&bound->word, &word, word + 1));
    return true;
}

bool al_bound_wait(struct al_bound *bound, uint64_t ns)
{
    if (al_bound_enter(bound))
        return true;
    uint64_t began = al_clock_ns(), passed = 0, sleeper = 0; /* or SLEEPER: it is counted */
    for (;;) {
        /* acquire: partner is the add in al_bound_leave. Who sees that signal sees the room. */
        uint32_t signals = al_u32_load_acquire(&bound->signals);
        uint64_t word = al_u64_load_relaxed(&bound->word);
        if ((uint32_t)word < bound->most) {
            if (al_u64_cas_relaxed(&bound->word, &word, word + 1 - sleeper))
                return true;
        } else if (passed >= ns) {
            break;
        } else if (sleeper == 0) {
            /* release: partner is the add in al_bound_leave, whose signal comes after the load of
             * `signals` above if it sees this */
            if (al_u64_cas_acq_rel(&bound->word, &word, word + SLEEPER))
                sleeper = SLEEPER;
        } else {
            al_park_for(&bound->signals, signals, ns != UINT64_MAX ? ns - passed : ns);
        }
        passed = al_clock_ns() - began;
    }
    al_u64_add_relaxed(&bound->word, -sleeper);
    return false;
}

void al_bound_leave(struct al_bound *bound)
{
    /* acquire: as above */
    if (al_u64_add_acq_rel(&bound->word, UINT64_MAX) < SLEEPER)
        return;
    al_u32_add_acq_rel(&bound->signals, 1); /* release: as above */
    al_unpark(&bound->signals, 1);
}
