/* SPDX-License-Identifier: MIT */

/*
 * Longest victim: the worker whose last attempt to steal is longest ago, since a worker that has
 * not had to steal has most to do. Source: Cforall actors chapter, section "Victim Selection". Each
 * attempt updates the thief's timestamp and searches all of them, one after another in one array.
 *
 * Each thief writes its own timestamp alone; others read it as a hint, relaxed. It counts cycles
 * where all PUs count them alike, else it is the clock. Equal ones, as at the start, go to the
 * first worker after the thief, so that thieves that start together spread out.
 */

#include "schedulers/victims/victims.h"

#include <errno.h>
#include <stdlib.h>

#include "core/plugin/scheduler.h"

static int longest_init(struct al_runtime *system, struct al_error *error)
{
    struct al_atomic_u64 *stamps = al_malloc(system->n_workers * sizeof *stamps);
    if (stamps == NULL)
        return al_error_set(error, -ENOMEM, "no memory for %u timestamps", system->n_workers);
    uint64_t now = al_stamp(system);
    for (uint32_t i = 0; i < system->n_workers; i++)
        al_u64_store_relaxed(&stamps[i], now);
    system->victim_state = stamps;
    return 0;
}

static void longest_fini(struct al_runtime *system)
{
    al_free(system->victim_state);
}

static uint32_t longest_pick(struct al_worker *thief)
{
    struct al_atomic_u64 *stamps = thief->system->victim_state;
    uint32_t n = thief->system->n_workers;
    al_u64_store_relaxed(&stamps[thief->id], al_stamp(thief->system));
    uint32_t oldest = AL_NO_WORKER;
    uint64_t oldest_stamp = UINT64_MAX;
    for (uint32_t i = thief->id + 1; i != thief->id + n; i++) {
        uint32_t id = i < n ? i : i - n;
        uint64_t stamp = al_u64_load_relaxed(&stamps[id]);
        if (stamp < oldest_stamp) {
            oldest = id;
            oldest_stamp = stamp;
        }
    }
    return oldest;
}

const struct al_victim_ops al_victim_longest = {
    .plugin = {"longest", "the worker whose last attempt to steal is longest ago", NULL},
    .init = longest_init,
    .fini = longest_fini,
    .pick = longest_pick,
};
