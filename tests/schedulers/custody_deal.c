/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: which shards actors belong to that the starter has placed on workers before
 * its first message. Promise: those placed on a worker are in shards that it owns, in the order of
 * their creation and evenly; a worker that has all of them gets as many shards as all workers have
 * (here: 8), one that has its part keeps its own; and every actor's messages arrive. One that is to
 * be near another is in its shard, whoever creates it and when; those that a behaviour wants to be
 * spread are on other workers. Of types that have fewer actors than there are shards, each has its
 * part on the same workers as the others, in the same shards if there are equally many, and else in
 * other ones. On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define N_GUESTS    240
#define N_WORKERS   4
#define SHARDS_EACH 2
#define N_SHARDS    (N_WORKERS * SHARDS_EACH)
#define SEEDS       10

struct note {
    struct al_message message;
};

struct guest {
    struct al_actor actor;
    uint32_t n_heard;
};

/* Creates actors of both kinds. */
struct parent {
    struct al_actor actor;
    struct guest near, apart[N_WORKERS - 1];
};

/* One of as many as there are guests, where there are few. */
struct twin {
    struct al_actor actor;
    uint32_t n_heard;
};

struct stage {
    struct al_config config;
    struct al_setting settings[4 + SHORT_SLEEPS_MOST];
    uint32_t n_hosts; /* workers that the guests are placed on, in turn */
    struct guest guests[N_GUESTS];
    struct guest near[N_GUESTS][2]; /* near each of them */
    struct parent parent;
    struct guest late; /* near one of the guests, created while they run */
    struct note note;
};

AL_ACTOR(guest)
AL_ACTOR(parent)
AL_ACTOR(twin)
AL_MESSAGE(note)

AL_BEHAVIOUR(guest, note, self, msg)
{
    return ++self->n_heard < 2 ? (enum al_verdict)AL_NODELETE : (enum al_verdict)AL_FINISHED;
}

AL_BEHAVIOUR(parent, note, self, msg)
{
    const struct al_custody *custody = al_custody_of(al_self());
    bool seen[N_WORKERS] = {false};
    al_actor_init_near(guest, &self->near, &self->actor);
    CHECK(self->near.actor.route == self->actor.route, "not near its parent");
    for (uint32_t i = 0; i < N_WORKERS - 1; i++) {
        struct al_actor *apart = &al_actor_init_at(guest, &self->apart[i], AL_PLACE_SPREAD)->actor;
        uint32_t owner = al_u32_load_relaxed(&custody->shards[apart->route].owner);
        CHECK(owner != al_worker_number() && !seen[owner], "child %u is on worker %u", i, owner);
        seen[owner] = true;
    }
    for (uint32_t k = 0; k < 2; k++) {
        al_send(guest, note, &self->near, msg);
        for (uint32_t i = 0; i < N_WORKERS - 1; i++)
            al_send(guest, note, &self->apart[i], msg);
    }
    return AL_FINISHED;
}

AL_BEHAVIOUR(twin, note, self, msg)
{
    return ++self->n_heard < 2 ? (enum al_verdict)AL_NODELETE : (enum al_verdict)AL_FINISHED;
}

/* The guests of a host are in so many shards, which are the host's. */
static void check_shards(const struct stage *stage, uint32_t host, uint32_t n_shards)
{
    const struct al_custody *custody = al_custody_of(al_self());
    uint32_t n_each = N_GUESTS / stage->n_hosts / n_shards;
    uintptr_t first = stage->guests[host].actor.route;
    for (uint32_t i = host, k = 0; i < N_GUESTS; i += stage->n_hosts, k++) {
        uintptr_t number = stage->guests[i].actor.route;
        CHECK(number == first + k / n_each, "guest %u of host %u is in shard %lu, not %lu", k, host,
              (unsigned long)number, (unsigned long)(first + k / n_each));
        uint32_t owner = al_u32_load_relaxed(&custody->shards[number].owner);
        CHECK(owner == host, "shard %lu belongs to worker %u, not %u", (unsigned long)number, owner,
              host);
    }
}

/* To each guest, and to those near it, which are in the same shard. */
static void send_all(struct stage *stage)
{
    for (uint32_t i = 0; i < N_GUESTS; i++) {
        al_send(guest, note, &stage->guests[i], &stage->note);
        for (uint32_t k = 0; k < 2; k++) {
            CHECK(stage->near[i][k].actor.route == stage->guests[i].actor.route,
                  "what is to be near guest %u is in another shard", i);
            al_send(guest, note, &stage->near[i][k], &stage->note);
        }
    }
}

