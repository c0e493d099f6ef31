/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: actors of one shard, each of which always has a message. Promise: a few get
 * shards of their own, and half of many another shard together, so that others take some of them
 * over; not while the starting thread is in
 * the middle of a send, or a worker in a behaviour, which may still follow an old route; and what
 * comes from outside meanwhile arrives in order, although the worker sleeps in between. On threads,
 * and on the virtual engine with many seeds. A promise that is broken shows as a livelock.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"

#define SEEDS    20
#define FEW      6    /* actors, each of which is hot */
#define MANY     80   /* none of which is */
#define NUMBERED 600  /* messages from outside, to all together; or so many that all get as many */
#define PATIENCE 6000 /* turns of all together in which none may move */

struct turn {
    struct al_message message;
};

struct numbered {
    struct al_message message;
    uint32_t number;
};

struct hot {
    struct al_actor actor;
    struct turn turn;
    struct numbered numbered[NUMBERED / FEW];
    uint32_t got;
};

/* Who has not acknowledged a split for long. */
enum holder { NOBODY, STARTER, WORKER };

struct waiter {
    struct al_actor actor;
    struct turn turn;
};

struct stage {
    struct al_config config;
    struct al_setting settings[8];
    enum holder holder;
    uint32_t n_actors, n_numbered; /* numbered: to each */
    struct waiter waiter;
    struct al_atomic_u64 got;
    struct al_atomic_u64 turns;
    struct al_atomic_u32 workers; /* that have run an actor, a bit each */
    struct al_atomic_u32 ready;   /* all have their first turn, and the holder holds */
    struct al_atomic_u32 free;    /* they may move */
    struct hot hot[MANY];
};

static struct stage stage;

AL_ACTOR(hot)
AL_ACTOR(waiter)
AL_MESSAGE(turn)
AL_MESSAGE(numbered)

