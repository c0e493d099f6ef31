/* SPDX-License-Identifier: MIT */

/*
 * Detached actors under every actor-centric strategy: each runs on one thread, which is not a
 * worker's, and receives its messages in order; whichever actor terminates last, the system ends.
 * On threads, and on the virtual engine (AL_VIRTUAL) with many seeds.
 */

#include "core/actor.h"
#include "core/plugin/scheduler.h"
#include "tests/support/eight_nodes.h"

#ifdef AL_VIRTUAL
#define ROUNDS 200
#else
#define ROUNDS 100
#endif

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
    const struct al_runtime *system = self->system;
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

/* With its last letter, the hermit answers each of the crowd; then it waits for the bell. */
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
    /* By now a hermit may have all its letters and sleep, or still have some to receive before the
     * bell. */
    for (uint32_t i = 0; i < HERMITS; i++)
        al_send(hermit, bell, &retreat.hermits[i], &retreat.bell);
    CHECK(al_system_stop(system, NULL) == 0, "not received");
    CHECK(retreat.hermits[0].thread != retreat.hermits[1].thread, "two hermits on one thread");
    for (uint32_t i = 0; i < HERMITS; i++)
        CHECK(retreat.hermits[i].received == (retreat.n_crowd + 1) * LETTERS,
              "seed %llu: hermit %u received %u letters", (unsigned long long)job->seed, i,
              retreat.hermits[i].received);
}

int main(void)
{
    static const char *const schedulers[] = {"deque", "las", "mercury", "sharing"};
    struct tap tap = {0};
    struct al_topology *topology = load_eight_nodes(AL_TOPOLOGIES "/eight-nodes.xml");
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        run_rounds(run_detached, (struct job){topology, schedulers[i], NULL, 0}, ROUNDS);
        tap_ok(&tap, true, "%s: detached actors run on threads of their own", schedulers[i]);
    }
    al_topology_free(topology);
    return tap_done(&tap);
}
