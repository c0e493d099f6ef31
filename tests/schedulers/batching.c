/* SPDX-License-Identifier: MIT */

/*
 * The strategy inverted with batching, on the simulated machine: how long a message waits in the
 * outbox. A sender on one worker has many messages waiting, each of which it answers with a note to
 * a receiver on the other worker, and then computes. The note must not wait for long, whatever the
 * computing costs; and where turns suddenly take longer, for no more of them than the outbox says.
 */

#include "core/actor.h"
#include "schedulers/inverted/outbox.h"
#include "tests/engine/sim_machine.h"
#include "tests/support/choose.h"

#define TURNS     400 /* at most */
#define FEW_TURNS 5   /* of long ones */
/* The machine has a cycle in each nanosecond. */
#define LOOK_NS  AL_OUTBOX_LOOK_CYCLES
#define FLUSH_NS AL_OUTBOX_FLUSH_CYCLES
#define SEND_NS  2000 /* what the accesses around a send take, with some to spare */
/* The other worker flushes what it sees there in two looks. */
#define RELIEF_NS (2 * FLUSH_NS + 4 * LOOK_NS)

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

struct scene {
    uint64_t ns;      /* of each turn */
    uint64_t n_first; /* the first turns, which take first_ns instead */
    uint64_t first_ns;
    uint64_t turns, turns_per_note;
    uint64_t longest_ns;
};

struct sender {
    struct al_actor actor;
    struct receiver *receiver;
    struct turn turn;
    struct note notes[TURNS];
    uint64_t turns;
    const struct scene *scene;
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
        for (uint32_t i = 0; i < self->scene->turns; i++)
            al_send(sender, turn, self, msg);
    } else {
        const struct scene *scene = self->scene;
        struct note *note = al_message_init(note, &self->notes[self->turns - 1], AL_NODELETE);
        note->sent_ns = al_clock_ns();
        if (self->turns % scene->turns_per_note == 0)
            al_send(receiver, note, self->receiver, note);
        al_compute(self->turns <= scene->n_first ? scene->first_ns : scene->ns);
    }
    return self->turns++ == self->scene->turns ? AL_FINISHED : AL_NODELETE;
}

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
    receiver = (struct receiver){.left = scene->turns / scene->turns_per_note};
    sender = (struct sender){.receiver = &receiver, .scene = scene};
    al_actor_init_on(receiver, &receiver, 1);
    al_actor_init_on(sender, &sender, 0);
    al_send(sender, turn, &sender, al_message_init(turn, &sender.turn, AL_NODELETE));
    al_system_stop(system, NULL);
    scene->longest_ns = receiver.longest_ns;
}

/*
 * After short turns, up to AL_OUTBOX_LOOK_MOST long ones pass before the outbox notices, and some
 * note waits for the other worker. How many depends on when the last look was, so the change comes
 * at different turns. Few of the turns send a note, because 16 notes would not wait for a look.
 */
static void test_changes(struct tap *tap, struct machine *machine)
{
    static const uint64_t shorts[] = {10, 50, 100, 150, 200};
    const uint64_t ns = 50000, most = RELIEF_NS + SEND_NS;
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
        uint64_t longest_ns = 0;
        for (uint64_t n = 200; n < 200 + 2 * AL_OUTBOX_LOOK_MOST; n += 3) {
            struct scene scene = {
                .ns = ns, .n_first = n, .first_ns = shorts[i], .turns = TURNS, .turns_per_note = 8};
            machine_run(machine, run_scene, &scene);
            longest_ns = scene.longest_ns > longest_ns ? scene.longest_ns : longest_ns;
        }
        tap_ok(tap, longest_ns < most,
               "turns of %llu ns, then of %llu: no note waits %llu ns (%llu)",
               (unsigned long long)shorts[i], (unsigned long long)ns, (unsigned long long)most,
               (unsigned long long)longest_ns);
    }
}

int main(void)
{
    static const uint64_t costs[] = {10, 100, 1000, 5000, 50000, 500000, 2000000};
    struct tap tap = {0};
    struct machine machine;
    machine_init(&machine, (struct shape){1, 1, 1, 1, 4, 1});
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        uint64_t turns = costs[i] > LOOK_NS ? FEW_TURNS : TURNS;
        struct scene scene = {.ns = costs[i], .turns = turns, .turns_per_note = 1};
        machine_run(&machine, run_scene, &scene);
        /* After a turn that is longer than the time between two looks, everything is sent. */
        uint64_t most = costs[i] > LOOK_NS ? costs[i] : FLUSH_NS + 2 * LOOK_NS;
        most = (most < RELIEF_NS ? most : RELIEF_NS) + SEND_NS;
        tap_ok(&tap, scene.longest_ns < most, "turns of %llu ns: no note waits %llu ns (%llu)",
               (unsigned long long)costs[i], (unsigned long long)most,
               (unsigned long long)scene.longest_ns);
    }
    test_changes(&tap, &machine);
    return tap_done(&tap);
}
