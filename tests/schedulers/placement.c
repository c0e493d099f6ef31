/* SPDX-License-Identifier: MIT */

/*
 * Where las runs actors on a machine of eight NUMA nodes: hubs, and actors that a message unblocks.
 * On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 */

#include <string.h>

#include "core/actor.h"
#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/ready_actor.h"
#include "tests/support/eight_nodes.h"

#ifdef AL_VIRTUAL
#define ROUNDS 200
#else
#define ROUNDS 3
#endif

/* An actor that records which worker runs it, and passes on a message if it is told to. */

#define RUNS_MOST 4

struct probe;

struct poke {
    struct al_message message;
    struct probe *next; /* or NULL */
    struct poke *give;  /* to next */
    bool create;        /* next has to become an actor first */
    enum al_placement placement;
};

struct probe {
    struct al_actor actor;
    uint32_t ran_on[RUNS_MOST], n_runs;
};

AL_ACTOR(probe)
AL_MESSAGE(poke)

AL_BEHAVIOUR(probe, poke, self, msg)
{
    CHECK(self->n_runs < RUNS_MOST, "too many runs");
    self->ran_on[self->n_runs++] = al_self()->id;
    if (msg->create)
        al_actor_init_at(probe, msg->next, msg->placement);
    if (msg->next != NULL)
        al_send(probe, poke, msg->next, msg->give);
    return AL_NODELETE;
}

/* Wait until the actor has received everything and waits again: then the next message makes it
 * ready. */
static void wait_blocked(const struct probe *probe, uint32_t n_runs)
{
    const struct al_inbox *inbox = &((struct al_ready_actor *)probe->actor.home)->inbox;
    /* acquire: partner is the release in al_inbox_wait_mpsc, publishes what the actor wrote */
    while (al_ptr_load_acquire(&inbox->incoming) != inbox)
        al_yield();
    CHECK(probe->n_runs == n_runs, "ran %u times instead of %u", probe->n_runs, n_runs);
}

static void poke_init(struct poke *poke, struct probe *next, struct poke *give)
{
    *poke = (struct poke){.next = next, .give = give};
    al_message_init(poke, poke, AL_NODELETE);
}

/*
 * Hubs. The matrix of the machine, by nodes:
 *        0  1  2  3  4  5  6  7
 *    0  10 12 20 20 30 30 20 20
 *    2  20 20 10 12 20 20 30 30
 *    4  30 30 20 20 10 12 20 20
 *    6  20 20 30 30 20 20 10 12
 * The first hub may be anywhere, so it is on 0; the second is 30 from 0, on 4. The nearest of these
 * two is at most 20 away from any node: 2. The nearest of {0, 2, 4} is 12 away or, from 6 and 7,
 * 20: 6. The nodes that are left are 12 from their neighbours, and follow in turn. Then each node
 * has a hub, and it begins again, with the other worker of each node.
 */
static const uint32_t hub_nodes[] = {0, 4, 2, 6, 1, 3, 5, 7};
#define N_HUBS 20

static void run_hubs(void *argument)
{
    const struct job *job = argument;
    struct probe hubs[N_HUBS + 1] = {0}, parent = {.n_runs = 0};
    struct poke poke, create;
    struct al_system *system = start_system(job);
    poke_init(&poke, NULL, NULL);
    for (uint32_t i = 0; i < N_HUBS; i++)
        al_actor_init_at(probe, &hubs[i], AL_PLACE_HUB);
    for (uint32_t i = N_HUBS; i-- > 0;) /* the order of creation counts */
        al_send(probe, poke, &hubs[i], &poke);
    /* The last one is created by another actor, and does not stay with it. */
    poke_init(&create, &hubs[N_HUBS], &poke);
    create.create = true;
    create.placement = AL_PLACE_HUB;
    al_send(probe, poke, al_actor_init(probe, &parent), &create);
    wait_blocked(&parent, 1);
    for (uint32_t i = 0; i <= N_HUBS; i++) {
        uint32_t expected = 2 * hub_nodes[i % 8] + i / 8 % 2;
        wait_blocked(&hubs[i], 1);
        CHECK(hubs[i].ran_on[0] == expected, "seed %llu: hub %u ran on worker %u instead of %u",
              (unsigned long long)job->seed, i, hubs[i].ran_on[0], expected);
    }
    /* Later a hub is placed like any other actor: from outside, las_l takes turns, and las_a
     * chooses the worker where it last ran. */
    if (strcmp(job->placement, "las_a") == 0) {
        al_send(probe, poke, &hubs[5], &poke);
        wait_blocked(&hubs[5], 2);
        CHECK(hubs[5].ran_on[1] == hubs[5].ran_on[0], "hub 5 moved to %u", hubs[5].ran_on[1]);
    }
    al_send_pill(&parent.actor, &al_finished_msg);
    for (uint32_t i = 0; i <= N_HUBS; i++)
        al_send_pill(&hubs[i].actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "not received");
}

