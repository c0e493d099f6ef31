/* SPDX-License-Identifier: MIT */

/*
 * Timers are sent however busy their worker is, and whatever has become of the actor that set them,
 * with every strategy: beside an actor that always has a message, beside actors that all end after
 * one, by one that has ended, from a thread of its own, and while nothing else happens for longer
 * than a stall may last.
 */

#include <string.h>

#include "core/later.h"
#include "core/timers.h"
#include "tests/support/choose.h"

#define SOON_NS 1000000
#define SECOND  UINT64_C(1000000000)
#define MOST    300000000 /* messages, some seconds: an actor that got no alarm gets none */
#define STALL_S 3         /* a machine that others use may stand still for a second */
#define LONG_NS (4 * SECOND)

struct go {
    struct al_message message;
};

struct alarm {
    struct al_message message;
    bool far;
};

/* Sends itself messages until its alarm comes. */
struct busy {
    struct al_actor actor;
    struct alarm alarm;
    uint64_t turns;
    bool rung;
};

/* Makes another one, sends it a message, and ends, until its sleeper's alarm comes. */
struct mayfly {
    struct al_actor actor;
    struct sleeper *sleeper;
    struct alarm *alarm; /* that the first one sets */
    uint64_t left;       /* how many may follow */
};

/* Waits for an alarm. */
struct sleeper {
    struct al_actor actor;
    struct alarm *came;
    bool waited; /* for longer than there were mayflies */
};

/* Sets alarms for a sleeper, and ends. */
struct setter {
    struct al_actor actor;
    struct sleeper *sleeper;
    struct alarm soon, far;
    uint64_t soon_ns, far_ns; /* 0: none */
};

AL_ACTOR(busy)
AL_ACTOR(mayfly)
AL_ACTOR(setter)
AL_ACTOR(sleeper)
AL_MESSAGE(alarm)
AL_MESSAGE(go)
AL_RECYCLE(mayfly)

AL_BEHAVIOUR_DECLARE(busy, go)
AL_BEHAVIOUR_DECLARE(mayfly, go)
AL_BEHAVIOUR_DECLARE(sleeper, alarm)

