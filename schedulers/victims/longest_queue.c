/* SPDX-License-Identifier: MIT */

/*
 * The worker with the longest queue, by ops->length. Source: Linux's load balancer takes from the
 * busiest run queue (kernel/sched/fair.c, find_busiest_queue). Each attempt reads a cache line of
 * every worker. Lengths are guesses. Equal ones go to the first worker after the thief, so that
 * thieves spread out; if all are 0 there is no victim.
 */

#include "schedulers/victims/victims.h"

#include "core/plugin/scheduler.h"

static uint32_t longest_queue_pick(struct al_worker *thief)
{
    const struct al_runtime *system = thief->system;
    uint32_t n = system->n_workers, longest = AL_NO_WORKER;
    uint64_t longest_length = 0;
    for (uint32_t i = thief->id + 1; i != thief->id + n; i++) {
        uint32_t id = i < n ? i : i - n;
        uint64_t length = system->ops->length(&system->workers[id]);
        if (length > longest_length) {
            longest = id;
            longest_length = length;
        }
    }
    return longest;
}

const struct al_victim_ops al_victim_longest_queue = {
    .plugin = {"longest-queue", "the worker with the longest queue", NULL},
    .declines = true,
    .pick = longest_queue_pick,
};