/*
 * Other actors. Made ready from outside, they go to the workers in turn; a new actor that a
 * behaviour makes ready goes to that behaviour's worker. One that a behaviour unblocks goes to that
 * worker with las_l, and with las_a to the worker that ran it last.
 */
static void run_unblocked(void *argument)
{
    const struct job *job = argument;
    bool affine = strcmp(job->placement, "las_a") == 0;
    struct probe senders[N_WORKERS] = {0}, receivers[N_WORKERS] = {0}, young[N_WORKERS] = {0};
    struct poke end, passes[N_WORKERS], creates[N_WORKERS];
    struct al_system *system = start_system(job);
    poke_init(&end, NULL, NULL);
    for (uint32_t i = 0; i < N_WORKERS; i++)
        al_send(probe, poke, al_actor_init(probe, &senders[i]), &end);
    for (uint32_t i = 0; i < N_WORKERS; i++)
        al_send(probe, poke, al_actor_init(probe, &receivers[i]), &end);
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        wait_blocked(&senders[i], 1);
        wait_blocked(&receivers[i], 1);
        CHECK(senders[i].ran_on[0] == i && receivers[i].ran_on[0] == i,
              "seed %llu: new actors %u ran on workers %u and %u", (unsigned long long)job->seed, i,
              senders[i].ran_on[0], receivers[i].ran_on[0]);
    }
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        uint32_t to = (i * 5 + 3) % N_WORKERS; /* a permutation without fixed points */
        poke_init(&passes[i], &receivers[to], &end);
        al_send(probe, poke, &senders[i], &passes[i]);
        wait_blocked(&senders[i], 2);
        wait_blocked(&receivers[to], 2);
        uint32_t sender = affine ? i : 2 * i % N_WORKERS, expected = affine ? to : sender;
        CHECK(senders[i].ran_on[1] == sender && receivers[to].ran_on[1] == expected,
              "seed %llu: %u sent on worker %u instead of %u, %u received on %u instead of %u",
              (unsigned long long)job->seed, i, senders[i].ran_on[1], sender, to,
              receivers[to].ran_on[1], expected);
        /* A new actor is local with either placement. */
        poke_init(&creates[i], &young[i], &end);
        creates[i].create = true;
        al_send(probe, poke, &senders[i], &creates[i]);
        wait_blocked(&senders[i], 3);
        wait_blocked(&young[i], 1);
        CHECK(young[i].ran_on[0] == senders[i].ran_on[2],
              "seed %llu: created on worker %u, ran on %u", (unsigned long long)job->seed,
              senders[i].ran_on[2], young[i].ran_on[0]);
    }
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        al_send_pill(&senders[i].actor, &al_finished_msg);
        al_send_pill(&receivers[i].actor, &al_finished_msg);
        al_send_pill(&young[i].actor, &al_finished_msg);
    }
    CHECK(al_system_stop(system, NULL) == 0, "not received");
}

int main(void)
{
    static const char *const placements[] = {"las_l", "las_a"};
    struct tap tap = {0};
    struct al_topology *topology = load_eight_nodes(AL_TOPOLOGIES "/eight-nodes.xml");
    for (size_t i = 0; i < 2; i++) {
        struct job job = {topology, "las", placements[i], 0};
        run_rounds(run_hubs, job, ROUNDS);
        tap_ok(&tap, true, "%s: hubs are far from one another", placements[i]);
        run_rounds(run_unblocked, job, ROUNDS);
        tap_ok(&tap, true, "%s: an unblocked actor runs where it should, a new one at home",
               placements[i]);
    }
    al_topology_free(topology);
    return tap_done(&tap);
}
