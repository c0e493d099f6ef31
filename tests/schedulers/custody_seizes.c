/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: an actor whose behaviour does not end before others have run, which are on
 * the same worker. Promise: a worker without work takes them over, with what the behaviour has sent
 * to them, now or later, and with what comes from outside; each gets all of it, in order. Also if
 * those without work sleep, with each idle policy. On threads, and on the virtual engine with many
 * seeds. A promise that is broken shows as a livelock.
 */

#include <string.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define SEEDS         20
#define RECEIVERS     8
#define ROUNDS        3
#define MOST          100 /* messages to each receiver in a round: more than a chunk has room for */
#define SETTINGS_MOST 8
#define TURNS         300 /* so many that others have asked for messages before the middle one */

struct turn {
    struct al_message message;
};

struct numbered {
    struct al_message message;
    uint32_t number;
};

struct scene {
    const char *promise;
    uint32_t n; /* messages to each receiver in a round */
    uint32_t rounds;
    bool outside;  /* the starter sends them */
    bool observed; /* in one of many turns, whose messages are counted; and the receivers end */
};

struct waiter {
    struct al_actor actor;
    uint32_t n; /* turns that it has had */
    struct turn turns[TURNS];
};

struct receiver {
    struct al_actor actor;
    struct al_atomic_u32 got, gone;
    struct numbered messages[ROUNDS * MOST];
};

struct stage {
    struct al_config config;
    struct al_setting settings[SETTINGS_MOST + SHORT_SLEEPS_MOST];
    const struct scene *scene;
    struct al_atomic_u32 round; /* the starter may send those of this one */
    struct waiter waiter;
    struct receiver receivers[RECEIVERS];
    uintptr_t routes[RECEIVERS]; /* theirs */
};

static struct stage stage;

AL_ACTOR(waiter)
AL_ACTOR_WITH_DESTRUCTOR(receiver, spoil)
AL_MESSAGE(turn)
AL_MESSAGE(numbered)

AL_BEHAVIOUR(receiver, numbered, self, msg)
{
    uint32_t got = al_u32_load_relaxed(&self->got);
    CHECK(msg->number == got, "message %u arrives where %u was due", msg->number, got);
    al_u32_store_relaxed(&self->got, ++got);
    return got == stage.scene->n * stage.scene->rounds ? AL_DESTROY : AL_NODELETE;
}

/* Its memory is somebody else's from now on. */
static void spoil(struct receiver *self)
{
    self->actor.route = (uintptr_t)1 << 40;
    al_u32_store_release(&self->gone, 1);
}

static void send_round(uint32_t round)
{
    uint32_t n = stage.scene->n;
    for (uint32_t i = round * n; i < (round + 1) * n; i++)
        for (uint32_t r = 0; r < RECEIVERS; r++)
            al_send(receiver, numbered, &stage.receivers[r], &stage.receivers[r].messages[i]);
}

/* Wait until all have got what they should after this round, but for the actors of the waiter's own
 * shard, which nobody may run meanwhile. */
static void await_round(const struct waiter *self, uint32_t round)
{
    for (uint32_t r = 0; r < RECEIVERS; r++) {
        const struct receiver *receiver = &stage.receivers[r];
        while (stage.routes[r] != self->actor.route &&
               (al_u32_load_relaxed(&receiver->got) < (round + 1) * stage.scene->n ||
                (stage.scene->observed && al_u32_load_acquire(&receiver->gone) == 0)))
            al_yield();
    }
}

static uint32_t n_turns(void)
{
    return stage.scene->observed ? TURNS : 1;
}

AL_BEHAVIOUR(waiter, turn, self, msg)
{
    enum al_verdict verdict = ++self->n == n_turns() ? AL_FINISHED : AL_NODELETE;
    if (self->n != n_turns() / 2 + 1) {
        al_yield();
        return verdict;
    }
    for (uint32_t round = 0; round < stage.scene->rounds; round++) {
        if (stage.scene->outside)
            al_u32_store_release(&stage.round, round + 1);
        else
            send_round(round);
        await_round(self, round);
    }
    return verdict;
}

static void run_actors(void *argument)
{
    struct al_system *system;
    struct al_error error;
    (void)argument;
    CHECK(al_system_start(&stage.config, &system, &error) == 0, "%s", error.text);
    al_actor_init_on(waiter, &stage.waiter, 0);
    for (uint32_t r = 0; r < RECEIVERS; r++) {
        al_actor_init_on(receiver, &stage.receivers[r], 0);
        stage.routes[r] = stage.receivers[r].actor.route;
        for (uint32_t i = 0; i < ROUNDS * MOST; i++) {
            al_message_init(numbered, &stage.receivers[r].messages[i], AL_NODELETE);
            stage.receivers[r].messages[i].number = i;
        }
    }
    for (uint32_t i = 0; i < n_turns(); i++) {
        al_message_init(turn, &stage.waiter.turns[i], AL_NODELETE);
        al_send(waiter, turn, &stage.waiter, &stage.waiter.turns[i]);
    }
    for (uint32_t round = 0; stage.scene->outside && round < stage.scene->rounds; round++) {
        while (al_u32_load_acquire(&stage.round) <= round)
            al_yield();
        send_round(round);
    }
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

static const struct scene scenes[] = {
    {"others run what a behaviour has sent before it waits", 1, 1, false, false},
    {"and what it sends later", 3, ROUNDS, false, false},
    {"and more than a chunk has room for", MOST, ROUNDS, false, false},
    {"and what comes from outside", 3, ROUNDS, true, false},
    {"and its own worker does not look at receivers that are gone", 1, 1, false, true},
};

#define N_FEW      2
#define N_SETTINGS (sizeof settings / sizeof *settings)
/* With all of them a worker looks after each message for who asks, and then observes. */
static const struct al_setting settings[] = {
    {"seize", "1"}, {"shards", "8"}, {"quantum", "0"},
    {"worth", "0"}, {"split", "0"},  {"exchange_message", "1000000"},
};

/* False: the policy is for other strategies. */
static bool run_scene(const struct scene *scene, const char *idle, uint64_t seed)
{
    struct al_choice choice = {"custody", NULL, idle};
    struct al_error error;
    memset(&stage, 0, sizeof stage);
    stage.scene = scene;
    if (al_choose(&choice, &stage.config, &error) != 0)
        return false;
    _Static_assert(N_SETTINGS <= SETTINGS_MOST, "they need more room");
    memcpy(stage.settings, settings, sizeof settings);
    size_t n_settings = scene->observed ? N_SETTINGS : N_FEW;
    oversubscribe(&stage.config, stage.settings, n_settings, 2 + (uint32_t)(seed % 3), seed);
    (void)run_seed(seed, run_actors, NULL);
    return true;
}

int main(void)
{
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (size_t idle = 0; al_idles[idle] != NULL; idle++) {
            bool runs = true;
            for (uint64_t seed = 0; seed < SEEDS && runs; seed++)
                runs = run_scene(&scenes[i], al_idles[idle]->name, seed);
            if (runs)
                tap_ok(&tap, true, "%s: %s", al_idles[idle]->name, scenes[i].promise);
        }
    }
    return tap_done(&tap);
}
