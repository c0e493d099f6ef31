/* SPDX-License-Identifier: MIT */

/* What custody's workers do to each other: messages, gifts, and seizing. */

#include "schedulers/custody/custody.h"
#include "tests/systematic/systems.h"

/* Each message leaves the worker's outboxes at once. */
static void send_all(struct al_worker *self)
{
    (void)self;
    system_send(al_custody_flush);
}

/* Worker 0 gives its first shard to worker 1, which has not asked; the others send. */
static void give_or_send(struct al_worker *self)
{
    if (self->id != 0) {
        send_all(self);
        return;
    }
    const struct al_custodian *mine = self->scheduler;
    struct al_shard *given = al_custody_disown(self, mine->own[0].shard, 1, NULL);
    al_custody_donate(self, given, 1);
}

static void seize(struct al_worker *self)
{
    (void)al_custody_seize(self, 0);
    self->system->ops->run(self);
}

/* Two messages in the queue of worker 0, for actors of two of its shards. */
static struct counting {
    struct al_actor actor;
    unsigned received;
} * counting;
static struct al_message *message;

static enum al_verdict count(struct al_actor *actor, struct al_message *received)
{
    (void)received;
    ((struct counting *)actor)->received++;
    return AL_NODELETE;
}

static void queue_two(struct al_runtime *system)
{
    counting = al_calloc(2, sizeof *counting);
    message = al_calloc(1, sizeof *message);
    message->verdict = AL_NODELETE;
    al_self_set(&system->workers[0]);
    for (uint32_t i = 0; i < 2; i++) {
        counting[i].actor.route = i;
        al_custody_keep(al_self(), (struct al_envelope){&counting[i].actor, message, count});
    }
}

/* Deliver what is in the queue, in batches, as the loop does. */
static void deliver(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    while (!al_custody_empty(mine)) {
        const struct al_envelope *first = mine->read, *envelope = first;
        al_seizure_at(&mine->seizure, envelope);
        do
            al_deliver(self, envelope++);
        while (envelope < mine->routes.own.tail && al_seizure_goes_on(&mine->seizure, envelope));
        (void)al_custody_come_back(self, mine);
        mine->read += envelope - first;
    }
}

/* Worker 0 delivers both, and worker 1 seizes what waits there, once. */
static void deliver_or_seize(struct al_worker *self)
{
    if (self->id == 0 || al_custody_seize(self, 0))
        deliver(self);
}

/* The same, while worker 2 gives a shard to worker 0, as a gift or as if it had asked: who seizes
 * takes that, too. */
static void give_meanwhile(struct al_worker *self,
                           void (*give)(struct al_worker *self, struct al_shard *given,
                                        uint32_t to))
{
    const struct al_custodian *mine = self->scheduler;
    if (self->id == 2)
        give(self, al_custody_disown(self, mine->own[0].shard, 0, NULL), 0);
    else
        deliver_or_seize(self);
}

static void donate_meanwhile(struct al_worker *self)
{
    give_meanwhile(self, al_custody_donate);
}

static void grant_meanwhile(struct al_worker *self)
{
    give_meanwhile(self, al_custody_grant);
}

/* Worker 1 asks worker 0 twice for shards, which then looks at what it has and may give one away.
 * Messages are long, so that it is worth it. */
static struct al_atomic_u32 n_asked;

/* It says that it has something to give, as al_custody_publish does. */
static void offer(struct al_custodian *mine)
{
    mine->offer.load = 2;
    al_u32_store_relaxed(&mine->load, 2);
}

static void queue_two_long_ones(struct al_runtime *system)
{
    struct al_custodian *mine = system->workers[0].scheduler;
    queue_two(system);
    mine->pace.cost16 = mine->pace.least16 = mine->pace.mean16 = UINT64_C(1) << 24;
    mine->pace.n_quanta = 64;
    offer(mine);
    al_u32_store_relaxed(&n_asked, 0);
}

static void answer(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    al_custody_answer(self);
    if (mine->offer.load == 0)
        offer(mine);
}

