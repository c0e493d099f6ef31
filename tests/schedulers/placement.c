/* SPDX-License-Identifier: MIT */

/*
 * Where actors run: hubs and unblocked actors under las on a machine of eight NUMA nodes, and
 * detached actors under every actor-centric strategy. On threads, and on the virtual engine
 * (AL_VIRTUAL) with many seeds.
 */

#include <string.h>
#include <unistd.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/ready_actor.h"
#include "tests/support/choose.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define ROUNDS     200
#define STEP_LIMIT 5000000
#else
#define ROUNDS 3
#endif
#define STARTS 100 /* of detached actors, on threads */

/* Two PUs of each node: workers 2k and 2k + 1 are on node k. Another machine's, so nobody is
 * bound. */
#define PUS       "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29"
#define N_WORKERS 16

struct job {
    const struct al_topology *topology;
    const char *scheduler, *placement; /* placement: the option of las, or NULL */
    uint64_t seed;
};

/* Nothing is stolen, so an actor runs where it was put. */
static struct al_system *start_system(const struct job *job)
{
    struct al_setting setting = {"placement", job->placement};
    /* The others' own, polling, would keep a test on threads waiting. */
    bool sleeps = strcmp(job->scheduler, "sharing") == 0 || strcmp(job->scheduler, "mercury") == 0;
    struct al_config config = {.workers = N_WORKERS,
                               .seed = job->seed,
                               .oversubscribe = true,
                               .pin = PUS,
                               .topology = job->topology,
                               .settings = &setting,
                               .n_settings = job->placement != NULL};
    choose_plugins(&config, job->scheduler, "none", sleeps ? NULL : "park");
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    return system;
}

/* An actor that notes which worker runs it, and passes on what it is told to. */

#define RUNS_MOST 4

struct probe;

