/* SPDX-License-Identifier: MIT */

/*
 * big: many to many. Each of `actors` sends `pings` pings in rounds, and receives a pong for each.
 * It begins a round when it has all pongs of the one before. An actor that has all its pongs
 * reports to the sink, which ends all actors after the last report. Two sources disagree on a
 * round, and `partners` chooses:
 *
 *   random   One ping, to another actor drawn at random: Savina (Imam and Sarkar, 2014), "Big",
 *            whose sizes are the defaults. There an actor may draw itself; here it does not, so
 *            that every ping is between two actors.
 *   all      A ping to each of the other actors, in the order of their numbers: BIG in the LAS
 *            paper, section V.A ("each one sends a ping message to all other actors"), and
 *            BenchErl (Aronis et al., 2012), "big", which has one round and pings itself, too. The
 *            last round stops when all `pings` are sent.
 *
 * Messages: each actor receives a pong to begin with and a pill at the end, and sends `pings`
 * pings, as many pongs and one report. No ping follows a pill: once the sink has all reports, each
 * ping has been answered.
 *
 * The answer: an actor's choices depend on its own random stream alone, so the number of pings that
 * each actor receives is known beforehand. The pongs of a round must come from the actors that were
 * pinged in it: their numbers must have the same sum.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, PINGS, PARTNERS };

enum partners { PARTNERS_RANDOM, PARTNERS_ALL };

static const char *const partners_choices[] = {"random", "all", NULL}; /* enum partners */

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "120", 2, 1e7, NULL, "actors that ping one another"},
    [PINGS] = {"pings", AL_OPTION_UINT, "20000", 1, 1e9, NULL, "pings that each actor sends"},
    [PARTNERS] = {"partners", AL_OPTION_ENUM, "random", 0, 0, partners_choices,
                  "whom it pings before it waits for pongs: one drawn at random (Savina), or all "
                  "others (LAS paper, BenchErl)"},
    {0},
};

struct peer;

/* An actor's ping and pong are written before the first send and never change, so that each may be
 * on several queues at once. */
struct ping {
    struct al_message message;
    struct peer *sender;
};

struct pong {
    struct al_message message;
    struct peer *sender; /* NULL: the message to begin with */
};

struct sink {
    struct al_actor actor;
    struct state *state;
    uint64_t left; /* actors that do not have all their pongs yet */
};

/* Shared by all actors; read-only while they run, except the sink. */
struct state {
    struct peer *peers;
    struct pong begin;
    struct al_done done;
    uint32_t actors;
    enum partners partners;
    uint64_t pings, round; /* of each actor in all, and in one round */
    _Alignas(AL_CACHE_LINE_BYTES) struct sink sink;
};

struct peer {
    /* written by this actor */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t sent, received, answered; /* pings, pings and pongs */
    uint64_t owed;   /* sum of the numbers of the actors that owe it a pong, from 1 */
    uint64_t strays; /* rounds whose pongs came from others than were pinged */
    struct al_random random;
    /* read by others */
    _Alignas(AL_CACHE_LINE_BYTES) struct ping ping;
    struct pong pong;
    uint64_t due; /* pings to receive */
};

AL_ACTOR(peer)
AL_ACTOR(sink)
AL_MESSAGE(ping)
AL_MESSAGE(pong)

/* The partner of the actor with this index for its n-th ping, from 0. */
static struct peer *partner(const struct state *state, struct al_random *random, uint32_t index,
                            uint64_t n)
{
    uint32_t others = state->actors - 1;
    uint32_t other = state->partners == PARTNERS_RANDOM ? al_random_below(random, others)
                                                        : (uint32_t)(n % others);
    return &state->peers[other + (other >= index)];
}

static uint64_t number_of(const struct peer *peer)
{
    return (uint64_t)(peer - peer->state->peers) + 1;
}

AL_BEHAVIOUR(sink, al_done, self, msg)
{
    const struct state *state = self->state;
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->actors; i++)
        al_send_pill(&state->peers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DECLARE(peer, pong)

AL_BEHAVIOUR(peer, ping, self, msg)
{
    self->received++;
    al_send(peer, pong, msg->sender, &self->pong);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(peer, pong, self, msg)
{
    struct state *state = self->state;
    if (msg->sender != NULL) {
        self->owed -= number_of(msg->sender);
        if (++self->answered < self->sent)
            return AL_NODELETE;
    }
    self->strays += self->owed != 0;
    if (self->sent == state->pings) {
        al_send(sink, al_done, &state->sink, &state->done);
        return AL_NODELETE;
    }
    uint64_t left = state->pings - self->sent;
    for (uint64_t n = left < state->round ? left : state->round; n != 0; n--) {
        struct peer *other = partner(state, &self->random, (uint32_t)(self - state->peers),
                                     self->sent++);
        self->owed += number_of(other);
        al_send(peer, ping, other, &self->ping);
    }
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint32_t actors = (uint32_t)values[ACTORS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    struct peer *peers = al_allocate_lines(actors, sizeof *peers);
    enum partners partners = values[PARTNERS].uint;
    *state = (struct state){.peers = peers,
                            .actors = actors,
                            .partners = partners,
                            .pings = values[PINGS].uint,
                            .round = partners == PARTNERS_ALL ? actors - 1 : 1,
                            .sink = {.state = state, .left = actors}};
    memset(peers, 0, actors * sizeof *peers);
    for (uint32_t i = 0; i < actors; i++) {
        struct al_random random;
        al_random_seed(&random, seed, i);
        peers[i].random = random;
        for (uint64_t ping = 0; ping < state->pings; ping++)
            partner(state, &random, i, ping)->due++;
    }
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACTORS].uint * sizeof(struct peer);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return state->actors * (2 * state->pings + 3);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_message_init(pong, &state->begin, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_actor_init(sink, &state->sink);
    for (uint32_t i = 0; i < state->actors; i++) {
        struct peer *peer = &state->peers[i];
        peer->state = state;
        al_message_init(ping, &peer->ping, AL_NODELETE)->sender = peer;
        al_message_init(pong, &peer->pong, AL_NODELETE)->sender = peer;
        al_actor_init(peer, peer);
    }
    for (uint32_t i = 0; i < state->actors; i++)
        al_send(peer, pong, &state->peers[i], &state->begin);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint32_t i = 0; i < state->actors; i++) {
        const struct peer *peer = &state->peers[i];
        if (peer->answered != state->pings || peer->strays != 0)
            return al_error_set(error, -EBADMSG,
                                "actor %u received %llu pongs instead of %llu, in %llu rounds not "
                                "from the actors that it pinged",
                                i, (unsigned long long)peer->answered,
                                (unsigned long long)state->pings, (unsigned long long)peer->strays);
        if (peer->received != peer->due)
            return al_error_set(error, -EBADMSG,
                                "actor %u received %llu pings; by the seed it is %llu", i,
                                (unsigned long long)peer->received, (unsigned long long)peer->due);
    }
    if (state->sink.left != 0)
        return al_error_set(error, -EBADMSG, "the sink did not hear from %llu of %u actors",
                            (unsigned long long)state->sink.left, state->actors);
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->peers);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_big = {
    .plugin = {"big", "many to many: pings to random actors or to all, each answered by a pong",
               options},
    .stresses = "communication without locality: any actor may wake any other",
    .small = "actors=20 pings=200",
    .sim = "actors=768 pings=300",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
