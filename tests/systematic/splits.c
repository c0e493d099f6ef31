/* SPDX-License-Identifier: MIT */

/* Splits of custody's shards (schedulers/custody/split.h): an actor gets a shard of its own while
 * others send to it. No message is lost, and those of one sender come in their order. */

#include "schedulers/custody/custody.h"
#include "tests/systematic/systems.h"

enum { SENT = 2 }; /* messages, one before and one after the sender has seen the split, or not */

static struct counting {
    struct al_actor actor;
    unsigned received;
} * hot;
static struct al_message *messages; /* the first is in the owner's queue, before the others */
static struct al_atomic_u32 all_received;

static enum al_verdict receive(struct al_actor *actor, struct al_message *message)
{
    struct counting *self = (struct counting *)actor;
    unsigned number = (unsigned)(message - messages);
    if (number != self->received)
        al_scenario_fail("message %u comes when %u is due", number, self->received);
    self->received++;
    return AL_NODELETE;
}

static struct al_envelope envelope(unsigned message)
{
    return (struct al_envelope){&hot->actor, &messages[message], receive};
}

static void begin(struct al_runtime *system)
{
    hot = al_calloc(1, sizeof *hot);
    messages = al_calloc(1 + SENT, sizeof *messages);
    for (unsigned i = 0; i <= SENT; i++)
        messages[i].verdict = AL_NODELETE;
    al_u32_store_relaxed(&all_received, 0);
    al_self_set(&system->workers[0]);
    hot->actor.route = 0; /* the first shard of worker 0 */
    al_custody_keep(al_self(), envelope(0));
}

static void deliver(struct al_worker *self, struct al_custodian *mine)
{
    while (!al_custody_empty(mine)) {
        if (mine->first != mine->last && mine->read == mine->first->end) {
            mine->first = al_chunk_next(mine->first);
            mine->read = mine->first->envelopes;
            mine->n_chunks--;
        } else {
            al_deliver(self, mine->read++);
        }
    }
}

/* What the loop does around messages, until the split is over and all has come. */
static void own(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    al_custody_split_any(self, false);
    while (hot->received <= SENT || mine->splitting.n_parents > 0) {
        al_custody_acknowledge(self, mine);
        al_custody_settle(self);
        bool found = al_custody_take_in(self);
        deliver(self, mine);
        if (!found)
            al_pause();
    }
    al_u32_store_relaxed(&all_received, 1);
}

static void acknowledge(struct al_worker *self)
{
    while (al_u32_load_relaxed(&all_received) == 0) {
        al_custody_acknowledge(self, self->scheduler);
        al_pause();
    }
}

static void send(struct al_worker *self, unsigned message)
{
    al_sender *sender = self->send;
    sender(self, &hot->actor, &messages[message], receive);
}

static void own_or_send(struct al_worker *self)
{
    if (self->id == 0) {
        own(self);
        return;
    }
    for (unsigned i = 1; i <= SENT; i++) {
        send(self, i);
        al_custody_acknowledge(self, self->scheduler);
    }
    al_custody_flush(self);
    acknowledge(self);
}

/* The same, and the sender may know of the split before it sends; each message leaves at once. */
static void own_or_send_told(struct al_worker *self)
{
    if (self->id == 0) {
        own(self);
        return;
    }
    for (unsigned i = 1; i <= SENT; i++) {
        al_custody_acknowledge(self, self->scheduler);
        send(self, i);
        al_custody_flush(self);
    }
    acknowledge(self);
}

static void own_or_acknowledge(struct al_worker *self)
{
    if (self->id == 0)
        own(self);
    else
        acknowledge(self);
}

static void send_all(struct al_worker *self)
{
    for (unsigned i = 1; i <= SENT; i++)
        send(self, i);
}

static void look(void)
{
    if (hot->received != 1 + SENT)
        al_scenario_fail("%u messages are received", hot->received);
}

#define SPLIT(idle, more)                                                                          \
    .plugins = {"custody", "round-robin", idle},                                                   \
    .settings = more "shards=1 epoch=0 seize=0 deal=1 grown=0", .homes = "", .also = begin,        \
    .look = look
#define PARKS SPLIT("park", SYSTEM_PARK)
#define SPINS SPLIT("spin", "") /* then nobody is woken, and passes a fence for it */

static const struct al_scenario scenarios[] = {
    SYSTEM("custody/split", 2, 0, PARKS, .workers = "xx", .other = own_or_send),
    SYSTEM("custody/split-told", 2, 0, PARKS, .workers = "xx", .other = own_or_send_told),
    SYSTEM("custody/split-starter", 3, 0, SPINS, .workers = "xx", .other = own_or_acknowledge,
           .starts = true, .starter = send_all),
};
AL_SCENARIOS(scenarios)
