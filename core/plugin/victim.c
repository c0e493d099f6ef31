/* SPDX-License-Identifier: MIT */
#include "core/plugin/victim.h"

#include "core/machine/locality.h"
#include "core/plugin/scheduler.h"

void al_victim_check(const struct al_worker *thief, uint32_t victim)
{
    uint32_t n = thief->system->n_workers;
    if (victim != AL_NO_WORKER && (victim >= n || victim == thief->id))
        al_fatal("victim heuristic '%s' named worker %u to thief %u; valid: another one below %u, "
                 "or none",
                 thief->system->victim_ops->plugin.name, victim, thief->id, n);
}

void al_stole(struct al_worker *thief, uint32_t victim, uint32_t queues, uint64_t messages)
{
    AL_COUNT(thief, steals, 1);
    AL_COUNT(thief, queues_stolen, queues);
    AL_COUNT(thief, messages_stolen, messages);
#if AL_COUNTERS
    thief->steals_by_level[al_locality_distance(thief->system->locality, thief->id, victim)]++;
#endif
    if (thief->trace != NULL)
        al_trace_attempted(thief, AL_TRACE_STEAL, victim, queues, messages);
}
