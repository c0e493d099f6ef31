/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: shards that change hands while their new owner does something else.
 * Promises: a worker that always has work takes over what it is given and what it has asked for;
 * new actors enter shards that the worker still has; a worker that sleeps retires when fewer are to
 * be used. On the virtual engine, with many seeds.
 *
 * Worker 0 acts before it begins its loop: the only time when a test can act for an owner between
 * two messages. A promise that is broken shows as a livelock: somebody waits for what never comes.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define SEEDS      10
#define N_GUESTS   4
#define N_SHARDS   4
#define N_SETTINGS (5 + SHORT_SLEEPS_MOST)

static const uint32_t giver = 0, taker = 1;

struct go {
    struct al_message message;
};

struct scene {
    const char *promise;
    void (*act)(struct al_worker *self); /* as the giver, before its loop; or NULL */
    bool busy, asks;                     /* the taker, for work */
    struct al_setting settings[4];
};

/* On the taker: sends to itself until a guest has come there. */
struct busy {
    struct al_actor actor;
    struct go go;
};

/* On the giver: likewise. */
struct guest {
    struct al_actor actor;
    struct go go;
};

struct stage {
    struct al_config config;
    struct al_setting settings[N_SETTINGS];
    const struct scene *scene;
    struct al_atomic_u32 begun, came;
    struct busy busy;
    struct guest guests[N_GUESTS];
};

static struct stage stage;

AL_ACTOR(busy)
AL_ACTOR(guest)
AL_MESSAGE(go)

AL_BEHAVIOUR(busy, go, self, msg)
{
    struct al_worker *worker = al_self();
    const struct al_custodian *mine = worker->scheduler;
    al_u32_store_relaxed(&stage.begun, 1);
    if (al_u32_load_relaxed(&stage.came) != 0)
        return AL_FINISHED;
    if (stage.scene->asks && mine->asking.whom == 0)
        (void)al_custody_ask(worker, mine->asking.at + 2); /* as many looks as it takes */
    al_send(busy, go, self, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR(guest, go, self, msg)
{
    if (al_self()->id == taker)
        al_u32_store_relaxed(&stage.came, 1);
    if (al_u32_load_relaxed(&stage.came) != 0)
        return AL_FINISHED;
    al_send(guest, go, self, msg);
    return AL_NODELETE;
}

static void run_giver(struct al_worker *self)
{
    if (self->id == giver && stage.scene->act != NULL)
        stage.scene->act(self);
    al_custody_run(self);
}

static void run_actors(void *argument)
{
    struct al_system *system;
    struct al_error error;
    (void)argument;
    CHECK(al_system_start(&stage.config, &system, &error) == 0, "%s", error.text);
    for (uint32_t i = 0; i < N_GUESTS; i++) {
        al_message_init(go, &stage.guests[i].go, AL_NODELETE);
        al_actor_init_on(guest, &stage.guests[i], giver);
    }
    al_message_init(go, &stage.busy.go, AL_NODELETE);
    if (stage.scene->busy) {
        al_actor_init_on(busy, &stage.busy, taker);
        al_send(busy, go, &stage.busy, &stage.busy.go);
    }
    for (uint32_t i = 0; i < N_GUESTS; i++)
        al_send(guest, go, &stage.guests[i], &stage.guests[i].go);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

/* Give all shards but one to the taker, which is busy. */
static void give(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_shard *given = NULL;
    while (al_u32_load_relaxed(&stage.begun) == 0)
        al_yield();
    al_custody_flush(self);
    while (mine->n_own > 1)
        given = al_custody_disown(self, mine->own[mine->n_own - 1].shard, taker, given);
    al_custody_donate(self, given, taker);
}

/* Where the next new actor of this worker enters. */
static uint32_t enter(struct al_worker *self)
{
    struct al_actor actor = {0};
    const struct al_custodian *mine = self->scheduler;
    uint32_t where = al_custody_enter(self, &actor, AL_PLACE_ANYWHERE, AL_NO_WORKER);
    CHECK(where == self->id && mine->routes.to[actor.route] == &mine->routes.own,
          "an actor should enter worker %u, and its shard is another worker's", where);
    return (uint32_t)actor.route;
}

/* Give away the shard that the next actors would enter, in the midst of a block of them. */
static void give_entered(struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    uint32_t number;
    do
        number = enter(self);
    while (mine->deal.left == 0);
    al_custody_flush(self);
    al_custody_donate(
        self, al_custody_disown(self, &al_custody_of(self)->shards[number], taker, NULL), taker);
    CHECK(enter(self) != number, "shard %u was given away", number);
    al_u32_store_relaxed(&stage.came, 1);
}

/* Make the next look decide that one worker is enough, and wait for what the other one has. */
static void use_fewer(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    struct al_look *look = &custody->look;
    const uint64_t elapsed = (uint64_t)1 << 38, much = 4 * elapsed;
    for (uint32_t i = 0; i < 2000; i++) /* meanwhile the other worker falls asleep */
        al_yield();
    uint64_t now = al_cycles();
    al_spinlock_lock(&look->lock);
    look->since = now;
    look->elapsed = elapsed;
    look->one = (struct al_fewer){.load = much, .saved = much};
    look->epochs = 100;
    look->settled = 0;
    al_u64_store_relaxed(&custody->deadline, now - 1);
    al_expose(mine->n_delivered, mine->n_delivered + 1);
    al_spinlock_unlock(&look->lock);
    al_custody_consolidate(self, now, false);
    CHECK(al_u32_load_relaxed(&custody->active) == 1, "%u workers are in use",
          al_u32_load_relaxed(&custody->active));
    for (uint32_t number = taker * N_SHARDS; number < (taker + 1) * N_SHARDS;) {
        if (mine->routes.to[number] == &mine->routes.own)
            number++;
        else if (!al_custody_receive(self))
            al_yield();
    }
    al_u32_store_relaxed(&stage.came, 1);
}

static const struct scene scenes[] = {
    {"a busy worker takes over what it is given", give, true, false, {{"epoch", "0"}}},
    {"and what it has asked for",
     NULL,
     true,
     true,
     {{"epoch", "0"}, {"worth", "0"}, {"exchange_message", "0"}}},
    {"new actors enter shards that the worker still has",
     give_entered,
     false,
     false,
     {{"epoch", "0"}}},
    {"a worker that sleeps retires when fewer are to be used", use_fewer, false, false, {{0}}},
};

static void run_scene(const struct scene *scene, const char *idle, uint64_t seed)
{
    struct al_scheduler_ops ops;
    size_t n = 0;
    memset(&stage, 0, sizeof stage);
    stage.scene = scene;
    choose_plugins(&stage.config, "custody", NULL, idle);
    ops = *stage.config.scheduler;
    ops.run = run_giver;
    stage.config.scheduler = &ops;
    for (; scene->settings[n].key != NULL; n++)
        stage.settings[n] = scene->settings[n];
    stage.settings[n++] = (struct al_setting){"shards", "4"};
    stage.settings[n++] = (struct al_setting){"seize", "0"};
    oversubscribe(&stage.config, stage.settings, n, 2, seed);
    (void)run_seed(seed, run_actors, NULL);
}

int main(void)
{
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            run_scene(&scenes[i], "spin", seed);
            run_scene(&scenes[i], "park", seed);
        }
        tap_ok(&tap, true, "%s", scenes[i].promise);
    }
    return tap_done(&tap);
}