AL_BEHAVIOUR(busy, alarm, self, msg)
{
    self->rung = true;
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(busy, go, self, msg)
{
    if (self->turns == 0)
        al_send_after(busy, alarm, self, &self->alarm, SOON_NS);
    if (self->rung || ++self->turns == MOST)
        return AL_FINISHED;
    al_send(busy, go, self, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(mayfly, go, self, msg)
{
    if (self->left == MOST)
        al_send_after(sleeper, alarm, self->sleeper, self->alarm, SOON_NS);
    if (self->sleeper->came != NULL)
        return AL_DELETE;
    self->sleeper->waited = self->left == 0;
    if (self->left > 0) {
        struct mayfly *next = al_new(mayfly);
        *next = (struct mayfly){
            .sleeper = self->sleeper, .alarm = self->alarm, .left = self->left - 1};
        al_send(mayfly, go, al_actor_init(mayfly, next), msg);
    }
    return AL_DELETE;
}

AL_BEHAVIOUR_DEFINE(sleeper, alarm, self, msg)
{
    self->came = msg;
    return AL_FINISHED;
}

AL_BEHAVIOUR(setter, go, self, msg)
{
    if (self->far_ns != 0)
        al_send_after(sleeper, alarm, self->sleeper, &self->far, self->far_ns);
    al_send_after(sleeper, alarm, self->sleeper, &self->soon, self->soon_ns);
    return AL_FINISHED;
}

static struct al_system *start_system(const struct al_plugin *scheduler, struct al_config *config)
{
    struct al_system *system;
    struct al_error error = {""};
    choose_prompt(config, scheduler->name, NULL);
    CHECK(al_system_start(config, &system, &error) == 0, "%s", error.text);
    return system;
}

/* Returns whether the alarm came. */
static bool ring_busy(const struct al_plugin *scheduler, enum al_placement placement)
{
    struct al_config config = {.workers = 1};
    struct al_system *system = start_system(scheduler, &config);
    static struct busy busy;
    static struct go go;
    busy = (struct busy){0};
    al_message_init(go, &go, AL_NODELETE);
    al_message_init(alarm, &busy.alarm, AL_NODELETE);
    al_send(busy, go, al_actor_init_at(busy, &busy, placement), &go);
    CHECK(al_system_stop(system, NULL) == 0, "a message was lost");
    return busy.rung;
}

/* Returns whether the alarm came while there were mayflies. */
static bool ring_mayflies(const struct al_plugin *scheduler)
{
    struct al_config config = {.workers = 1};
    struct al_system *system = start_system(scheduler, &config);
    static struct sleeper sleeper;
    static struct alarm alarm;
    static struct go go;
    struct mayfly *first = al_new(mayfly);
    *first = (struct mayfly){.sleeper = &sleeper, .alarm = &alarm, .left = MOST};
    sleeper = (struct sleeper){.came = NULL};
    al_message_init(go, &go, AL_NODELETE);
    al_message_init(alarm, &alarm, AL_NODELETE);
    al_actor_init(sleeper, &sleeper);
    al_send(mayfly, go, al_actor_init(mayfly, first), &go);
    CHECK(al_system_stop(system, NULL) == 0, "a message was lost");
    return !sleeper.waited;
}

/* Set two alarms from an actor that ends. Returns whether only the one that is soon came. */
static bool ring_sleeper(const struct al_plugin *scheduler, enum al_placement placement,
                         uint64_t soon_ns, uint64_t far_ns)
{
    struct al_config config = {.workers = 2, .oversubscribe = true, .stall_s = STALL_S};
    struct al_system *system = start_system(scheduler, &config);
    static struct sleeper sleeper;
    static struct setter setter;
    static struct go go;
    sleeper = (struct sleeper){.came = NULL};
    setter = (struct setter){.sleeper = &sleeper, .soon_ns = soon_ns, .far_ns = far_ns};
    al_message_init(go, &go, AL_NODELETE);
    al_message_init(alarm, &setter.soon, AL_NODELETE);
    al_message_init(alarm, &setter.far, AL_NODELETE);
    al_actor_init(sleeper, &sleeper);
    al_send(setter, go, al_actor_init_at(setter, &setter, placement), &go);
    CHECK(al_system_stop(system, NULL) == 0, "a message was lost");
    return sleeper.came == &setter.soon;
}

static void check_overdue(struct tap *tap)
{
    static struct al_worker worker;
    tap_ok(tap, !al_timers_wait(&worker, SECOND), "a worker without timers waits for none");
    worker.timer_due = 10 * SECOND;
    tap_ok(tap, al_timers_wait(&worker, SECOND) && al_timers_wait(&worker, 10 * SECOND + 1),
           "one with a timer waits for it");
    tap_ok(tap, !al_timers_wait(&worker, 12 * SECOND),
           "but not for one that it should have sent long ago");
}

int main(void)
{
    struct tap tap = {0};
    const struct al_plugin *scheduler;
    for (size_t i = 0; (scheduler = al_schedulers[i]) != NULL; i++) {
        const char *name = scheduler->name;
        tap_ok(&tap, ring_busy(scheduler, AL_PLACE_ANYWHERE), "%s: beside a busy actor", name);
        tap_ok(&tap, ring_busy(scheduler, AL_PLACE_DETACHED), "%s: the same on its own thread",
               name);
        tap_ok(&tap, ring_mayflies(scheduler), "%s: beside actors that end after a message", name);
        tap_ok(&tap, ring_sleeper(scheduler, AL_PLACE_ANYWHERE, SOON_NS, 0),
               "%s: the actor that set it has ended", name);
        tap_ok(&tap, ring_sleeper(scheduler, AL_PLACE_DETACHED, SOON_NS, 0),
               "%s: it has ended, on its own thread", name);
        tap_ok(&tap, ring_sleeper(scheduler, AL_PLACE_ANYWHERE, SOON_NS, UINT64_MAX),
               "%s: one that is never due does not come at once", name);
        if (strcmp(name, "deque") == 0)
            tap_ok(&tap, ring_sleeper(scheduler, AL_PLACE_DETACHED, LONG_NS, 0),
                   "%s: nothing else happens for longer than a stall", name);
    }
    check_overdue(&tap);
    return tap_done(&tap);
}
