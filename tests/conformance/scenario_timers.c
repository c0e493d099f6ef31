/* SPDX-License-Identifier: MIT */

/*
 * timers: actors that set each other timers, some of which are due at once. Promises: each is
 * received exactly once, and none before it is due.
 */

#include "core/later.h"
#include "core/random.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define RINGERS_MOST 32
#define ALARMS       4     /* of each, at a time */
#define LONGEST_NS   20000 /* from now, and one in four is due at once */

struct ringer;

struct alarm {
    struct al_message message;
    struct ringer *by;
    uint64_t due;
};

/* To the ringer that has set it: the alarm has been received. */
struct rung {
    struct al_message message;
    struct alarm *alarm;
};

struct go {
    struct al_message message;
};

struct done {
    struct al_message message;
};

struct ringer {
    struct al_actor actor;
    struct timers *timers;
    struct al_random random;
    uint32_t left;     /* alarms that it is to set */
    uint32_t pending;  /* that it has set, and that have not been received */
    uint32_t received; /* alarms of others, and its own */
    struct alarm alarms[ALARMS];
    struct rung rungs[ALARMS];
};

/* Ends all when they have set their alarms. */
struct keeper {
    struct al_actor actor;
    struct timers *timers;
    uint32_t left;
};

struct timers {
    struct keeper keeper;
    struct ringer ringers[RINGERS_MOST];
    uint32_t n;
    struct go go;
    struct done done;
};

AL_ACTOR(keeper)
AL_ACTOR(ringer)
AL_MESSAGE(alarm)
AL_MESSAGE(done)
AL_MESSAGE(go)
AL_MESSAGE(rung)

AL_BEHAVIOUR_DECLARE(keeper, done)
AL_BEHAVIOUR_DECLARE(ringer, alarm)
AL_BEHAVIOUR_DECLARE(ringer, rung)

/* Set this alarm for another ringer, or for itself. */
static void set(struct ringer *self, struct alarm *alarm)
{
    struct timers *timers = self->timers;
    struct ringer *to = &timers->ringers[al_random_below(&self->random, timers->n)];
    uint32_t ns = al_random_below(&self->random, LONGEST_NS);
    self->left--;
    self->pending++;
    alarm->due = ns < LONGEST_NS / 4 ? 1 : al_clock_ns() + ns;
    if (ns % 2 == 0)
        al_send_at(ringer, alarm, to, alarm, alarm->due);
    else
        al_send_after(ringer, alarm, to, alarm, ns < LONGEST_NS / 4 ? 0 : ns);
}

AL_BEHAVIOUR_DEFINE(ringer, alarm, self, msg)
{
    uint64_t now = al_clock_ns();
    CHECK(now >= msg->due, "an alarm came %llu ns before it was due",
          (unsigned long long)(msg->due - now));
    self->received++;
    struct ringer *by = msg->by;
    al_send(ringer, rung, by, &by->rungs[msg - by->alarms]);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(ringer, rung, self, msg)
{
    self->pending--;
    if (self->left > 0)
        set(self, msg->alarm);
    else if (self->pending == 0)
        al_send(keeper, done, &self->timers->keeper, &self->timers->done);
    return AL_NODELETE;
}

AL_BEHAVIOUR(ringer, go, self, msg)
{
    for (uint32_t i = 0; i < ALARMS; i++)
        set(self, &self->alarms[i]);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(keeper, done, self, msg)
{
    struct timers *timers = self->timers;
    if (--self->left > 0)
        return AL_NODELETE;
    for (uint32_t i = 0; i < timers->n; i++)
        al_send_pill(&timers->ringers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

static void init_ringer(struct timers *timers, uint32_t i, uint32_t alarms)
{
    struct ringer *ringer = &timers->ringers[i];
    ringer->timers = timers;
    ringer->left = alarms;
    al_random_seed(&ringer->random, 1, i);
    for (uint32_t k = 0; k < ALARMS; k++) {
        al_message_init(alarm, &ringer->alarms[k], AL_NODELETE);
        al_message_init(rung, &ringer->rungs[k], AL_NODELETE);
        ringer->alarms[k].by = ringer;
        ringer->rungs[k].alarm = &ringer->alarms[k];
    }
}

void run_timers(const struct al_config *config, bool large)
{
    uint32_t alarms = large ? 200 : 8, received = 0;
    struct timers *timers = calloc(1, sizeof *timers);
    CHECK(timers != NULL, "no memory");
    timers->n = large ? RINGERS_MOST : 6;
    timers->keeper.timers = timers;
    timers->keeper.left = timers->n;
    struct al_system *system = start_system(config);
    al_message_init(go, &timers->go, AL_NODELETE);
    al_message_init(done, &timers->done, AL_NODELETE);
    al_actor_init(keeper, &timers->keeper);
    for (uint32_t i = 0; i < timers->n; i++) {
        init_ringer(timers, i, alarms);
        al_actor_init(ringer, &timers->ringers[i]);
    }
    for (uint32_t i = 0; i < timers->n; i++)
        al_send(ringer, go, &timers->ringers[i], &timers->go);
    stop_system(system);
    for (uint32_t i = 0; i < timers->n; i++) {
        received += timers->ringers[i].received;
        for (uint32_t k = 0; k < ALARMS; k++) {
            al_message_fini(&timers->ringers[i].alarms[k].message);
            al_message_fini(&timers->ringers[i].rungs[k].message);
        }
    }
    CHECK(received == timers->n * alarms, "%u alarms were received of %u", received,
          timers->n * alarms);
    al_message_fini(&timers->go.message);
    al_message_fini(&timers->done.message);
    free(timers);
}
