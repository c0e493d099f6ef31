/* SPDX-License-Identifier: MIT */

/*
 * How long a bystander waits beside a pair that plays ping-pong, all on one worker. Strategies
 * whose owner takes the newest ready actor first run it when the game is over, as CAF does; the
 * documents of deque, las and mercury say so, and how to have it otherwise.
 */

#include "core/actor.h"
#include "tests/support/choose.h"

#define TURNS      1000
#define BYSTANDERS 8
#define SOON       (4 * BYSTANDERS) /* turns of the pair, at most, before every bystander has run */

struct ball {
    struct al_message message;
};

struct stage;

struct player {
    struct al_actor actor;
    struct player *other;
    struct stage *stage;
    bool begins;
};

struct bystander {
    struct al_actor actor;
    struct stage *stage;
};

struct stage {
    struct player players[2];
    struct bystander bystanders[BYSTANDERS];
    struct ball ball, look;
    uint32_t turns, latest; /* of the pair; when the last bystander ran */
};

AL_ACTOR(player)
AL_ACTOR(bystander)
AL_MESSAGE(ball)

AL_BEHAVIOUR(bystander, ball, self, msg)
{
    self->stage->latest = self->stage->turns;
    return AL_FINISHED;
}

AL_BEHAVIOUR(player, ball, self, msg)
{
    struct stage *stage = self->stage;
    if (self->begins) {
        self->begins = false;
        for (uint32_t i = 0; i < BYSTANDERS; i++)
            al_send(bystander, ball, &stage->bystanders[i], &stage->look);
    }
    if (stage->turns <= TURNS)
        al_send(player, ball, self->other, msg);
    return stage->turns++ >= TURNS ? AL_FINISHED : AL_NODELETE;
}

/* How many turns the pair has had when the last bystander ran. */
static uint32_t wait_of(const char *scheduler, const char *key, const char *value)
{
    static struct stage stage;
    struct al_setting setting = {key, value};
    struct al_config config = {.workers = 1, .settings = &setting, .n_settings = key != NULL};
    struct al_system *system;
    struct al_error error;
    choose_plugins(&config, scheduler, NULL, NULL);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    stage = (struct stage){0};
    al_message_init(ball, &stage.ball, AL_NODELETE);
    al_message_init(ball, &stage.look, AL_NODELETE);
    for (uint32_t i = 0; i < BYSTANDERS; i++) {
        stage.bystanders[i].stage = &stage;
        al_actor_init(bystander, &stage.bystanders[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        stage.players[i] = (struct player){
            .other = &stage.players[1 - i], .stage = &stage, .begins = i == 0};
        al_actor_init(player, &stage.players[i]);
    }
    al_send(player, ball, &stage.players[0], &stage.ball);
    al_system_stop(system, NULL);
    return stage.latest;
}

static const struct line {
    const char *scheduler, *key, *value;
    bool soon;
} lines[] = {
    {"deque", NULL, NULL, false},         {"deque", "owner", "fifo", true},
    {"las", NULL, NULL, false},           {"las", "placement", "las_a", true},
    {"mercury", NULL, NULL, false},       {"mercury", "deque", "locked", false},
    {"sharing", NULL, NULL, true},        {"inverted", NULL, NULL, true},
    {"inverted", "batching", "on", true}, {"custody", NULL, NULL, true},
    {"central", NULL, NULL, true},
};

int main(void)
{
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct line *line = &lines[i];
        uint32_t turns = wait_of(line->scheduler, line->key, line->value);
        bool is_right = line->soon ? turns <= SOON : turns > TURNS;
        tap_ok(&tap, is_right, "%s%s%s%s%s: the last bystander runs after %u turns",
               line->scheduler, line->key != NULL ? ", " : "", line->key != NULL ? line->key : "",
               line->key != NULL ? "=" : "", line->key != NULL ? line->value : "", turns);
    }
    return tap_done(&tap);
}
