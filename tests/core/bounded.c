/* SPDX-License-Identifier: MIT */

/*
 * Bounds on what waits for an actor (core/bound.h): actors that try again later, and threads from
 * outside that wait for room, send to one receiver. Promise, for every strategy: no more messages
 * than that wait at any time, each arrives once, those of a sender in their order, and nobody waits
 * for ever. On threads, and on the virtual engine with many seeds.
 */

#include <string.h>

#include "core/bound.h"
#include "tests/support/each_strategy.h"

#ifdef AL_VIRTUAL
#define SEEDS    80
#define MESSAGES 10 /* of each sender */
#else
#define SEEDS    2
#define MESSAGES 2000
#endif
#define ACTORS  2
#define THREADS 3
#define SENDERS (ACTORS + THREADS)
#define MOST    3 /* bounds are from 1 to this */

struct order {
    struct al_message message;
    uint32_t sender, number;
};

struct go {
    struct al_message message;
};

/* Of a buyer that was refused: it wants to hear when this has been received. Else it could keep its
 * worker from running the store. */
struct wish {
    struct al_message message;
    struct buyer *from;
};

struct store {
    struct al_actor actor;
    struct al_bound bound;
    uint32_t got[SENDERS], n; /* n: of all */
};

struct buyer {
    struct al_actor actor;
    struct go go;
    struct wish wish;
    uint32_t place, sent;
};

static struct stage {
    struct al_config config;
    struct al_system *system;
    uint32_t most;
    struct al_atomic_u32 let_in, received;
    struct store store;
    struct buyer buyers[ACTORS];
    struct order orders[SENDERS][MESSAGES];
} stage;

AL_ACTOR(store)
AL_ACTOR(buyer)
AL_MESSAGE(order)
AL_MESSAGE(go)
AL_MESSAGE(wish)
AL_BEHAVIOUR_DECLARE(buyer, go)

AL_BEHAVIOUR(store, order, self, msg)
{
    uint32_t got = self->got[msg->sender]++;
    CHECK(msg->number == got, "message %u of sender %u arrives where %u was due", msg->number,
          msg->sender, got);
    al_u32_add_acq_rel(&stage.received, 1);
    return ++self->n == MESSAGES * SENDERS ? AL_FINISHED : AL_NODELETE;
}
AL_BOUNDED(store, order)

AL_BEHAVIOUR(store, wish, self, msg)
{
    al_send(buyer, go, msg->from, &msg->from->go);
    return AL_NODELETE;
}

static struct order *order_of(uint32_t sender, uint32_t number)
{
    struct order *order = &stage.orders[sender][number];
    al_message_init(order, order, AL_NODELETE);
    order->sender = sender;
    order->number = number;
    return order;
}

/* A message has been let in. One that is being received may have left its room, and not be counted
 * as received yet. */
static void let_in(void)
{
    uint32_t n = al_u32_add_acq_rel(&stage.let_in, 1) + 1;
    int32_t waiting = (int32_t)(n - al_u32_load_acquire(&stage.received));
    CHECK(waiting <= (int32_t)stage.most + 1, "%d wait, or are being received, of at most %u",
          waiting, stage.most);
}

AL_BEHAVIOUR_DEFINE(buyer, go, self, msg)
{
    if (!al_try_send(store, order, &stage.store, order_of(self->place, self->sent))) {
        al_send(store, wish, &stage.store, &self->wish);
        return AL_NODELETE;
    }
    let_in();
    if (++self->sent == MESSAGES)
        return AL_FINISHED;
    al_send(buyer, go, self, msg);
    return AL_NODELETE;
}

static void outside_main(void *argument)
{
    uint32_t sender = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        struct order *order = order_of(sender, i);
        CHECK(al_system_try_send(stage.system, store, order, &stage.store, order, UINT64_MAX),
              "it was to wait for ever");
        let_in();
    }
}

/* A bound of its own, which nobody leaves: who waits for so long gives up, and is no sleeper. */
static void check_patience(void)
{
    struct al_bound bound;
    al_bound_init(&bound, 1);
    CHECK(al_bound_wait(&bound, 0), "there is room");
    CHECK(!al_bound_enter(&bound), "there is none");
    CHECK(!al_bound_wait(&bound, 0), "there is none at once");
    CHECK(!al_bound_wait(&bound, 1000000), "there is none in a millisecond");
    CHECK(al_u64_load_relaxed(&bound.word) == 1, "who has given up still counts");
    al_bound_leave(&bound);
    CHECK(al_bound_wait(&bound, 0), "there is room again");
}

static void run(void *argument)
{
    struct al_thread threads[THREADS];
    struct al_error error;
    (void)argument;
    check_patience();
    CHECK(al_system_start(&stage.config, &stage.system, &error) == 0, "%s", error.text);
    al_bound_init(&stage.store.bound, stage.most);
    al_actor_init(store, &stage.store);
    for (uint32_t i = 0; i < ACTORS; i++) {
        stage.buyers[i].place = i;
        /* Once: the store may not have returned from it when the buyer sends it again. */
        al_message_init(wish, &stage.buyers[i].wish, AL_NODELETE)->from = &stage.buyers[i];
        al_actor_init(buyer, &stage.buyers[i]);
        al_send(buyer, go, &stage.buyers[i], al_message_init(go, &stage.buyers[i].go, AL_NODELETE));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(al_thread_start(&threads[i], outside_main, (void *)(uintptr_t)(ACTORS + i)) == 0,
              "no thread");
    for (uint32_t i = 0; i < THREADS; i++)
        al_thread_join(&threads[i]);
    CHECK(al_system_stop(stage.system, NULL) == 0, "messages were never received");
    CHECK(stage.store.n == MESSAGES * SENDERS, "%u messages of %u", stage.store.n,
          MESSAGES * SENDERS);
    CHECK(al_u64_load_relaxed(&stage.store.bound.word) == 0, "something is still counted");
}

static struct al_config *begin_run(void)
{
    static uint32_t runs;
    memset(&stage, 0, sizeof stage);
    stage.most = 1 + runs++ % MOST;
    stage.config.shared = true;
    return &stage.config;
}

int main(void)
{
    static const struct scene scene = {"what waits is bounded", SEEDS, begin_run, run};
    struct tap tap = {0};
    play_with_each(&tap, &scene);
    return tap_done(&tap);
}