struct poke {
    struct al_message message;
    struct probe *next; /* or NULL */
    struct poke *give;  /* to next */
    bool create;        /* next is no actor yet */
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

/* Until the actor has received all and waits again: then the next message schedules it anew. */
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
 *    0  10 12 20 20 30 30 20 20     the first hub: anywhere, so 0; the second at 30 from 0: 4; then the nearest
 *    2  20 20 10 12 20 20 30 30     of {0, 4} is 12 or 20 away: 2; of {0, 2, 4} 12 or, from 6 and 7, 20: 6;
 *    4  30 30 20 20 10 12 20 20     what is left is 12 from its neighbour: in turn. Then each node has a hub,
 *    6  20 20 30 30 20 20 10 12     and it begins again, with the other worker of each.
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
    /* Later it is placed as any other: from outside las_l takes turns, las_a goes by where it
     * ran. */
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
 * The others. From outside: on the workers in turn. New, made ready by a behaviour: on its worker.
 * Unblocked by a behaviour: las_l on its worker, las_a on the worker that ran it last.
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
        /* A new one is local, whatever the placement. */
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

/*
 * Detached actors: each on one thread that is no worker's, in order; they take part as any other;
 * and whichever actor terminates last, the system ends.
 */

#define CROWD_MOST 3
#define HERMITS    2
#define LETTERS    3 /* of each sender to each hermit */

struct retreat;

struct letter {
    struct al_message message;
    uint32_t from, sequence;
};

struct bell {
    struct al_message message;
};

struct hermit {
    uint32_t number;
    struct al_actor actor; /* not first: the types' offsets are used */
    struct retreat *retreat;
    const struct al_worker *thread; /* that ran it first */
    uint32_t expected[CROWD_MOST + 1], received;
};

struct member {
    struct al_actor actor;
    struct retreat *retreat;
    uint32_t number, answers;
};

struct retreat {
    struct hermit hermits[HERMITS];
    struct member crowd[CROWD_MOST];
    struct letter letters[HERMITS][CROWD_MOST + 1][LETTERS];
    struct bell bell, answer;
    uint32_t n_crowd;
    struct al_atomic_u32 answers;
};

AL_ACTOR(hermit)
AL_ACTOR(member)
AL_MESSAGE(letter)
AL_MESSAGE(bell)

static void check_thread(struct hermit *hermit)
{
    const struct al_worker *self = al_self();
    const struct al_system *system = self->system;
    if (hermit->thread == NULL)
        hermit->thread = self;
    CHECK(self->id == system->n_workers && self == hermit->thread,
          "hermit %u runs on worker %u, or on two threads", hermit->number, self->id);
    CHECK(self < system->workers || self > &system->workers[system->n_workers],
          "hermit %u runs on a worker's thread", hermit->number);
}

AL_BEHAVIOUR(member, bell, self, msg)
{
    CHECK(al_self()->id < al_self()->system->n_workers, "a worker's actor on another thread");
    al_u32_add_acq_rel(&self->retreat->answers, 1);
    return ++self->answers == HERMITS ? AL_FINISHED : AL_NODELETE;
}

/* When it has all letters, each of the crowd gets an answer; then it waits for the bell. */
AL_BEHAVIOUR(hermit, letter, self, msg)
{
    struct retreat *retreat = self->retreat;
    check_thread(self);
    CHECK(msg->sequence == self->expected[msg->from], "letter %u of %u came where %u was due",
          msg->sequence, msg->from, self->expected[msg->from]);
    self->expected[msg->from]++;
    if (++self->received < (retreat->n_crowd + 1) * LETTERS)
        return AL_NODELETE;
    for (uint32_t i = 0; i < retreat->n_crowd; i++)
        al_send(member, bell, &retreat->crowd[i], &retreat->answer);
    return AL_NODELETE;
}

/* It may well be the last to terminate. */
AL_BEHAVIOUR(hermit, bell, self, msg)
{
    check_thread(self);
    al_sleep_ns(self->number * 500000);
    return AL_FINISHED;
}

static void write_letters(struct retreat *retreat, uint32_t from)
{
    for (uint32_t i = 0; i < LETTERS; i++) {
        for (uint32_t k = 0; k < HERMITS; k++) {
            struct letter *letter = &retreat->letters[k][from][i];
            al_message_init(letter, letter, AL_NODELETE);
            letter->from = from;
            letter->sequence = i;
            al_send(hermit, letter, &retreat->hermits[k], letter);
        }
    }
}

static void create_hermit(struct retreat *retreat, uint32_t number)
{
    struct hermit *hermit = &retreat->hermits[number];
    hermit->number = number;
    hermit->retreat = retreat;
    al_actor_init_at(hermit, hermit, AL_PLACE_DETACHED);
}

/* One after the other, from a behaviour; the first creates the second hermit. */
AL_BEHAVIOUR(member, letter, self, msg)
{
    struct retreat *retreat = self->retreat;
    if (self->number == 0)
        create_hermit(retreat, 1);
    write_letters(retreat, self->number);
    if (self->number + 1 < retreat->n_crowd)
        al_send(member, letter, &retreat->crowd[self->number + 1], msg);
    else
        al_u32_add_acq_rel(&retreat->answers, 1);
    return AL_NODELETE;
}

static void run_detached(void *argument)
{
    const struct job *job = argument;
    struct retreat retreat = {.n_crowd = (uint32_t)job->seed % (CROWD_MOST + 1)};
    struct letter begin;
    struct al_system *system = start_system(job);
    al_message_init(letter, &begin, AL_NODELETE);
    al_message_init(bell, &retreat.bell, AL_NODELETE);
    al_message_init(bell, &retreat.answer, AL_NODELETE);
    create_hermit(&retreat, 0);
    for (uint32_t i = 0; i < retreat.n_crowd; i++) {
        retreat.crowd[i] = (struct member){.retreat = &retreat, .number = i};
        al_actor_init(member, &retreat.crowd[i]);
    }
    if (retreat.n_crowd > 0) {
        al_send(member, letter, &retreat.crowd[0], &begin);
        while (al_u32_load_acquire(&retreat.answers) == 0)
            al_yield();
    } else {
        create_hermit(&retreat, 1);
    }
    write_letters(&retreat, retreat.n_crowd);
    /* By now a hermit may have all, and sleep; or have letters to come before the bell. */
    for (uint32_t i = 0; i < HERMITS; i++)
        al_send(hermit, bell, &retreat.hermits[i], &retreat.bell);
    CHECK(al_system_stop(system, NULL) == 0, "not received");
    CHECK(retreat.hermits[0].thread != retreat.hermits[1].thread, "two hermits on one thread");
    for (uint32_t i = 0; i < HERMITS; i++)
        CHECK(retreat.hermits[i].received == (retreat.n_crowd + 1) * LETTERS,
              "seed %llu: hermit %u received %u letters", (unsigned long long)job->seed, i,
              retreat.hermits[i].received);
}

static bool run_rounds(void (*function)(void *), struct job job, uint64_t rounds)
{
    for (job.seed = 0; job.seed < rounds; job.seed++) {
        alarm(120);
#ifdef AL_VIRTUAL
        struct al_engine_result result;
        al_engine_run(&(struct al_engine_config){job.seed, AL_COROUTINE_FASTEST, STEP_LIMIT},
                      function, &job, &result);
#else
        function(&job);
#endif
    }
    return true;
}

int main(void)
{
    static const char *const placements[] = {"las_l", "las_a"};
    static const char *const schedulers[] = {"deque", "las", "mercury", "sharing"};
    struct tap tap = {0};
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(AL_TOPOLOGIES "/eight-nodes.xml", &topology, &error) == 0, "%s",
          error.text);
    for (size_t i = 0; i < 2; i++) {
        struct job job = {topology, "las", placements[i], 0};
        tap_ok(&tap, run_rounds(run_hubs, job, ROUNDS), "%s: hubs are far from one another",
               placements[i]);
        tap_ok(&tap, run_rounds(run_unblocked, job, ROUNDS),
               "%s: an unblocked actor runs where it should, a new one at home", placements[i]);
    }
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        struct job job = {topology, schedulers[i], NULL, 0};
        tap_ok(&tap, run_rounds(run_detached, job, ROUNDS > STARTS ? ROUNDS : STARTS),
               "%s: detached actors run on threads of their own", schedulers[i]);
    }
    al_topology_free(topology);
    return tap_done(&tap);
}
