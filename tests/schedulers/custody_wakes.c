/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody with workers that sleep: worker 0 has actors that always have messages; the
 * others sleep before the first of these runs, and whoever takes some over stays in the behaviour
 * of the first. Promise: all workers take some over, although the one that gives has had enough to
 * give ever since it woke the first of them. On threads, and on the virtual engine (AL_VIRTUAL)
 * with many seeds. A promise that is broken shows as a livelock.
 */

#include <string.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"

#ifdef AL_VIRTUAL
#define SEEDS 1000
#else
#define SEEDS 100
#endif
#define WORKERS 3
#define ACTORS  8
#define FALL    3000 /* yields in which the others fall asleep */

struct turn {
    struct al_message message;
};

struct busy {
    struct al_actor actor;
    struct turn turn;
};

struct stage {
    struct al_config config;
    struct al_setting settings[8];
    struct al_atomic_u32 ready;
    struct al_atomic_u32 workers; /* that have run an actor, a bit each */
    struct busy busy[ACTORS];
};

static struct stage stage;

AL_ACTOR(busy)
AL_MESSAGE(turn)

AL_BEHAVIOUR(busy, turn, self, msg)
{
    static const uint32_t all = (1u << WORKERS) - 1;
    uint32_t bit = 1u << al_worker_number();
    if (al_u32_load_acquire(&stage.ready) == 0) {
        for (uint32_t i = 0; i < FALL; i++)
            al_yield();
        al_u32_store_release(&stage.ready, 1);
    }
    uint32_t bits = al_u32_load_relaxed(&stage.workers);
    while ((bits & bit) == 0 && !al_u32_cas_relaxed(&stage.workers, &bits, bits | bit))
        ;
    while (bit != 1 && al_u32_load_acquire(&stage.workers) != all)
        al_yield();
    if (al_u32_load_relaxed(&stage.workers) == all)
        return AL_FINISHED;
    al_send(busy, turn, self, msg);
    return AL_NODELETE;
}

static void run_actors(void *argument)
{
    struct al_system *system;
    struct al_error error;
    (void)argument;
    CHECK(al_system_start(&stage.config, &system, &error) == 0, "%s", error.text);
    for (uint32_t i = 0; i < ACTORS; i++) {
        al_actor_init_on(busy, &stage.busy[i], 0);
        al_message_init(turn, &stage.busy[i].turn, AL_NODELETE);
    }
    for (uint32_t i = 0; i < ACTORS; i++)
        al_send(busy, turn, &stage.busy[i], &stage.busy[i].turn);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

int main(void)
{
    static const struct al_setting settings[] = {{"shards", "4"},         {"exchange_message", "0"},
                                                 {"exchange_chunk", "0"}, {"worth", "0"},
                                                 {"quantum", "1"},        {"epoch", "0"},
                                                 {"park_spin", "0"},      {"seize", "0"}};
    struct tap tap = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        memset(&stage, 0, sizeof stage);
        choose_plugins(&stage.config, "custody", NULL, "park");
        memcpy(stage.settings, settings, sizeof settings);
        stage.config.settings = stage.settings;
        stage.config.n_settings = sizeof settings / sizeof *settings;
        stage.config.workers = WORKERS;
        stage.config.oversubscribe = true;
        stage.config.seed = seed;
        (void)run_seed(seed, run_actors, NULL);
    }
    tap_ok(&tap, true, "a worker that has enough for several wakes several");
    return tap_done(&tap);
}
