/* SPDX-License-Identifier: MIT */

/*
 * The ends of actors, as a program sees them. Promise, for every strategy: config.actor_ended is
 * called once for each actor that ends, before its destructor and with its verdict, and may create
 * another one in its place; al_system_wait says whether all have ended. On threads, and on the
 * virtual engine with many seeds.
 */

#include <string.h>

#include "core/actor.h"
#include "tests/support/each_strategy.h"

#ifdef AL_VIRTUAL
#define SEEDS 20
#else
#define SEEDS 2
#endif
#define ACTORS   6
#define LIVES    4
#define SHORT_NS 3000000u
#define LONG_NS  60000000000u

struct step {
    struct al_message message;
};

struct child {
    struct al_actor actor;
    uint32_t place, life;
    bool destroyed;
};

static struct stage {
    struct al_config config;
    struct child children[ACTORS][LIVES];
    struct step step;
    struct al_atomic_u32 ended[4]; /* by verdict */
} stage;

AL_ACTOR_WITH_DESTRUCTOR(child, destroy)
AL_MESSAGE(step)

static enum al_verdict verdict_of(const struct child *child)
{
    return child->life % 2 == 0 ? AL_DESTROY : AL_FINISHED;
}

AL_BEHAVIOUR(child, step, self, msg)
{
    if (self->life == LIVES - 1)
        return AL_NODELETE; /* until it gets a pill */
    return verdict_of(self);
}

static void destroy(struct child *child)
{
    CHECK(verdict_of(child) == AL_DESTROY, "a destructor runs that should not");
    child->destroyed = true;
}

static void begin(uint32_t place, uint32_t life)
{
    struct child *child = &stage.children[place][life];
    child->place = place;
    child->life = life;
    al_send(child, step, al_actor_init(child, child), &stage.step);
}

/* Create another one, up to the last. */
static void ended(void *argument, struct al_actor *actor, enum al_verdict verdict)
{
    const struct child *child = AL_DERIVED(actor, child, actor);
    CHECK(argument == &stage, "the argument is another");
    CHECK(!child->destroyed && verdict == verdict_of(child), "it is told too late");
    if (child->life < LIVES - 1)
        begin(child->place, child->life + 1);
    /* Last: the starter may send to the new one from now on. */
    al_u32_add_acq_rel(&stage.ended[verdict], 1);
}

static uint32_t all_ended(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4; i++)
        n += al_u32_load_acquire(&stage.ended[i]);
    return n;
}

static void run_actors(void *argument)
{
    struct al_system *system;
    struct al_error error;
    (void)argument;
    CHECK(al_system_start(&stage.config, &system, &error) == 0, "%s", error.text);
    CHECK(al_system_wait(system, 0), "it has actors before any is created");
    al_message_init(step, &stage.step, AL_NODELETE);
    for (uint32_t i = 0; i < ACTORS; i++)
        begin(i, 0);
    while (all_ended() < ACTORS * (LIVES - 1))
        CHECK(!al_system_wait(system, SHORT_NS), "it has ended while actors live");
    CHECK(!al_system_wait(system, SHORT_NS), "it has ended while actors live");
    for (uint32_t i = 0; i < ACTORS; i++)
        al_send_pill(&stage.children[i][LIVES - 1].actor, &al_finished_msg);
    while (!al_system_wait(system, LONG_NS))
        ; /* the virtual engine's clock leaps */
    CHECK(all_ended() == ACTORS * LIVES, "%u ends of %u actors", all_ended(), ACTORS * LIVES);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    uint32_t destroyed = al_u32_load_relaxed(&stage.ended[AL_DESTROY]);
    CHECK(destroyed == ACTORS * LIVES / 2, "%u were destroyed", destroyed);
}

static struct al_config *begin_run(void)
{
    memset(&stage, 0, sizeof stage);
    stage.config.actor_ended = ended;
    stage.config.actor_ended_argument = &stage;
    return &stage.config;
}

int main(void)
{
    static const struct scene scene = {"the ends of actors are told", SEEDS, begin_run, run_actors};
    struct tap tap = {0};
    play_with_each(&tap, &scene);
    return tap_done(&tap);
}
