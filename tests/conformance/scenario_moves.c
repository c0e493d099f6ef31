/* SPDX-License-Identifier: MIT */

/*
 * moves: every actor sends numbered messages to every actor, itself included, again and again, and
 * so does the starting thread, so that many messages of each pair are on their way while strategies
 * move actors, queues or parts of them from worker to worker. Promise: FIFO per pair, whoever runs
 * the two meanwhile.
 */

#include "core/actor.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define PEERS   6
#define OUTSIDE PEERS /* the number of the starting thread among those who send */
#define SENDERS (PEERS + 1)

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
}

static void end(struct peer *self)
{
    al_u32_store_release(&self->inside, 0);
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
        send_numbered(to, self->index, self->sent[to->index]++);
    }
    end(self);
    return AL_NODELETE;
}

void run_moves(const struct al_config *config, bool large)
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
        peers[i].most = large ? 300 : 6;
    }
    for (uint32_t i = 0; i < PEERS; i++)
        al_send(peer, turn, &peers[i], &turn);
    for (uint32_t i = 0, most = peers[0].most; i < most * PEERS; i++)
        send_numbered(&peers[i % PEERS], OUTSIDE, i / PEERS);
    stop_system(system);
    for (uint32_t i = 0; i < PEERS; i++)
        CHECK(peers[i].ended == SENDERS, "actor %u ended with the messages of %u senders", i,
              peers[i].ended);
    al_message_fini(&turn.message);
    free(peers);
}
