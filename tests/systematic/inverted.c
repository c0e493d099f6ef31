/* SPDX-License-Identifier: MIT */

/* Who wakes whom in `inverted` (schedulers/inverted/wake.h), while thieves swap slots. */

#include "schedulers/inverted/inverted.h"
#include "schedulers/inverted/qpcas.h"
#include "tests/systematic/systems.h"

/* Worker 1 takes the mailbox of worker 0 for its own. What a thief looks at before that has no part
 * in who wakes whom. */
static void take(struct al_runtime *system)
{
    struct al_inverted *inverted = system->scheduler_state;
    const struct al_share *mine = system->workers[1].scheduler,
                          *theirs = system->workers[0].scheduler;
    if (al_qpcas(&inverted->owned[mine->first], &inverted->owned[theirs->first]) != AL_SWAP_DONE)
        al_scenario_fail("nobody else swaps");
    al_idle_wake(system, 0);
}

static void take_and_send(struct al_worker *self)
{
    take(self->system);
    system_send(NULL);
}

#define INVERTED .plugins = {"inverted", "none", "park"}, .settings = SYSTEM_PARK "shards=1"

static const struct al_scenario scenarios[] = {
    SYSTEMS("inverted", false, INVERTED),
    SYSTEM("inverted/taken", 2, 1, INVERTED, .workers = "rx", .other = take_and_send, .homes = "1"),
    SYSTEM("inverted/taken-before", 2, 1, INVERTED, .workers = "-rs", .homes = "0", .also = take),
};
AL_SCENARIOS(scenarios)
