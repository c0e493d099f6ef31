/* SPDX-License-Identifier: MIT */

/* The end of a system (core/termination.c): it is over when the last actor has ended, no sooner,
 * whoever counts them; and then everyone sees that. */

#include "core/system_private.h"
#include "core/worker.h"
#include "tests/systematic/systems.h"

/* Worker 0 runs an actor, the parent, which makes another one and ends later. Worker 1 runs that
 * one, and looks whether all is over. */
static struct family {
    struct al_actor actor;
    bool ended;
} * parent, *child;
AL_ACTOR(family)
static struct al_message *message;
static struct al_atomic_u32 made;

static void make_parent(struct al_runtime *system)
{
    (void)system;
    parent = al_calloc(2, sizeof *parent);
    child = parent + 1;
    message = al_calloc(1, sizeof *message);
    message->verdict = AL_NODELETE;
    al_u32_store_relaxed(&made, 0);
    al_actor_init(family, parent);
}

static enum al_verdict make_child(struct al_actor *actor, struct al_message *received)
{
    (void)actor, (void)received;
    al_actor_init(family, child);
    al_u32_store_release(&made, 1); /* as a message would be */
    return AL_NODELETE;
}

static enum al_verdict end(struct al_actor *actor, struct al_message *received)
{
    (void)received;
    ((struct family *)actor)->ended = true;
    return AL_FINISHED;
}

static void run(struct al_worker *self, struct family *actor, al_behaviour *behaviour)
{
    struct al_envelope envelope = {&actor->actor, message, behaviour};
    al_deliver(self, &envelope);
}

static void look_whether_over(struct al_worker *self)
{
    if (al_worker_done(self) && !(parent->ended && child->ended))
        al_scenario_fail("it is over, and an actor lives");
}

static void live(struct al_worker *self)
{
    if (self->id == 0) {
        run(self, parent, make_child);
        run(self, parent, end);
    } else {
        while (al_u32_load_acquire(&made) == 0)
            al_pause();
        run(self, child, end);
    }
    look_whether_over(self);
}

static void look(void)
{
    al_self_set(NULL);
    if (!parent->ended || !child->ended)
        al_scenario_fail("an actor has not run");
}

/* Worker 1 makes the child and closes the system, as a starter does, while worker 0 ends the
 * parent: the child lives on. */
static void open_or_end(struct al_worker *self)
{
    if (self->id == 1) {
        al_actor_init(family, child);
        al_system_close(al_system_of(self->system));
        return;
    }
    run(self, parent, end);
    if (al_worker_done(self))
        al_scenario_fail("it is over, and an actor lives");
}

#define OPENED                                                                                     \
    .plugins = {"central", NULL, "park"}, .settings = SYSTEM_PARK, .other = open_or_end,           \
    .homes = "", .also = make_parent, .starts = true

/* Counts the actors, although it has ended none. */
static void count(struct al_worker *self)
{
    self->terminated_seen = UINT64_MAX;
    (void)al_worker_done(self);
}

#define TERMINATION                                                                                \
    .plugins = {"central", NULL, "park"}, .settings = SYSTEM_PARK, .other = live, .homes = "",     \
    .also = make_parent, .look = look

static const struct al_scenario scenarios[] = {
    SYSTEM("end/parent-and-child", 2, 0, TERMINATION, .workers = "xx"),
    SYSTEM_DEEP("end/detached", 2, 0, .plugins = {"deque", NULL, "park"}, .settings = SYSTEM_PARK,
                .workers = "rx", .other = count, .homes = "0D", .before = 1),
    SYSTEM("end/opened", 2, 0, OPENED, .workers = "xx"),
    SYSTEM("end/starter", 3, 0, TERMINATION, .workers = "xx", .starts = true),
};
AL_SCENARIOS(scenarios)
