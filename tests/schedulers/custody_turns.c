/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: a worker that always has work of its own takes in what arrives for all of
 * its shards, in turn. Promise: a message arrives in the end, whichever of many shards it is for.
 * And what one worker creates, it puts into shards of its own, of which no two workers open the
 * same. On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 *
 * A spinner on worker 0 sends itself message after message until every listener has been told. The
 * listeners are on worker 0, too, each created by a host there in a shard of its own; the speaker
 * on worker 1 tells them, and hosts there create listeners as well.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define N_LISTENERS 100 /* of each host: more than a worker opens shards */
#define N_HOSTS     2
#define SEEDS       10

/* Looks around until the spinner gives up: so many that each input has its turn a hundred times. On
 * threads the other worker may sleep for any time, so there it never does. */
#define SPINS_MOST (AL_SYNC_THREADS ? UINT64_MAX : 100000)

struct note {
    struct al_message message;
};

struct stage;

struct listener {
    struct al_actor actor;
    struct stage *stage;
    struct note note;
    uint32_t place; /* the worker that created it */
    uint32_t n_heard;
};

struct host {
    struct al_actor actor;
    struct stage *stage;
    struct listener listeners[N_LISTENERS];
    struct note note, ready;
};

struct spinner {
    struct al_actor actor;
    struct stage *stage;
    struct note note;
    uint64_t n_spins;
};

struct speaker {
    struct al_actor actor;
    struct stage *stage;
    uint32_t n_ready;
};

struct stage {
    struct al_config config;
    struct al_setting settings[4 + SHORT_SLEEPS_MOST];
    struct host hosts[N_HOSTS];
    struct spinner spinner;
    struct speaker speaker;
    struct al_atomic_u32 left; /* listeners that have heard nothing */
};

AL_ACTOR(listener)
AL_ACTOR(host)
AL_ACTOR(spinner)
AL_ACTOR(speaker)
AL_MESSAGE(note)
AL_BEHAVIOUR_DECLARE(listener, note)
AL_BEHAVIOUR_DECLARE(host, note)
AL_BEHAVIOUR_DECLARE(spinner, note)
AL_BEHAVIOUR_DECLARE(speaker, note)

AL_BEHAVIOUR_DEFINE(listener, note, self, msg)
{
    (void)msg;
    self->n_heard++;
    CHECK(al_worker_number() == self->place, "worker %u runs an actor that worker %u has created",
          al_worker_number(), self->place);
    /* relaxed: what the listener counts is read after the end */
    al_u32_add_relaxed(&self->stage->left, UINT32_MAX);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(host, note, self, msg)
{
    (void)msg;
    for (uint32_t i = 0; i < N_LISTENERS; i++) {
        struct listener *listener = al_actor_init(listener, &self->listeners[i]);
        listener->stage = self->stage;
        listener->place = al_worker_number();
        al_message_init(note, &listener->note, AL_NODELETE);
    }
    al_message_init(note, &self->ready, AL_NODELETE);
    al_send(speaker, note, &self->stage->speaker, &self->ready);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(spinner, note, self, msg)
{
    struct stage *stage = self->stage;
    if (al_u32_load_relaxed(&stage->left) == 0) /* relaxed: sooner or later */
        return AL_FINISHED;
    CHECK(self->n_spins++ < SPINS_MOST, "%u messages have not arrived",
          al_u32_load_relaxed(&stage->left));
    al_send(spinner, note, self, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(speaker, note, self, msg)
{
    (void)msg;
    if (++self->n_ready < N_HOSTS)
        return AL_NODELETE;
    for (uint32_t h = 0; h < N_HOSTS; h++)
        for (uint32_t i = 0; i < N_LISTENERS; i++) {
            struct listener *listener = &self->stage->hosts[h].listeners[i];
            al_send(listener, note, listener, &listener->note);
        }
    return AL_FINISHED;
}

static void run_stage(void *argument)
{
    struct stage *stage = argument;
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&stage->config, &system, &error) == 0, "%s", error.text);
    al_u32_store_relaxed(&stage->left, N_HOSTS * N_LISTENERS); /* relaxed: published with notes */
    stage->speaker.stage = stage->spinner.stage = stage;
    al_actor_init_on(speaker, &stage->speaker, 1);
    al_actor_init_on(spinner, &stage->spinner, 0);
    for (uint32_t h = 0; h < N_HOSTS; h++) {
        stage->hosts[h].stage = stage;
        al_actor_init_on(host, &stage->hosts[h], h);
        al_message_init(note, &stage->hosts[h].note, AL_NODELETE);
        al_send(host, note, &stage->hosts[h], &stage->hosts[h].note);
    }
    al_message_init(note, &stage->spinner.note, AL_NODELETE);
    al_send(spinner, note, &stage->spinner, &stage->spinner.note);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    for (uint32_t h = 0; h < N_HOSTS; h++)
        for (uint32_t i = 0; i < N_LISTENERS; i++)
            CHECK(stage->hosts[h].listeners[i].n_heard == 1, "listener %u of host %u heard %u", i,
                  h, stage->hosts[h].listeners[i].n_heard);
}

int main(void)
{
    static const char *const idles[] = {"spin", "park"};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof idles / sizeof *idles; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            static struct stage stage;
            memset(&stage, 0, sizeof stage);
            choose_plugins(&stage.config, "custody", NULL, idles[i]);
            stage.settings[0] = (struct al_setting){"quantum", "0"};
            stage.settings[1] = (struct al_setting){"epoch", "0"};
            stage.settings[2] = (struct al_setting){"worth", "1000000000000"}; /* nothing moves */
            stage.settings[3] = (struct al_setting){"seize", "0"};
            oversubscribe(&stage.config, stage.settings, 4, 2, seed);
            run_seed(seed, run_stage, &stage);
        }
        tap_ok(&tap, true, "every shard has its turn, %s", idles[i]);
    }
    return tap_done(&tap);
}