static void check_heard(const struct guest *guest, const struct guest near[2], uint32_t number)
{
    CHECK(guest->n_heard == 2 && near[0].n_heard == 2 && near[1].n_heard == 2,
          "guest %u heard %u, those near it %u and %u", number, guest->n_heard, near[0].n_heard,
          near[1].n_heard);
}

static void run_stage(void *argument)
{
    struct stage *stage = argument;
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&stage->config, &system, &error) == 0, "%s", error.text);
    al_message_init(note, &stage->note, AL_NODELETE);
    for (uint32_t i = 0; i < N_GUESTS; i++) {
        uint32_t host = i % stage->n_hosts;
        uint32_t on = al_actor_init_on(guest, &stage->guests[i], host);
        CHECK(on == host, "guest %u is on worker %u, not %u", i, on, host);
        /* One at once, near the last one of its host; and one after all guests. */
        al_actor_init_near(guest, &stage->near[i][0], &stage->guests[i].actor);
    }
    for (uint32_t i = 0; i < N_GUESTS; i++)
        al_actor_init_near(guest, &stage->near[i][1], &stage->near[i][0].actor);
    al_actor_init(parent, &stage->parent);
    send_all(stage);
    for (uint32_t host = 0; host < stage->n_hosts; host++)
        check_shards(stage, host,
                     stage->n_hosts == N_WORKERS ? SHARDS_EACH : N_SHARDS / stage->n_hosts);
    al_actor_init_near(guest, &stage->late, &stage->guests[N_GUESTS / 2].actor);
    CHECK(stage->late.actor.route == stage->guests[N_GUESTS / 2].actor.route, "not near");
    send_all(stage);
    al_send(guest, note, &stage->late, &stage->note);
    al_send(guest, note, &stage->late, &stage->note);
    al_send(parent, note, &stage->parent, &stage->note);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    for (uint32_t i = 0; i < N_GUESTS; i++)
        check_heard(&stage->guests[i], stage->near[i], i);
}

static void run_few(void *argument)
{
    struct stage *stage = argument;
    struct twin twins[N_WORKERS] = {0};
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&stage->config, &system, &error) == 0, "%s", error.text);
    al_message_init(note, &stage->note, AL_NODELETE);
    al_actor_init(parent, &stage->parent);
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        al_actor_init(twin, &twins[i]);
        al_actor_init(guest, &stage->guests[i]);
    }
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < N_WORKERS; i++) {
            al_send(twin, note, &twins[i], &stage->note);
            al_send(guest, note, &stage->guests[i], &stage->note);
        }
    uintptr_t parent = stage->parent.actor.route;
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        uintptr_t number = stage->guests[i].actor.route;
        CHECK(number / SHARDS_EACH == i && number != parent, "guest %u is in shard %lu", i,
              (unsigned long)number);
        CHECK(twins[i].actor.route == number, "its twin is in shard %lu",
              (unsigned long)twins[i].actor.route);
    }
    al_send(parent, note, &stage->parent, &stage->note);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

static void run_seeds(const char *idle, uint32_t n_hosts, void (*run)(void *))
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        static struct stage stage;
        memset(&stage, 0, sizeof stage);
        stage.n_hosts = n_hosts;
        choose_plugins(&stage.config, "custody", NULL, idle);
        stage.settings[0] = (struct al_setting){"shards", "2"}; /* SHARDS_EACH */
        stage.settings[1] = (struct al_setting){"epoch", "0"};
        stage.settings[2] = (struct al_setting){"worth", "1000000000000"}; /* nothing moves */
        stage.settings[3] = (struct al_setting){"seize", "0"};
        oversubscribe(&stage.config, stage.settings, 4, N_WORKERS, seed);
        run_seed(seed, run, &stage);
    }
}

int main(void)
{
    static const char *const idles[] = {"spin", "park"};
    static const uint32_t n_hosts[] = {1, 2, N_WORKERS};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof idles / sizeof *idles; i++) {
        for (size_t h = 0; h < sizeof n_hosts / sizeof *n_hosts; h++) {
            run_seeds(idles[i], n_hosts[h], run_stage);
            tap_ok(&tap, true, "actors placed on %u of %u workers, %s", n_hosts[h], N_WORKERS,
                   idles[i]);
        }
        run_seeds(idles[i], 1, run_few);
        tap_ok(&tap, true, "few actors of several types, %s", idles[i]);
    }
    return tap_done(&tap);
}
