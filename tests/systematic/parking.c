/* SPDX-License-Identifier: MIT */

/* A worker that parks (schedulers/idle/park.c) and senders that wake it: no wake-up is lost. What
 * waits is a number, of which the strategy is told, as it is of messages. */

#include "schedulers/idle/idles.h"
#include "tests/systematic/workers.h"

enum size { MESSAGES, STARTER };

static const struct al_scenario *scenario;
static struct al_system *workers;
static struct waiting {
    struct al_atomic_u64 n; /* messages that were sent */
} * waiting;
static unsigned received;

static uint64_t length(const struct al_worker *worker)
{
    (void)worker;
    return al_u64_load_relaxed(&waiting->n);
}

static const struct al_scheduler_ops ops = {.length = length};

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    received = 0;
    waiting = al_calloc(1, sizeof *waiting);
    workers = workers_new(self->threads, &ops);
    struct al_runtime *system = &workers->shown;
    system->idle_ops = &al_idle_park;
    system->starter_light = self->sizes[STARTER];
    al_u32_store_relaxed(&workers->phase, AL_PHASE_RUNNING);
    struct al_error error;
    if (al_idle_park.init(system, &error) != 0)
        al_scenario_fail("%s", error.text);
    system->wake = al_idle_park.wake;
}

/* A worker takes messages one by one, until as many have come as are sent. */
static void work(struct al_worker *self)
{
    unsigned all = (scenario->threads - 1) * scenario->sizes[MESSAGES];
    for (unsigned n = 0; n < all;) {
        uint64_t sent = al_u64_load_relaxed(&waiting->n);
        if (sent == 0) {
            al_idle_park.wait(self, 1, 0);
            continue;
        }
        if (al_u64_cas_acq_rel(&waiting->n, &sent, sent - 1))
            n++;
    }
}

/* Worker 0 works, and the others send: they make a message visible, then wake it, as every strategy
 * does. The last may be the starter, whose fences cost nothing. */
static void thread(unsigned number)
{
    bool starts = number == scenario->threads - 1 && scenario->sizes[STARTER];
    al_self_set(&workers->shown.workers[starts ? scenario->threads : number]);
    if (number == 0) {
        work(al_self());
        return;
    }
    for (unsigned i = 0; i < scenario->sizes[MESSAGES]; i++) {
        al_u64_add_relaxed(&waiting->n, 1);
        al_idle_wake(&workers->shown, 0);
    }
}

#define AWAKE "a worker does not sleep while a message waits"

static const struct al_scenario scenarios[] = {
#define PARK(text, n, ...)                                                                         \
    {                                                                                              \
        .name = "park/" text, .shows = AWAKE, .threads = n, .sizes = {__VA_ARGS__},                \
        .set_up = set_up, .thread = thread, .vain_looks = 1, .stops_clock = true                   \
    }
    PARK("1-sender", 2, 1, false),          PARK("1-sender-twice", 2, 2, false),
    PARK("2-senders", 3, 1, false),         PARK("starter", 2, 1, true),
    PARK("starter-and-sender", 3, 1, true),
};
AL_SCENARIOS(scenarios)