AL_BEHAVIOUR(hot, numbered, self, msg)
{
    CHECK(msg->number == self->got, "message %u arrives where %u was due", msg->number, self->got);
    self->got++;
    al_u64_add_relaxed(&stage.got, 1);
    return stage.holder == WORKER && self->got == stage.n_numbered ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(waiter, turn, self, msg)
{
    while (stage.holder == WORKER && al_u32_load_acquire(&stage.free) == 0)
        al_yield();
    return AL_FINISHED;
}

static bool has_split(void)
{
    const struct al_custody *custody = al_self()->system->scheduler_state;
    return al_u32_load_relaxed(&custody->n_splits) != 0;
}

static bool is_one_bit(uint32_t bits)
{
    return (bits & (bits - 1)) == 0;
}

/* Until another worker has run one of them, and all from outside has come. */
AL_BEHAVIOUR(hot, turn, self, msg)
{
    uint32_t bit = 1u << al_worker_number();
    while (al_u32_load_acquire(&stage.ready) == 0)
        al_yield();
    uint32_t bits = al_u32_load_relaxed(&stage.workers);
    while ((bits & bit) == 0 && !al_u32_cas_relaxed(&stage.workers, &bits, bits | bit))
        ;
    bits |= bit;
    al_u64_add_relaxed(&stage.turns, 1);
    if (stage.holder == WORKER) {
        if (!has_split())
            al_send(hot, turn, self, msg);
        return AL_NODELETE;
    }
    bool free = al_u32_load_acquire(&stage.free) != 0;
    CHECK(free || is_one_bit(bits), "an actor has moved during a send from outside");
    if (free && !is_one_bit(bits) && self->got == stage.n_numbered)
        return AL_FINISHED;
    al_send(hot, turn, self, msg);
    return AL_NODELETE;
}

/* What al_custody_send_external does before and after it reads a route. */
static void turn_over(uint64_t n)
{
    struct al_custodian *starter = al_self()->scheduler;
    al_u64_store_release(&starter->turns, al_u64_load_relaxed(&starter->turns) + n);
}

static void send_numbered(void)
{
    for (uint32_t i = 0; i < stage.n_numbered * stage.n_actors; i++) {
        struct hot *hot = &stage.hot[i % stage.n_actors];
        al_send(hot, numbered, hot, &hot->numbered[i / stage.n_actors]);
        while (stage.holder == WORKER && al_u64_load_relaxed(&stage.got) <= i)
            al_yield();
    }
}

/* All but the first two, who have nothing to do, are woken to acknowledge the split. */
static void await_sleepers(const struct al_runtime *system)
{
    const struct al_custody *custody = system->scheduler_state;
    for (uint32_t w = 2; w < system->n_workers; w++) {
        const struct al_custodian *theirs = system->workers[w].scheduler;
        while (al_u32_load_acquire(&theirs->acknowledged) !=
               al_u32_load_relaxed(&custody->n_splits))
            al_yield();
    }
}

static void make_actors(void)
{
    al_actor_init_on(waiter, &stage.waiter, 1);
    al_message_init(turn, &stage.waiter.turn, AL_NODELETE);
    for (uint32_t a = 0; a < stage.n_actors; a++) {
        struct hot *hot = &stage.hot[a];
        if (a == 0)
            al_actor_init_on(hot, hot, 0);
        else
            al_actor_init_near(hot, hot, &stage.hot[0].actor);
        al_message_init(turn, &hot->turn, AL_NODELETE);
        for (uint32_t i = 0; i < stage.n_numbered; i++) {
            al_message_init(numbered, &hot->numbered[i], AL_NODELETE);
            hot->numbered[i].number = i;
        }
    }
}

static void run_actors(void *argument)
{
    struct al_system *system;
    struct al_error error;
    (void)argument;
    al_u32_store_relaxed(&stage.free, stage.holder == NOBODY);
    CHECK(al_system_start(&stage.config, &system, &error) == 0, "%s", error.text);
    make_actors();
    al_send(waiter, turn, &stage.waiter, &stage.waiter.turn);
    for (uint32_t a = 0; a < stage.n_actors; a++)
        al_send(hot, turn, &stage.hot[a], &stage.hot[a].turn);
    if (stage.holder == STARTER)
        turn_over(1);
    al_u32_store_release(&stage.ready, 1);
    if (stage.holder == STARTER) {
        al_await(&stage.turns, PATIENCE);
        al_u32_store_release(&stage.free, 1);
        turn_over(1);
    }
    while (stage.holder == WORKER && !has_split())
        al_yield();
    if (stage.holder == WORKER)
        await_sleepers(al_self()->system);
    send_numbered();
    al_u32_store_release(&stage.free, 1);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

static void run_scene(enum holder holder, uint32_t n_actors, uint64_t seed)
{
    static const struct al_setting settings[] = {{"shards", "1"},         {"exchange_message", "0"},
                                                 {"exchange_chunk", "0"}, {"worth", "0"},
                                                 {"quantum", "100"},      {"epoch", "0"},
                                                 {"park_spin", "0"}};
    memset(&stage, 0, sizeof stage);
    stage.holder = holder;
    stage.n_actors = n_actors;
    stage.n_numbered = NUMBERED / n_actors;
    bool parks = seed % 2 != 0;
    choose_plugins(&stage.config, "custody", NULL, parks ? "park" : "spin");
    memcpy(stage.settings, settings, sizeof settings);
    stage.config.settings = stage.settings;
    stage.config.n_settings = sizeof settings / sizeof *settings - !parks; /* without park_spin */
    stage.config.workers = (uint32_t)(holder == WORKER ? 3 + seed / 2 % 6 : 2 + seed / 2 % 3);
    stage.config.oversubscribe = true;
    stage.config.seed = seed;
    (void)run_seed(seed, run_actors, NULL);
}

int main(void)
{
    struct tap tap = {0};
    static const char *const promises[] = {
        "those of one shard are parted, and messages from outside keep their order",
        "but not while the starter is in the middle of a send",
        "nor while a worker is in a behaviour, and its owner sleeps"};
    static const uint32_t n_actors[] = {FEW, MANY};
    for (size_t i = 0; i < 2; i++) {
        for (enum holder holder = NOBODY; holder <= WORKER; holder++) {
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                run_scene(holder, n_actors[i], seed);
            tap_ok(&tap, true, "%u actors: %s", n_actors[i], promises[holder]);
        }
    }
    return tap_done(&tap);
}
