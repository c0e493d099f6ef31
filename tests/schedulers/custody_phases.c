/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: balanced and serial work in turns, so that workers retire and come back
 * while messages are on their way. Promise: every message of a pair of actors arrives once, and in
 * the order of the sends, across all phases. On threads that sleep in race windows, and on the
 * virtual engine (AL_VIRTUAL) with many seeds.
 *
 * Whoever receives the last message of a phase tells the conductor, who begins the next one.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#ifdef AL_VIRTUAL
#define N_ROUNDS   4 /* of all phases */
#define SEEDS      3
#define SEEDS_DEEP 500
#else
#define N_ROUNDS   10
#define SEEDS      1
#define SEEDS_DEEP 50
#endif

#define N_PEERS 8
#define N_TURNS 24  /* in which a peer sends to others */
#define N_HOPS  200 /* of a chain */

enum phase {
    FLOOD,     /* each to each */
    CHAIN,     /* one message at a time, among all */
    ONE_SIDED, /* the first half, which begins on worker 0, to the second */
    PAIRS,     /* one message at a time in each pair of neighbours */
    N_PHASES
};

struct numbered {
    struct al_message message;
    uint32_t from, sequence;
    uint32_t hops, stride; /* to come; to the next receiver, by xor if it is 1 */
};

struct turn {
    struct al_message message;
    enum phase phase;
    uint32_t left; /* with this one */
};

struct next {
    struct al_message message;
};

struct stage;

struct peer {
    struct al_actor actor;
    struct stage *stage;
    struct al_atomic_u32 inside; /* a worker is in the behaviour */
    uint32_t index;
    uint32_t sent[N_PEERS], expected[N_PEERS];
    uint64_t n_few, n_back; /* messages while fewer workers were in use, and all again */
};

struct conductor {
    struct al_actor actor;
    struct stage *stage;
    uint32_t n_phases; /* so far */
};

struct stage {
    struct al_config config;
    struct al_setting settings[4 + SHORT_SLEEPS_MOST];
    struct peer peers[N_PEERS];
    struct conductor conductor;
    struct next next;
    struct al_atomic_u64 left; /* messages of this phase */
};

AL_ACTOR(peer)
AL_ACTOR(conductor)
AL_MESSAGE(numbered)
AL_MESSAGE(turn)
AL_MESSAGE(next)
AL_RECYCLE(numbered)
AL_RECYCLE(turn)
AL_BEHAVIOUR_DECLARE(conductor, next)
AL_BEHAVIOUR_DECLARE(peer, numbered)
AL_BEHAVIOUR_DECLARE(peer, turn)

static void send_numbered(struct peer *self, uint32_t to, uint32_t hops, uint32_t stride)
{
    struct numbered *numbered = al_message_init(numbered, al_new(numbered), AL_DELETE);
    numbered->from = self->index;
    numbered->sequence = self->sent[to]++;
    numbered->hops = hops;
    numbered->stride = stride;
    al_send(peer, numbered, &self->stage->peers[to], numbered);
}

static void enter(struct peer *self)
{
    CHECK(al_u32_exchange_acquire(&self->inside, 1) == 0, "actor %u runs on two workers at once",
          self->index);
}

static void leave(struct peer *self)
{
    al_u32_store_release(&self->inside, 0);
}

AL_BEHAVIOUR_DEFINE(peer, numbered, self, msg)
{
    struct stage *stage = self->stage;
    enter(self);
    CHECK(msg->sequence == self->expected[msg->from],
          "actor %u received message %u of actor %u where %u was due", self->index, msg->sequence,
          msg->from, self->expected[msg->from]);
    self->expected[msg->from]++;
    /* relaxed: a sample */
    if (al_u32_load_relaxed(&al_custody_of(al_self())->active) < al_workers())
        self->n_few++;
    else
        self->n_back += self->n_few != 0;
    if (msg->hops > 0) {
        uint32_t to = msg->stride == 1 ? self->index ^ 1 : (self->index + msg->stride) % N_PEERS;
        send_numbered(self, to, msg->hops - 1, msg->stride);
    }
    leave(self);
    /* relaxed: the message to the conductor orders it */
    if (al_u64_add_relaxed(&stage->left, UINT64_MAX) == 1)
        al_send(conductor, next, &stage->conductor, &stage->next);
    return AL_NODELETE;
}

static void send_turn(struct peer *to, enum phase phase, uint32_t left)
{
    struct turn *turn = al_message_init(turn, al_new(turn), AL_DELETE);
    turn->phase = phase;
    turn->left = left;
    al_send(peer, turn, to, turn);
}

AL_BEHAVIOUR_DEFINE(peer, turn, self, msg)
{
    enter(self);
    switch (msg->phase) {
    case CHAIN:
        send_numbered(self, 3, N_HOPS - 1, 3); /* 3 and N_PEERS have no common divisor */
        break;
    case PAIRS:
        send_numbered(self, self->index ^ 1, N_HOPS - 1, 1);
        break;
    default:
        if (msg->left > 1)
            send_turn(self, msg->phase, msg->left - 1);
        for (uint32_t i = msg->phase == FLOOD ? 0 : N_PEERS / 2; i < N_PEERS; i++)
            send_numbered(self, i, 0, 0);
        break;
    }
    leave(self);
    return AL_NODELETE;
}

