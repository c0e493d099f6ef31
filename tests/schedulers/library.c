/* SPDX-License-Identifier: MIT */

/*
 * The option `library` of the actor-centric strategies, on the simulated machine: each message that
 * is received takes so much longer, also by an actor with a thread of its own and under an
 * observer; by default nothing is added.
 */

#include <string.h>

#include "core/actor.h"
#include "core/observe/observer.h"
#include "core/plugin/scheduler.h"
#include "tests/engine/sim_machine.h"
#include "tests/support/choose.h"

#define TRIPS  500
#define SLACK  5000 /* ns that all of them may take more or less, by another order of events */
#define ADDED  "150"
#define ADD_NS 150

struct ball {
    struct al_message message;
};

/* Two that play with two balls, so that turns receive more than one; but with threads of their own
 * with one, so that they do not work at the same time. */
struct player {
    struct al_actor actor;
    struct player *other;
    uint64_t received, sends;
};

struct game {
    const char *scheduler, *library; /* NULL: the default */
    enum al_placement placement;
    uint64_t balls;
    bool observed;
    uint64_t took_ns;
};

AL_ACTOR(player)
AL_MESSAGE(ball)

AL_BEHAVIOUR(player, ball, self, msg)
{
    if (self->sends != 0) {
        self->sends--;
        al_send(player, ball, self->other, msg);
    }
    return ++self->received == TRIPS ? AL_FINISHED : AL_NODELETE;
}

static void play(void *argument)
{
    static struct player players[2];
    static struct ball balls[2];
    struct game *game = argument;
    struct al_observer observer = {.context = game};
    struct al_setting setting = {"library", game->library};
    struct al_config config = {.workers = 1,
                               .simulated = true,
                               .observer = game->observed ? &observer : NULL,
                               .settings = &setting,
                               .n_settings = game->library != NULL};
    struct al_system *system;
    struct al_error error;
    choose_plugins(&config, game->scheduler, NULL, NULL);
    if (config.scheduler->sleeps == AL_SLEEPS_BY_POLICY)
        choose_plugins(&config, game->scheduler, NULL, "spin"); /* no sleep changes the order */
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    memset(players, 0, sizeof players);
    for (int i = 0; i < 2; i++) {
        players[i].other = &players[1 - i];
        players[i].sends = i == 0 ? TRIPS : TRIPS - game->balls; /* the others are from outside */
        al_actor_init_at(player, &players[i], game->placement);
    }
    uint64_t began_ns = al_clock_ns();
    for (uint64_t i = 0; i < game->balls; i++)
        al_send(player, ball, &players[0], al_message_init(ball, &balls[i], AL_NODELETE));
    CHECK(al_system_stop(system, NULL) == 0, "not received");
    game->took_ns = al_clock_ns() - began_ns;
}

static uint64_t time_of_game(const struct machine *machine, struct game game)
{
    machine_run(machine, play, &game);
    return game.took_ns;
}

static void test_added(struct tap *tap, const struct machine *machine, struct game game,
                       const char *how)
{
    uint64_t plain_ns = time_of_game(machine, game);
    game.library = "0";
    uint64_t none_ns = time_of_game(machine, game);
    game.library = ADDED;
    uint64_t added_ns = time_of_game(machine, game) - plain_ns, due_ns = 2 * TRIPS * ADD_NS;
    tap_ok(tap, none_ns == plain_ns, "%s%s: by default nothing is added (%llu, %llu ns)",
           game.scheduler, how, (unsigned long long)plain_ns, (unsigned long long)none_ns);
    tap_ok(tap, added_ns + SLACK > due_ns && added_ns < due_ns + SLACK,
           "%s%s: %u messages take %u ns longer each (%llu)", game.scheduler, how, 2 * TRIPS,
           ADD_NS, (unsigned long long)added_ns);
}

int main(void)
{
    static const char *const schedulers[] = {"deque", "las", "mercury", "sharing"};
    struct tap tap = {0};
    struct machine machine;
    machine_init(&machine, (struct shape){1, 1, 1, 1, 4, 1});
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        struct game game = {.scheduler = schedulers[i], .placement = AL_PLACE_ANYWHERE, .balls = 2};
        test_added(&tap, &machine, game, "");
        game.observed = true;
        test_added(&tap, &machine, game, ", observed");
        game = (struct game){
            .scheduler = schedulers[i], .placement = AL_PLACE_DETACHED, .balls = 1};
        test_added(&tap, &machine, game, ", detached");
    }
    return tap_done(&tap);
}
