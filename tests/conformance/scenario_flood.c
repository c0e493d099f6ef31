/* SPDX-License-Identifier: MIT */

/*
 * flood: over a million messages, so that a fault that occurs once in 100,000 shows. Promise: every
 * message is received exactly once. The end depends on few of them, so that a lost message is
 * counted, not waited for.
 */

#include "core/actor.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define SENDERS   8
#define RECEIVERS 8
#define ROUNDS    160
#define BATCH     1024 /* letters per round: 1.3 million in all */

struct letter {
    struct al_message message;
};

struct last {
    struct al_message message;
};

struct go {
    struct al_message message;
};

struct reader {
    struct al_actor actor;
    uint64_t received;
    uint32_t ended; /* writers that have finished */
};

struct flood;

struct writer {
    struct al_actor actor;
    struct flood *flood;
    uint32_t rounds;
};

/* All senders share the messages. */
struct flood {
    struct reader readers[RECEIVERS];
    struct writer writers[SENDERS];
    struct letter letter;
    struct last last;
    struct go go;
};

AL_ACTOR(reader)
AL_ACTOR(writer)
AL_MESSAGE(letter)
AL_MESSAGE(last)
AL_MESSAGE(go)

AL_BEHAVIOUR(reader, letter, self, msg)
{
    (void)msg;
    self->received++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(reader, last, self, msg)
{
    (void)msg;
    return ++self->ended == SENDERS ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(writer, go, self, msg)
{
    struct flood *flood = self->flood;
    for (uint32_t i = 0; i < BATCH; i++)
        al_send(reader, letter, &flood->readers[i % RECEIVERS], &flood->letter);
    if (++self->rounds < ROUNDS) {
        al_send(writer, go, self, msg);
        return AL_NODELETE;
    }
    for (uint32_t i = 0; i < RECEIVERS; i++)
        al_send(reader, last, &flood->readers[i], &flood->last);
    return AL_FINISHED;
}

void run_flood(const struct al_config *config, bool large)
{
    (void)large;
    struct flood *flood = calloc(1, sizeof *flood);
    CHECK(flood != NULL, "no memory");
    struct al_system *system = start_system(config);
    al_message_init(letter, &flood->letter, AL_NODELETE);
    al_message_init(last, &flood->last, AL_NODELETE);
    al_message_init(go, &flood->go, AL_NODELETE);
    for (uint32_t i = 0; i < RECEIVERS; i++)
        al_actor_init(reader, &flood->readers[i]);
    for (uint32_t i = 0; i < SENDERS; i++) {
        flood->writers[i].flood = flood;
        al_send(writer, go, al_actor_init(writer, &flood->writers[i]), &flood->go);
    }
    stop_system(system);
    for (uint32_t i = 0; i < RECEIVERS; i++)
        CHECK(flood->readers[i].received == (uint64_t)SENDERS * ROUNDS * (BATCH / RECEIVERS),
              "reader %u received %llu letters", i, (unsigned long long)flood->readers[i].received);
    al_message_fini(&flood->letter.message);
    al_message_fini(&flood->last.message);
    al_message_fini(&flood->go.message);
    free(flood);
}
