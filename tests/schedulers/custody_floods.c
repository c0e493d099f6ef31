/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: queues that grow fast. Many senders flood few receivers, whose messages the
 * worker brings forward. Promises: messages from one sender to one receiver keep their order; with
 * one worker, however many messages it delivers between two looks around, what few senders send
 * waits at a time, not what all of them do; and nothing starves while an actor floods itself again
 * and again. On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/registry.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#define SEEDS       (AL_SYNC_THREADS ? 2 : 3)
#define N_SENDERS   40
#define N_RECEIVERS 3
#define N_EACH      200 /* messages of a sender, to the receivers in turn */
#define GROWN       "100"

#define N_BYSTANDERS 10
/* It is a flood when less than an eighth of the queue is for others, which is looked at whenever
 * the queue has doubled; and the last sender may have just begun. */
#define WAITING_MOST (2 * 8 * (N_SENDERS + N_BYSTANDERS) + 2 * N_EACH)
#define N_BURST      1600
#define BURSTS_MOST  (2 * N_BYSTANDERS) /* one bystander has its turn between two bursts */

struct note {
    struct al_message message;
    uint32_t sender, sequence;
};

struct flood;

struct sender {
    struct al_actor actor;
    struct flood *flood;
    struct note notes[N_EACH];
};

struct receiver {
    struct al_actor actor;
    struct flood *flood;
    uint32_t next[N_SENDERS]; /* the sequence number that comes next */
    uint32_t left;
};

struct bystander {
    struct al_actor actor;
    struct flood *flood;
};

/* Floods itself until all bystanders have had their turn. */
struct burster {
    struct al_actor actor;
    struct flood *flood;
    uint32_t n_bursts, left; /* left: notes of this burst */
};

/* Sends the first messages, so that all of them wait in one queue. */
struct director {
    struct al_actor actor;
    struct flood *flood;
};

struct flood {
    struct al_config config;
    struct al_setting settings[4 + SHORT_SLEEPS_MOST];
    struct director director;
    struct sender senders[N_SENDERS];
    struct receiver receivers[N_RECEIVERS];
    struct burster burster;
    struct bystander bystanders[N_BYSTANDERS];
    struct note go; /* received by all */
    struct al_atomic_u32 sent, received, bystanders_left;
    uint32_t waiting_most;
    bool alone; /* one worker */
};

AL_ACTOR(director)
AL_ACTOR(sender)
AL_ACTOR(receiver)
AL_ACTOR(burster)
AL_ACTOR(bystander)
AL_MESSAGE(note)

AL_BEHAVIOUR(receiver, note, self, msg)
{
    CHECK(msg->sequence == self->next[msg->sender], "note %u of sender %u came instead of %u",
          msg->sequence, msg->sender, self->next[msg->sender]);
    self->next[msg->sender] += N_RECEIVERS;
    al_u32_add_relaxed(&self->flood->received, 1); /* relaxed, here and below: counts */
    return --self->left == 0 ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(sender, note, self, msg)
{
    (void)msg;
    struct flood *flood = self->flood;
    for (uint32_t i = 0; i < N_EACH; i++) {
        struct note *note = al_message_init(note, &self->notes[i], AL_NODELETE);
        note->sender = (uint32_t)(self - flood->senders);
        note->sequence = i;
        al_send(receiver, note, &flood->receivers[i % N_RECEIVERS], note);
    }
    uint32_t sent = al_u32_add_relaxed(&flood->sent, N_EACH) + N_EACH;
    uint32_t waiting = sent - al_u32_load_relaxed(&flood->received);
    if (flood->alone && waiting > flood->waiting_most)
        flood->waiting_most = waiting;
    return AL_FINISHED;
}

AL_BEHAVIOUR(bystander, note, self, msg)
{
    (void)msg;
    al_u32_add_relaxed(&self->flood->bystanders_left, UINT32_MAX);
    return AL_FINISHED;
}

AL_BEHAVIOUR(burster, note, self, msg)
{
    if (self->left != 0 && --self->left != 0)
        return AL_NODELETE;
    uint32_t n_bystanders = al_u32_load_relaxed(&self->flood->bystanders_left);
    if (n_bystanders == 0)
        return AL_FINISHED;
    CHECK(!self->flood->alone || self->n_bursts++ < BURSTS_MOST, "%u bystanders have had no turn",
          n_bystanders);
    self->left = N_BURST;
    for (uint32_t i = 0; i < N_BURST; i++)
        al_send(burster, note, self, msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR(director, note, self, msg)
{
    struct flood *flood = self->flood;
    al_send(burster, note, &flood->burster, msg);
    for (uint32_t i = 0; i < N_BYSTANDERS; i++)
        al_send(bystander, note, &flood->bystanders[i], msg);
    for (uint32_t i = 0; i < N_SENDERS; i++)
        al_send(sender, note, &flood->senders[i], msg);
    return AL_FINISHED;
}

static void run_flood(void *argument)
{
    struct flood *flood = argument;
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&flood->config, &system, &error) == 0, "%s", error.text);
    al_u32_store_relaxed(&flood->bystanders_left, N_BYSTANDERS); /* relaxed: published by go */
    flood->director.flood = flood->burster.flood = flood;
    al_actor_init(director, &flood->director);
    al_actor_init(burster, &flood->burster);
    for (uint32_t i = 0; i < N_BYSTANDERS; i++) {
        flood->bystanders[i].flood = flood;
        al_actor_init(bystander, &flood->bystanders[i]);
    }
    for (uint32_t i = 0; i < N_RECEIVERS; i++) {
        struct receiver *receiver = al_actor_init(receiver, &flood->receivers[i]);
        receiver->flood = flood;
        receiver->left = N_SENDERS * ((N_EACH + N_RECEIVERS - 1 - i) / N_RECEIVERS);
        for (uint32_t s = 0; s < N_SENDERS; s++)
            receiver->next[s] = i;
    }
    for (uint32_t i = 0; i < N_SENDERS; i++) {
        flood->senders[i].flood = flood;
        al_actor_init(sender, &flood->senders[i]);
    }
    al_message_init(note, &flood->go, AL_NODELETE);
    al_send(director, note, &flood->director, &flood->go);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    CHECK(flood->waiting_most <= WAITING_MOST, "%u notes waited at a time instead of %u",
          flood->waiting_most, WAITING_MOST);
}

int main(void)
{
    static const struct al_setting variants[][2] = {
        {{"quantum", "0"}, {"scatter", "0"}},
        {{"quantum", "8000"}, {"scatter", "0"}},
        {{"quantum", "0"}, {"scatter", "1"}},
    };
    struct tap tap = {0};
    for (uint32_t workers = 1; workers <= 3; workers++)
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                static struct flood flood;
                memset(&flood, 0, sizeof flood);
                choose_plugins(&flood.config, "custody", NULL, "park");
                flood.settings[0] = (struct al_setting){"grown", GROWN};
                flood.settings[1] = variants[v][0];
                flood.settings[2] = variants[v][1];
                flood.alone = workers == 1;
                oversubscribe(&flood.config, flood.settings, 3, workers, seed);
                run_seed(seed, run_flood, &flood);
            }
            tap_ok(&tap, true,
                   "floods keep their order and nothing starves, %u workers, %s=%s, %s=%s", workers,
                   variants[v][0].key, variants[v][0].value, variants[v][1].key,
                   variants[v][1].value);
        }
    return tap_done(&tap);
}