/* As a worker does that gets its own shards back. */
static void refuse(struct al_worker *self)
{
    al_custody_refuse(self, 1);
}

/* Reply between messages, until both requests have been. */
static void serve(struct al_worker *self, void (*reply)(struct al_worker *self))
{
    struct al_custodian *mine = self->scheduler;
    do {
        reply(self);
        if (!al_custody_empty(mine))
            al_deliver(self, mine->read++);
        else
            al_pause();
    } while (al_u32_load_relaxed(&n_asked) < 2 || !al_custody_empty(mine));
}

static void ask(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    for (unsigned i = 0; i < 2; i++) {
        (void)al_custody_ask(self, 1);
        (void)al_custody_ask(self, 2);
        while (mine->asking.whom != 0 && !al_custody_answered(self))
            al_pause();
        while (!al_custody_empty(mine))
            al_deliver(self, mine->read++);
        al_u32_store_relaxed(&n_asked, i + 1); /* relaxed: it must not order what it counts */
    }
}

static void refuse_or_ask(struct al_worker *self)
{
    if (self->id == 0)
        serve(self, refuse);
    else
        ask(self);
}

static void answer_or_ask(struct al_worker *self)
{
    if (self->id == 0)
        serve(self, answer);
    else
        ask(self);
}

static void look_at_counts(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (counting[i].received != 1)
            al_scenario_fail("actor %u has received %u messages", i, counting[i].received);
    }
}

#define ASKED                                                                                      \
    .plugins = {"custody", "round-robin", "park"},                                                 \
    .settings = SYSTEM_PARK "shards=2 epoch=0 seize=0 split=0 deal=1 grown=0", .homes = "",        \
    .also = queue_two_long_ones, .look = look_at_counts

#define CUSTODY(more)                                                                              \
    .plugins = {"custody", "none", "park"},                                                        \
    .settings = SYSTEM_PARK "shards=1 epoch=0 seize=0 split=0 deal=1 grown=0 " more

static const struct al_scenario scenarios[] = {
    SYSTEM("custody/starter", 2, 1, CUSTODY(""), .workers = "r", .starts = true, .homes = "0"),
    SYSTEM("custody/worker", 2, 1, CUSTODY(""), .workers = "rx", .other = send_all, .homes = "0"),
    SYSTEM("custody/worker-twice", 2, 2, CUSTODY(""), .workers = "rx", .other = send_all,
           .homes = "0"),
    SYSTEM("custody/outside", 2, 1, CUSTODY(""), .workers = "r", .outside = 1, .homes = "0"),
    SYSTEM("custody/2-workers", 2, 0, CUSTODY(""), .workers = "rr", .homes = "0", .before = 1),
    SYSTEM("custody/relay", 2, 0, CUSTODY(""), .workers = "rr", .homes = "01", .before = 1),
    SYSTEM("custody/gift", 3, 1, CUSTODY(""), .workers = "xrx", .other = give_or_send,
           .homes = "0"),
    SYSTEM("custody/seized", 2, 0, CUSTODY("shards=2"), .workers = "rx", .other = seize,
           .homes = "00", .before = 2),
    SYSTEM("custody/seized-once", 2, 0, CUSTODY("shards=2"), .workers = "xx",
           .other = deliver_or_seize, .homes = "", .also = queue_two, .look = look_at_counts),
    SYSTEM("custody/seized-gift", 3, 0, CUSTODY("shards=2"), .workers = "xxx",
           .other = donate_meanwhile, .homes = "", .also = queue_two, .look = look_at_counts),
    SYSTEM("custody/seized-grant", 3, 0, CUSTODY("shards=2"), .workers = "xxx",
           .other = grant_meanwhile, .homes = "", .also = queue_two, .look = look_at_counts),
    SYSTEM("custody/asked", 2, 0, ASKED, .workers = "xx", .other = answer_or_ask),
    SYSTEM("custody/refused", 2, 0, ASKED, .workers = "xx", .other = refuse_or_ask),
};
AL_SCENARIOS(scenarios)
