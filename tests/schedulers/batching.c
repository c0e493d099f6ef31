/* SPDX-License-Identifier: MIT */

/*
 * The strategy inverted with batching, on the simulated machine: how long a message waits in the
 * outbox. A sender on one worker has many messages waiting, each of which it answers with a note to
 * a receiver on the other worker, and then computes. The note must not wait for long, whatever the
 * computing costs.
 */

#include "core/actor.h"
#include "schedulers/inverted/outbox.h"
#include "tests/engine/sim_machine.h"
#include "tests/support/choose.h"

#define TURNS 400
/* The machine has a cycle in each nanosecond. */
#define LOOK_NS  AL_OUTBOX_LOOK_CYCLES
#define FLUSH_NS AL_OUTBOX_FLUSH_CYCLES
#define SEND_NS  2000 /* what the accesses around a send take, with some to spare */

struct turn {
    struct al_message message;
};

struct note {
    struct al_message message;
    uint64_t sent_ns;
};

struct receiver {
    struct al_actor actor;
    uint64_t left, longest_ns;
};

struct sender {
    struct al_actor actor;
    struct receiver *receiver;
    struct turn turn;
    struct note notes[TURNS];
    uint64_t turns, ns;
};

AL_ACTOR(receiver)
AL_ACTOR(sender)
AL_MESSAGE(note)
AL_MESSAGE(turn)

AL_BEHAVIOUR(receiver, note, self, msg)
{
    uint64_t waited = al_clock_ns() - msg->sent_ns;
    self->longest_ns = waited > self->longest_ns ? waited : self->longest_ns;
    return --self->left == 0 ? AL_FINISHED : AL_NODELETE;
}

/* The first makes the others. */
AL_BEHAVIOUR(sender, turn, self, msg)
{
    if (self->turns == 0) {
        for (uint32_t i = 0; i < TURNS; i++)
            al_send(sender, turn, self, msg);
    } else {
        struct note *note = al_message_init(note, &self->notes[self->turns - 1], AL_NODELETE);
        note->sent_ns = al_clock_ns();
        al_send(receiver, note, self->receiver, note);
        al_compute(self->ns);
    }
    return self->turns++ == TURNS ? AL_FINISHED : AL_NODELETE;
}

struct scene {
    uint64_t ns; /* of each turn */
    uint64_t longest_ns;
};

static void run_scene(void *argument)
{
    static struct receiver receiver;
    static struct sender sender;
    struct scene *scene = argument;
    struct al_setting settings[] = {{"batching", "on"}, {"shards", "1"}};
    struct al_config config = {
        .workers = 2, .simulated = true, .settings = settings, .n_settings = 2};
    struct al_system *system;
    struct al_error error;
    choose_plugins(&config, "inverted", "none", "spin");
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    receiver = (struct receiver){.left = TURNS};
    sender = (struct sender){.receiver = &receiver, .ns = scene->ns};
    al_actor_init_on(receiver, &receiver, 1);
    al_actor_init_on(sender, &sender, 0);
    al_send(sender, turn, &sender, al_message_init(turn, &sender.turn, AL_NODELETE));
    al_system_stop(system, NULL);
    scene->longest_ns = receiver.longest_ns;
}

int main(void)
{
    static const uint64_t costs[] = {10, 100, 1000, 5000, 50000, 500000};
    struct tap tap = {0};
    struct machine machine;
    machine_init(&machine, (struct shape){1, 1, 1, 1, 4, 1});
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        struct scene scene = {.ns = costs[i]};
        machine_run(&machine, run_scene, &scene);
        /* After a turn that is longer than a look apart, everything is sent. */
        uint64_t most = (costs[i] > LOOK_NS ? costs[i] : FLUSH_NS + 2 * LOOK_NS) + SEND_NS;
        tap_ok(&tap, scene.longest_ns < most, "turns of %llu ns: no note waits %llu ns (%llu)",
               (unsigned long long)costs[i], (unsigned long long)most,
               (unsigned long long)scene.longest_ns);
    }
    return tap_done(&tap);
}