/* Peers that begin, and messages that each of them causes. */
static void begin(struct stage *stage, enum phase phase)
{
    static const struct {
        uint32_t n, step;
        uint64_t messages;
    } beginnings[N_PHASES] = {
        [FLOOD] = {N_PEERS, 1, N_TURNS * N_PEERS},
        [CHAIN] = {1, 1, N_HOPS},
        [ONE_SIDED] = {N_PEERS / 2, 1, N_TURNS * N_PEERS / 2},
        [PAIRS] = {N_PEERS / 2, 2, N_HOPS},
    };
    uint32_t n = beginnings[phase].n, step = beginnings[phase].step;
    /* relaxed: published with the turns */
    al_u64_store_relaxed(&stage->left, n * beginnings[phase].messages);
    for (uint32_t i = 0; i < n; i++)
        send_turn(&stage->peers[i * step], phase, N_TURNS);
}

AL_BEHAVIOUR_DEFINE(conductor, next, self, msg)
{
    struct stage *stage = self->stage;
    if (self->n_phases == N_ROUNDS * N_PHASES) {
        for (uint32_t i = 0; i < N_PEERS; i++)
            al_send_pill(&stage->peers[i].actor, &al_finished_msg);
        return AL_FINISHED;
    }
    begin(stage, self->n_phases++ % N_PHASES);
    return AL_NODELETE;
}

static void run_stage(void *argument)
{
    struct stage *stage = argument;
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&stage->config, &system, &error) == 0, "%s", error.text);
    al_message_init(next, &stage->next, AL_NODELETE);
    stage->conductor.stage = stage;
    al_actor_init(conductor, &stage->conductor);
    for (uint32_t i = 0; i < N_PEERS; i++) {
        stage->peers[i].stage = stage;
        stage->peers[i].index = i;
        al_actor_init_on(peer, &stage->peers[i], i < N_PEERS / 2 ? 0 : i % al_workers());
    }
    al_send(conductor, next, &stage->conductor, &stage->next);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    CHECK(stage->conductor.n_phases == N_ROUNDS * N_PHASES, "%u phases", stage->conductor.n_phases);
    for (uint32_t i = 0; i < N_PEERS; i++)
        for (uint32_t k = 0; k < N_PEERS; k++)
            CHECK(stage->peers[i].expected[k] == stage->peers[k].sent[i],
                  "actor %u received %u messages of actor %u, who sent %u", i,
                  stage->peers[i].expected[k], k, stage->peers[k].sent[i]);
}

struct variant {
    const char *name;
    struct al_setting settings[4];
};

static const struct variant variants[] = {
    {"consolidation", {{"epoch", "1"}, {"hold", "1"}}},
    {"consolidation with longer epochs", {{"epoch", "10"}, {"hold", "10"}}},
    {"consolidation of few shards, all of which are worth stealing",
     {{"epoch", "1"}, {"hold", "1"}, {"shards", "2"}, {"worth", "0"}}},
    {"scattered shards", {{"scatter", "1"}, {"quantum", "0"}, {"epoch", "100"}}},
    {"shards scattered now and then", {{"scatter", "5"}, {"shards", "2"}, {"epoch", "100"}}},
};

/* How many seeds saw workers retire, and come back. */
struct seen {
    uint64_t n, few, back;
};

static void run_variant(struct seen *seen, const struct variant *variant, const char *idle,
                        uint32_t workers)
{
    const char *deep = getenv("AL_TEST_DEEP");
    uint64_t seeds = deep != NULL && strcmp(deep, "1") == 0 ? SEEDS_DEEP : SEEDS;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        static struct stage stage;
        memset(&stage, 0, sizeof stage);
        choose_plugins(&stage.config, "custody", NULL, idle);
        size_t n = 0;
        for (; n < 4 && variant->settings[n].key != NULL; n++)
            stage.settings[n] = variant->settings[n];
        oversubscribe(&stage.config, stage.settings, n, workers, seed);
        run_seed(seed, run_stage, &stage);
        uint64_t few = 0, back = 0;
        for (uint32_t i = 0; i < N_PEERS; i++) {
            few += stage.peers[i].n_few;
            back += stage.peers[i].n_back;
        }
        seen->n++;
        seen->few += few != 0;
        seen->back += back != 0;
    }
}

int main(void)
{
    struct tap tap = {0};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        struct seen seen = {0};
        for (uint32_t workers = 2; workers <= 4; workers++) {
            run_variant(&seen, &variants[v], "spin", workers);
            run_variant(&seen, &variants[v], "park", workers);
        }
        /* On threads the time that work takes decides, but for scattering, which is by chance. */
        bool must = !AL_SYNC_THREADS || strcmp(variants[v].settings[0].key, "scatter") == 0;
        tap_ok(&tap, !must || (seen.few != 0 && seen.back != 0),
               "%s: of %llu systems %llu had workers that retired, in %llu they came back",
               variants[v].name, (unsigned long long)seen.n, (unsigned long long)seen.few,
               (unsigned long long)seen.back);
    }
    return tap_done(&tap);
}
