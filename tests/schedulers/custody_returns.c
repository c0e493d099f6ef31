/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: a worker that is in use again gets what it had, and no more. Promise: it
 * gets the shards that it lent; if it has asked their holder for work meanwhile, that is refused;
 * the request of another worker is left to be answered. What it has got back is lent no more. On
 * threads, and on the virtual engine
 * (AL_VIRTUAL) with many seeds.
 *
 * Worker 0 plays the holder before it begins its loop: the only time when a test can act for an
 * owner between two messages.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define SEEDS     10
#define N_LENT    5
#define N_WORKERS 3

static const uint32_t holder = 0, returning = 1, other = 2;

/* Give back N_LENT shards while `thief` asks. Returns whether it was refused. */
static bool hand_back(struct al_worker *self, uint32_t thief)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custodian *theirs = self->system->workers[thief].scheduler;
    uint32_t n_own = mine->n_own;
    CHECK(n_own > N_LENT, "the holder has %u shards", n_own);
    for (uint32_t i = 0; i < N_LENT; i++)
        mine->own[2 * i % n_own].shard->lent_by = returning + 1;
    al_u32_store_relaxed(&mine->request, thief + 1); /* relaxed: nobody else asks a worker without
                                                      * load, and it answers itself */
    al_custody_hand_back(self);
    CHECK(mine->n_own == n_own - N_LENT, "of %u shards the holder kept %u", n_own, mine->n_own);
    bool refused = al_u32_load_relaxed(&mine->request) == 0; /* relaxed: as above */
    CHECK(al_ptr_load_relaxed(&theirs->grant) == (refused ? AL_REFUSED : NULL),
          "a request of worker %u that %s no more has %s answer", thief,
          refused ? "waits" : "does not wait", refused ? "no" : "an");
    /* relaxed: the thief has not asked, so it does not look */
    al_u32_store_relaxed(&mine->request, 0);
    al_ptr_store_relaxed(&theirs->grant, NULL);
    return refused;
}

/* What has come back is lent no more: were it given away for good later, its next owner would give
 * it back. */
static void take_back(struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    uint32_t all = mine->n_own + 2 * N_LENT; /* the holder does it twice */
    while (mine->n_own < all)
        if (!al_custody_receive(self))
            al_yield();
    for (uint32_t i = 0; i < mine->n_own; i++)
        CHECK(mine->own[i].shard->lent_by == 0, "a shard that came back is still lent by worker %u",
              mine->own[i].shard->lent_by - 1);
}

static void run_holder_first(struct al_worker *self)
{
    if (self->id == holder) {
        CHECK(hand_back(self, returning), "worker %u got its shards and may ask for more",
              returning);
        CHECK(!hand_back(self, other), "worker %u, which has lent nothing, was refused", other);
    }
    if (self->id == returning)
        take_back(self);
    al_custody_run(self);
}

static void run_system(void *argument)
{
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(argument, &system, &error) == 0, "%s", error.text);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

int main(void)
{
    static const char *const idles[] = {"spin", "park"};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof idles / sizeof *idles; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct al_config config;
            struct al_setting settings[2 + SHORT_SLEEPS_MOST];
            memset(&config, 0, sizeof config);
            choose_plugins(&config, "custody", NULL, idles[i]);
            struct al_scheduler_ops ops = *config.scheduler;
            ops.run = run_holder_first;
            config.scheduler = &ops;
            settings[0] = (struct al_setting){"shards", "16"};
            settings[1] = (struct al_setting){"seize", "0"};
            oversubscribe(&config, settings, 2, N_WORKERS, seed);
            run_seed(seed, run_system, &config);
        }
        tap_ok(&tap, true, "a worker that returns gets what it had, %s", idles[i]);
    }
    return tap_done(&tap);
}
