/* SPDX-License-Identifier: MIT */

/*
 * Systems that are cancelled (al_system_cancel) while messages go round for ever: between actors,
 * by timers, at detached actors; and while others wait for messages that never come. Promise, for
 * every strategy, whoever cancels: al_system_stop returns and says that it was cancelled, and of
 * what is sent afterwards each message is received or disposed of, once. On threads, and on the
 * virtual engine with many seeds.
 */

#include <errno.h>
#include <stdlib.h>

#include "core/later.h"
#include "tests/support/each_strategy.h"

#ifdef AL_VIRTUAL
#define SEEDS 20
#define LEAST 30 /* messages before it is cancelled, about */
#else
#define SEEDS 2
#define LEAST 3000
#endif
#define PAIRS    4
#define TICKS_NS 1000
#define TICKS    LEAST /* it may be at its last when the system is cancelled */

struct ball {
    struct al_message message;
    uint32_t receiver;
    bool flies; /* since it was sent, until it is received and disposed of */
};

struct tick {
    struct al_message message;
    bool set; /* until it is received and disposed of */
};

struct player {
    struct al_actor actor;
    struct ball balls[2]; /* that it sends, in turn */
    uint32_t place, n;
};

struct clock {
    struct al_actor actor;
    struct tick ticks[2]; /* in turn */
    uint32_t n;
};

/* Of a run. What a strategy keeps of actors that live may be known to them alone. */
static struct stage {
    struct stage *before;
    struct al_config config;
    struct al_system *system;
    uint64_t by_behaviour; /* 0, or after so many messages a behaviour cancels */
    struct player players[2 * PAIRS];
    struct player idle;
    struct clock clock;
    struct al_atomic_u64 received;
} * stage;

AL_ACTOR(player)
AL_ACTOR(clock)
AL_MESSAGE_WITH_DESTRUCTOR(tick, chime)
AL_MESSAGE_WITH_DESTRUCTOR(ball, land)

static void land(struct ball *ball)
{
    CHECK(ball->flies, "a message is disposed of twice");
    ball->flies = false;
}

static void chime(struct tick *tick)
{
    CHECK(tick->set, "a tick is disposed of twice");
    tick->set = false;
}

static void throw_ball(struct player *self);

static void count(void)
{
    if (al_u64_add_acq_rel(&stage->received, 1) + 1 == stage->by_behaviour)
        al_system_cancel(stage->system);
}

AL_BEHAVIOUR(player, ball, self, msg)
{
    CHECK(msg->receiver == self->place, "a message of another");
    count();
    throw_ball(self);
    return AL_NODELETE;
}

/* Throw a ball to the other one of the pair. */
static void throw_ball(struct player *self)
{
    struct ball *ball = &self->balls[self->n++ % 2];
    CHECK(!ball->flies, "a message has not been disposed of");
    ball->receiver = self->place ^ 1;
    al_message_init(ball, ball, AL_DESTROY);
    ball->flies = true;
    al_send(player, ball, &stage->players[ball->receiver], ball);
}

static struct tick *next_tick(struct clock *self)
{
    struct tick *tick = &self->ticks[self->n % 2];
    CHECK(!tick->set, "a tick has not been disposed of");
    al_message_init(tick, tick, AL_DESTROY);
    tick->set = true;
    return tick;
}

AL_BEHAVIOUR(clock, tick, self, msg)
{
    count();
    (void)msg;
    if (++self->n < TICKS)
        al_send_after(clock, tick, self, next_tick(self), TICKS_NS);
    return AL_NODELETE;
}

static void create_all(void)
{
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        struct player *player = &stage->players[i];
        player->place = i;
        al_actor_init_at(player, player, i < 2 ? AL_PLACE_DETACHED : AL_PLACE_ANYWHERE);
    }
    al_actor_init_at(player, &stage->idle, AL_PLACE_DETACHED);
    al_actor_init(clock, &stage->clock);
    /* An actor is thrown one ball at a time, so that it has one of its own to throw. */
    for (uint32_t i = 0; i < PAIRS; i++)
        throw_ball(&stage->players[2 * i]);
    al_send(clock, tick, &stage->clock, next_tick(&stage->clock));
}

static void start(uint64_t by_behaviour)
{
    struct al_error error;
    stage->by_behaviour = by_behaviour;
    CHECK(al_system_start(&stage->config, &stage->system, &error) == 0, "%s", error.text);
    create_all();
}

static void stop(void)
{
    int code = al_system_stop(stage->system, NULL);
    CHECK(code == -ECANCELED, "al_system_stop returns %d", code);
    uint64_t received = al_u64_load_acquire(&stage->received);
    CHECK(received >= LEAST, "it ends after %llu messages", (unsigned long long)received);
    /* A worker leaves when nothing waits for it. The first pair has threads of its own, and what
     * the starter has thrown may come too late. */
    for (uint32_t i = 2; i < 2 * PAIRS && stage->config.workers == 1; i++)
        CHECK(stage->players[i | 1].n == 0 ||
                  (!stage->players[i].balls[0].flies && !stage->players[i].balls[1].flies),
              "what was dropped has not been disposed of");
    const struct clock *clock = &stage->clock;
    CHECK(stage->config.workers != 1 || clock->n == 0 ||
              (!clock->ticks[0].set && !clock->ticks[1].set),
          "what was to be sent later has not been disposed of");
}

static void run_starter(void *argument)
{
    (void)argument;
    start(0);
    al_await(&stage->received, LEAST);
    al_system_cancel(stage->system);
    CHECK(al_system_wait(stage->system, UINT64_MAX), "it waits for what was cancelled");
    stop();
}

static void run_behaviour(void *argument)
{
    (void)argument;
    start(LEAST);
    stop();
}

static void outside_main(void *argument)
{
    (void)argument;
    while (al_u64_load_acquire(&stage->received) < LEAST)
        al_yield();
    al_system_cancel(stage->system);
}

static void run_outside(void *argument)
{
    struct al_thread thread;
    (void)argument;
    start(0);
    CHECK(al_thread_start(&thread, outside_main, NULL) == 0, "no thread");
    stop();
    al_thread_join(&thread);
}

static struct al_config *begin_unshared(void)
{
    struct stage *next = calloc(1, sizeof *next);
    CHECK(next != NULL, "no memory");
    next->before = stage;
    stage = next;
    return &stage->config;
}

static struct al_config *begin_shared(void)
{
    struct al_config *config = begin_unshared();
    config->shared = true;
    return config;
}

int main(void)
{
    static const struct scene scenes[] = {
        {"the thread that started it cancels", SEEDS, begin_unshared, run_starter},
        {"a behaviour cancels", SEEDS, begin_unshared, run_behaviour},
        {"a thread from outside cancels", SEEDS, begin_shared, run_outside},
    };
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play_with_each(&tap, &scenes[i]);
    return tap_done(&tap);
}
