/* SPDX-License-Identifier: MIT */

/*
 * The profile of workloads of known shape: a ring with one message, a fan-in, and actors that come
 * and go. On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 */

#include "core/observe/profile.h"

#include <stdlib.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "core/observe/observer.h"
#include "schedulers/registry.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS 50
#else
#define SEEDS 10
#endif

#define N_WORKERS 3
#define N_ACTORS  60 /* of the ring; and senders of the fan-in */
#define ROUNDS    5
#define EACH      7 /* messages of each sender */
#define DEPTH     6 /* of the tree */

enum shape { RING, FAN_IN, TREE };

struct node {
    struct al_actor actor;
    struct node *next;
    uint64_t left;
};

struct token {
    struct al_message message;
    uint64_t left, padding[6];
};

AL_ACTOR(node)
AL_MESSAGE(token)
AL_BEHAVIOUR_DECLARE(node, token)

struct job {
    enum shape shape;
    const struct al_topology *topology;
    struct al_profile profile;
    struct node nodes[N_ACTORS + 1];
    struct token tokens[N_ACTORS];
};

static struct job job;

static void grow(uint64_t left)
{
    struct node *child = malloc(sizeof *child);
    struct token *token = malloc(sizeof *token);
    CHECK(child != NULL && token != NULL, "no memory");
    token->left = left;
    al_send(node, token, al_actor_init(node, child), al_message_init(token, token, AL_DELETE));
}

AL_BEHAVIOUR_DEFINE(node, token, self, token)
{
    if (job.shape == TREE) {
        for (int i = 0; i < 2 && token->left > 0; i++)
            grow(token->left - 1);
        return AL_DELETE;
    }
    if (job.shape == RING && --token->left > 0)
        al_send(node, token, self->next, token);
    for (int i = 0; job.shape == FAN_IN && self->next != NULL && i < EACH; i++)
        al_send(node, token, self->next, token);
    return --self->left == 0 ? AL_FINISHED : AL_NODELETE;
}

static void start_ring(void)
{
    for (uint32_t i = 0; i < N_ACTORS; i++) {
        struct node *node = al_actor_init(node, &job.nodes[i]);
        node->next = &job.nodes[(i + 1) % N_ACTORS];
        node->left = ROUNDS;
    }
    job.tokens[0].left = N_ACTORS * ROUNDS;
    al_send(node, token, &job.nodes[0], al_message_init(token, &job.tokens[0], AL_NODELETE));
}

static void start_fan_in(void)
{
    struct node *hub = al_actor_init(node, &job.nodes[N_ACTORS]);
    hub->next = NULL;
    hub->left = N_ACTORS * EACH;
    for (uint32_t i = 0; i < N_ACTORS; i++) {
        struct node *node = al_actor_init(node, &job.nodes[i]);
        node->next = hub;
        node->left = 1;
        al_send(node, token, node, al_message_init(token, &job.tokens[i], AL_NODELETE));
    }
}

static void keep(void *context, const struct al_profile *profile)
{
    (void)context;
    job.profile = *profile;
}

static void run(void *argument)
{
    struct al_observer observer = {.profiled = keep};
    struct al_system *system;
    struct al_error error;
    struct al_config config = {.scheduler = &al_profiler,
                               .workers = N_WORKERS,
                               .seed = *(const uint64_t *)argument,
                               .oversubscribe = true,
                               .pin = "none",
                               .topology = job.topology,
                               .observer = &observer};
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    if (job.shape == RING)
        start_ring();
    else if (job.shape == FAN_IN)
        start_fan_in();
    else
        grow(DEPTH);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

static bool is(const struct al_histogram *histogram, uint64_t n, uint64_t sum, uint64_t max)
{
    return histogram->n == n && histogram->sum == sum && histogram->max == max;
}

static bool is_right(enum shape shape)
{
    const struct al_profile *p = &job.profile;
    uint64_t all = N_ACTORS * ROUNDS, senders = p->senders.max;
    if (shape == RING) /* the first has two senders: the starter and the last */
        return is(&p->fan_out, all, all - 1, 1) && is(&p->received, N_ACTORS, all, ROUNDS) &&
               is(&p->senders, N_ACTORS, N_ACTORS + 1, 2) && p->work.n == all &&
               p->senders_of_messages == all + ROUNDS && p->sent_inside == all - 1 &&
               p->local == 0 && p->created_inside == 0 && p->most_actors == N_ACTORS;
    if (shape == FAN_IN) /* linear counting is off by a tenth at most */
        return is(&p->fan_out, N_ACTORS * (EACH + 1), N_ACTORS * EACH, EACH) &&
               is(&p->received, N_ACTORS + 1, N_ACTORS * (EACH + 1), N_ACTORS * EACH) &&
               senders >= N_ACTORS * 9 / 10 && senders <= N_ACTORS * 11 / 10 &&
               p->senders_of_messages == N_ACTORS * (1 + EACH * senders) &&
               p->local == N_ACTORS * EACH / N_WORKERS;
    uint64_t n = (2 << DEPTH) - 1;
    return is(&p->fan_out, n, n - 1, 2) && is(&p->received, n, n, 1) && is(&p->senders, n, n, 1) &&
           is(&p->bytes, n, n * sizeof(struct token), sizeof(struct token)) &&
           p->created_inside == n - 1 && p->sent_inside == n - 1 && p->local == n - 1 &&
           p->most_actors > DEPTH && p->most_actors <= n;
}

int main(void)
{
    static const char *const names[] = {
        [RING] = "a ring with one message", [FAN_IN] = "a fan-in", [TREE] = "a tree that grows"};
    struct tap tap = {0};
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load("node:1 core:3 pu:1", &topology, &error) == 0, "%s", error.text);
    job.topology = topology;
    for (enum shape shape = RING; shape <= TREE; shape++) {
        uint32_t right = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            job.shape = shape;
            run_seed(seed, run, &seed);
            right += is_right(shape);
        }
        tap_ok(&tap, right == SEEDS, "the profile of %s: %u of %d right", names[shape], right,
               SEEDS);
    }
    al_topology_free(topology);
    return tap_done(&tap);
}
