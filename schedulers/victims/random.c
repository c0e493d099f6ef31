/* SPDX-License-Identifier: MIT */

/* Any other worker, uniformly: randomised work stealing (Blumofe and Leiserson). */

#include "schedulers/victims/victims.h"

#include "core/plugin/scheduler.h"

static uint32_t random_pick(struct al_worker *thief)
{
    uint32_t id = al_random_below(&thief->random, thief->system->n_workers - 1);
    return id + (id >= thief->id);
}

const struct al_victim_ops al_victim_random = {
    .plugin = {"random", "any other worker, uniformly", NULL},
    .pick = random_pick,
};
