/* SPDX-License-Identifier: MIT */

/* A system is cancelled whose actor lives on (core/cancel.h): every worker leaves its loop, also
 * one that is about to sleep. Of strategies that do not look at their timers before they sleep:
 * whether they see there what al_system_cancel pokes is no choice point. */

#include "core/cancel.h"
#include "tests/systematic/systems.h"

static struct living {
    struct al_actor actor;
} * living;
AL_ACTOR(living)

static void make_living(struct al_runtime *system)
{
    (void)system;
    living = al_calloc(1, sizeof *living);
    al_actor_init(living, living);
}

static void make_detached(struct al_runtime *system)
{
    (void)system;
    living = al_calloc(1, sizeof *living);
    al_actor_init_at(living, living, AL_PLACE_DETACHED);
}

static void cancel(struct al_worker *self)
{
    al_system_cancel(al_system_of(self->system));
}

#define CANCELLED(text, n, begin, all, also_set, ...)                                              \
    SYSTEM(text, n, 0, .workers = all, .homes = "", .also = begin, .starter = cancel,              \
           .plugins = {__VA_ARGS__}, .settings = also_set)

static const struct al_scenario scenarios[] = {
    CANCELLED("cancelled/custody", 2, make_living, "r",
              SYSTEM_PARK "shards=1 epoch=0 seize=0 split=0 deal=1 grown=0", "custody", "none",
              "park"),
    CANCELLED("cancelled/detached", 1, make_detached, "-", "", "deque", NULL, NULL),
    CANCELLED("cancelled/mercury", 2, make_living, "r", "", "mercury", NULL, NULL),
};
AL_SCENARIOS(scenarios)
