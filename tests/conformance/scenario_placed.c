/* SPDX-License-Identifier: MIT */

/*
 * placed: the worker that `enter` promises for an actor's first run. Promises: it is a worker or
 * AL_NO_WORKER; without stealing, an actor whose first message comes from outside runs on that
 * worker. And advice of any kind, from outside and from a behaviour, leaves an actor with a home.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/victims/victims.h"
#include "tests/conformance/combinations.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define EACH 3 /* actors per way of placing */

struct greeting {
    struct al_message message;
};

struct guest {
    struct al_actor actor;
    uint32_t promised, ran_on;
    uint32_t way;        /* how it was placed, and how its child will be */
    struct guest *child; /* created by the guest, or NULL */
};

/* Ways of placing; the last one is near another. More follow: on each worker. */
static const enum al_placement placements[] = {AL_PLACE_ANYWHERE, AL_PLACE_HUB, AL_PLACE_SPREAD,
                                               AL_PLACE_ANYWHERE};
#define N_PLACEMENTS (sizeof placements / sizeof *placements)
#define WAY_NEAR     (N_PLACEMENTS - 1)

AL_ACTOR(guest)
AL_MESSAGE(greeting)

static void check_promise(uint32_t promised)
{
    CHECK(promised == AL_NO_WORKER || promised < al_workers(),
          "enter promised worker %u of %u; valid: one of them, or AL_NO_WORKER", promised,
          al_workers());
}

/* A strategy must not rely on what the storage held before. */
static void enter(struct guest *guest, struct guest *child, uint32_t way, struct guest *other)
{
    memset(guest, 0xa5, sizeof *guest);
    guest->child = child;
    guest->ran_on = guest->promised = AL_NO_WORKER;
    guest->way = way;
    if (way >= N_PLACEMENTS)
        guest->promised = al_actor_enter_guest(guest, AL_PLACE_WORKER,
                                               way - (uint32_t)N_PLACEMENTS);
    else if (way == WAY_NEAR)
        al_actor_init_near(guest, guest, &other->actor);
    else
        guest->promised = al_actor_enter_guest(guest, placements[way], AL_NO_WORKER);
    check_promise(guest->promised);
}

AL_BEHAVIOUR(guest, greeting, self, msg)
{
    self->ran_on = al_self()->id;
    if (self->child != NULL) {
        enter(self->child, NULL, self->way % N_PLACEMENTS, self);
        al_send(guest, greeting, self->child, msg);
    }
    return AL_FINISHED;
}

/* Nobody steals, so that an actor stays where it was placed. */
void run_placed(const struct al_config *config, bool large)
{
    (void)large;
    struct al_config quiet = *config;
    struct al_setting kept[SETTINGS_MOST];
    size_t index;
    quiet.victim = &al_victim_none;
    quiet.settings = kept;
    quiet.n_settings = 0;
    for (size_t i = 0; i < config->n_settings; i++)
        if (!al_option_matches(&config->victim->plugin, config->settings[i].key, &index))
            kept[quiet.n_settings++] = config->settings[i];
    struct al_system *system = start_system(&quiet);
    uint32_t n = (al_workers() + (uint32_t)N_PLACEMENTS) * EACH;
    struct guest *guests = calloc(2 * n, sizeof *guests), *children = guests + n;
    CHECK(guests != NULL, "no memory");
    struct greeting greeting;
    al_message_init(greeting, &greeting, AL_NODELETE);
    for (uint32_t i = 0; i < n; i++)
        enter(&guests[i], &children[i], i / EACH, &guests[i - (i != 0)]);
    for (uint32_t i = 0; i < n; i++)
        al_send(guest, greeting, &guests[i], &greeting);
    stop_system(system);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(guests[i].ran_on < config->workers && children[i].ran_on < config->workers,
              "actor %u never ran", i);
        CHECK(guests[i].promised == AL_NO_WORKER || guests[i].promised == guests[i].ran_on,
              "enter promised worker %u for actor %u, which ran on worker %u", guests[i].promised,
              i, guests[i].ran_on);
    }
    al_message_fini(&greeting.message);
    free(guests);
}
