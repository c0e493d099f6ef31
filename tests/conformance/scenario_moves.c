/* SPDX-License-Identifier: MIT */

/*
 * moves: every actor sends numbered messages to every actor, itself included, again and again, and
 * so does the starting thread, so that many messages of each pair are on their way while strategies
 * move actors, queues or parts of them from worker to worker. Promise: FIFO per pair, whoever runs
 * the two meanwhile.
 *
 * lingers: the same, but at random behaviours stop in the middle of what they send: they compute,
 * sleep, or wait for a while until another actor has run. Strategies then take what waits behind
 * such a behaviour, or what it has sent, and give it back. Some strategies let others run what it
 * waits for, and some do not; so it does not wait for ever.
 */

#include "core/actor.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define PEERS   6
#define OUTSIDE PEERS /* the number of the starting thread among those who send */
#define SENDERS (PEERS + 1)

#define PAUSES   4 /* kinds of them, one of which is none */
#define WORK     20000
#define SLEEP_NS 200000
#define LOOKS    200 /* at another actor that is waited for */

struct turn {
    struct al_message message;
};

struct numbered {
    struct al_message message;
    uint32_t from, sequence;
};

struct peer {
    struct al_actor actor;
    struct peer *peers;
    struct al_atomic_u32 inside; /* a worker is in the behaviour */
    struct al_atomic_u32 begun;  /* behaviours */
    bool lingers;
    uint32_t index, turns, most, ended;
    uint32_t sent[PEERS], expected[SENDERS];
};

AL_ACTOR(peer)
AL_MESSAGE(turn)
AL_MESSAGE(numbered)

static void begin(struct peer *self)
{
    CHECK(al_u32_exchange_acquire(&self->inside, 1) == 0, "actor %u runs on two workers at once",
          self->index);
    al_u32_store_relaxed(&self->begun, al_u32_load_relaxed(&self->begun) + 1);
}

static void end(struct peer *self)
{
    al_u32_store_release(&self->inside, 0);
}

static void await(struct peer *other)
{
    uint32_t begun = al_u32_load_relaxed(&other->begun);
    for (uint32_t i = 0; i < LOOKS && al_u32_load_relaxed(&other->begun) == begun; i++)
        al_yield();
}

static void linger(struct peer *self)
{
    struct al_random *random = &al_self()->random;
    switch (al_random_below(random, PAUSES)) {
    case 0:
        al_work(al_random_below(random, WORK));
        break;
    case 1:
        al_sleep_ns(al_random_below(random, SLEEP_NS));
        break;
    case 2:
        await(&self->peers[al_random_below(random, PEERS)]);
        break;
    default:
        break;
    }
}

AL_BEHAVIOUR(peer, numbered, self, msg)
{
    begin(self);
    CHECK(msg->sequence == self->expected[msg->from],
          "actor %u received message %u of sender %u where %u was due", self->index, msg->sequence,
          msg->from, self->expected[msg->from]);
    self->ended += ++self->expected[msg->from] == self->most;
    end(self);
    return self->ended == SENDERS ? AL_FINISHED : AL_NODELETE;
}

static void send_numbered(struct peer *to, uint32_t from, uint32_t sequence)
{
    struct numbered *numbered = malloc(sizeof *numbered);
    CHECK(numbered != NULL, "no memory");
    al_message_init(numbered, numbered, AL_DELETE);
    numbered->from = from;
    numbered->sequence = sequence;
    al_send(peer, numbered, to, numbered);
}

/* The turn comes back before the last numbered message, which may end the actor. */
AL_BEHAVIOUR(peer, turn, self, msg)
{
    begin(self);
    if (++self->turns < self->most)
        al_send(peer, turn, self, msg);
    for (uint32_t i = 0; i < PEERS; i++) {
        struct peer *to = &self->peers[(self->index + i) % PEERS];
        if (self->lingers && i % 2 == 1)
            linger(self);
        send_numbered(to, self->index, self->sent[to->index]++);
    }
    end(self);
    return AL_NODELETE;
}

static void run_peers(const struct al_config *config, uint32_t most, bool lingers)
{
    struct peer *peers = calloc(PEERS, sizeof *peers);
    CHECK(peers != NULL, "no memory");
    struct al_system *system = start_system(config);
    struct turn turn;
    al_message_init(turn, &turn, AL_NODELETE);
    for (uint32_t i = 0; i < PEERS; i++) {
        al_actor_init(peer, &peers[i]);
        peers[i].peers = peers;
        peers[i].index = i;
        peers[i].most = most;
        peers[i].lingers = lingers;
    }
    for (uint32_t i = 0; i < PEERS; i++)
        al_send(peer, turn, &peers[i], &turn);
    for (uint32_t i = 0; i < most * PEERS; i++)
        send_numbered(&peers[i % PEERS], OUTSIDE, i / PEERS);
    stop_system(system);
    for (uint32_t i = 0; i < PEERS; i++)
        CHECK(peers[i].ended == SENDERS, "actor %u ended with the messages of %u senders", i,
              peers[i].ended);
    al_message_fini(&turn.message);
    free(peers);
}

void run_moves(const struct al_config *config, bool large)
{
    run_peers(config, large ? 300 : 6, false);
}

void run_lingers(const struct al_config *config, bool large)
{
    run_peers(config, large ? 15 : 4, true);
}
