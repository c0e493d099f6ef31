/* SPDX-License-Identifier: MIT */
#include "tests/conformance/scenarios.h"

#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "tests/support/tap.h"

struct al_system *start_system(const struct al_config *config)
{
    struct al_system *system;
    struct al_error error = {""};
    CHECK(al_system_start(config, &system, &error) == 0, "%s", error.text);
    return system;
}

void stop_system(struct al_system *system)
{
    struct al_report report;
    CHECK(al_system_stop(system, &report) == 0, "messages were never received");
    uint64_t sent = 0, received = 0, created = 0, terminated = 0;
    for (uint32_t i = 0; i <= report.n_workers; i++) {
        const struct al_worker_report *worker = &report.workers[i];
        sent += worker->counters.messages_sent; /* 0 in a build without counters, as is the other */
        received += worker->counters.messages_received;
        created += worker->actors_created;
        terminated += worker->actors_terminated;
    }
    CHECK(sent == received, "%llu messages were sent, %llu received", (unsigned long long)sent,
          (unsigned long long)received);
    CHECK(created == terminated, "%llu actors were created, %llu terminated",
          (unsigned long long)created, (unsigned long long)terminated);
    al_report_free(&report);
}

/*
 * traffic: tokens hop between actors at random. Promises: FIFO per pair, one worker at a time per
 * actor, state handed on, no message lost or delivered twice. When the last token has come home,
 * the collector ends all actors.
 */

#define TRAFFIC_ACTORS 7

struct packet {
    struct al_message message;
    uint32_t from, sequence, hops;
};

struct home {
    struct al_message message;
};

struct traffic;

struct traveller {
    struct al_actor actor;
    struct al_atomic_u32 inside; /* a worker is in the behaviour */
    struct traffic *traffic;
    struct al_random random;
    uint32_t index, received;
    uint32_t sent[TRAFFIC_ACTORS];         /* sequence numbers, by receiver */
    uint32_t expected[TRAFFIC_ACTORS + 1]; /* by sender; the last is the starting thread */
};

struct collector {
    uint32_t came_home;
    struct traffic *traffic;
    struct al_actor actor; /* not first: the types' offsets are used */
};

struct traffic {
    struct traveller travellers[TRAFFIC_ACTORS];
    struct collector collector;
    struct home home;
    uint32_t tokens;
};

AL_ACTOR(traveller)
AL_ACTOR(collector)
AL_MESSAGE(packet)
AL_MESSAGE(home)

AL_BEHAVIOUR(collector, home, self, msg)
{
    if (++self->came_home < self->traffic->tokens)
        return AL_NODELETE;
    for (uint32_t i = 0; i < TRAFFIC_ACTORS; i++)
        al_send_pill(&self->traffic->travellers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DECLARE(traveller, packet)

static void send_packet(struct traveller *to, uint32_t from, uint32_t sequence, uint32_t hops)
{
    struct packet *packet = malloc(sizeof *packet);
    CHECK(packet != NULL, "no memory");
    al_message_init(packet, packet, AL_DELETE);
    packet->from = from;
    packet->sequence = sequence;
    packet->hops = hops;
    al_send(traveller, packet, to, packet);
}

AL_BEHAVIOUR_DEFINE(traveller, packet, self, msg)
{
    CHECK(al_u32_exchange_acquire(&self->inside, 1) == 0, "actor %u runs on two workers at once",
          self->index);
    CHECK(msg->sequence == self->expected[msg->from],
          "actor %u received message %u of actor %u where %u was due", self->index, msg->sequence,
          msg->from, self->expected[msg->from]);
    self->expected[msg->from]++;
    self->received++;
    uint32_t random = (uint32_t)al_random_next(&self->random);
    for (uint32_t i = random % 4; i > 0; i--)
        al_yield();
    struct traffic *traffic = self->traffic;
    if (msg->hops == 0) {
        al_send(collector, home, &traffic->collector, &traffic->home);
    } else {
        /* Half of all hops go to two actors, so that some mailboxes are crowded and others empty.
         */
        uint32_t to = random >> 8 & 1 ? (random >> 9) % TRAFFIC_ACTORS : (random >> 9) % 2;
        send_packet(&traffic->travellers[to], self->index, self->sent[to]++, msg->hops - 1);
    }
    al_u32_store_release(&self->inside, 0);
    return AL_NODELETE;
}

static void run_traffic(const struct al_config *config, bool large)
{
    uint32_t hops = large ? 400 : 12;
    struct traffic *traffic = calloc(1, sizeof *traffic);
    CHECK(traffic != NULL, "no memory");
    traffic->tokens = large ? 60 : 10;
    struct al_system *system = start_system(config);
    al_message_init(home, &traffic->home, AL_NODELETE);
    traffic->collector.traffic = traffic;
    al_actor_init(collector, &traffic->collector);
    for (uint32_t i = 0; i < TRAFFIC_ACTORS; i++) {
        struct traveller *traveller = al_actor_init(traveller, &traffic->travellers[i]);
        traveller->traffic = traffic;
        traveller->index = i;
        al_random_seed(&traveller->random, config->seed, i);
    }
    uint32_t sent[TRAFFIC_ACTORS] = {0};
    for (uint32_t i = 0; i < traffic->tokens; i++) {
        uint32_t to = i % TRAFFIC_ACTORS;
        send_packet(&traffic->travellers[to], TRAFFIC_ACTORS, sent[to]++, hops);
    }
    stop_system(system);
    uint32_t received = 0;
    for (uint32_t i = 0; i < TRAFFIC_ACTORS; i++)
        received += traffic->travellers[i].received;
    CHECK(received == traffic->tokens * (hops + 1), "%u packets arrived instead of %u", received,
          traffic->tokens * (hops + 1));
    free(traffic);
}

/*
 * family: actors create actors, down to a depth, and delete themselves. Promises: each destructor
 * of an actor and of a message runs exactly once before al_system_stop returns.
 */

struct census {
    struct al_atomic_u32 born, buried, letters;
};

struct birth {
    struct al_message message;
    struct census *census;
    uint32_t depth;
};

struct relative {
    uint64_t padding; /* the embedded actor is not at the start */
    struct al_actor actor;
    struct census *census;
};

static void bury(struct relative *relative)
{
    al_u32_add_relaxed(&relative->census->buried, 1);
}

static void destroy_birth(struct birth *birth)
{
    al_u32_add_relaxed(&birth->census->letters, 1);
}

AL_ACTOR_WITH_DESTRUCTOR(relative, bury)
AL_MESSAGE_WITH_DESTRUCTOR(birth, destroy_birth)
AL_BEHAVIOUR_DECLARE(relative, birth)

static void beget(struct census *census, uint32_t depth)
{
    struct relative *relative = malloc(sizeof *relative);
    struct birth *birth = malloc(sizeof *birth);
    CHECK(relative != NULL && birth != NULL, "no memory");
    relative->census = census;
    al_u32_add_relaxed(&census->born, 1);
    al_actor_init(relative, relative);
    al_message_init(birth, birth, AL_DELETE);
    birth->census = census;
    birth->depth = depth;
    al_send(relative, birth, relative, birth);
}

AL_BEHAVIOUR_DEFINE(relative, birth, self, msg)
{
    if (msg->depth > 0) {
        beget(self->census, msg->depth - 1);
        beget(self->census, msg->depth - 1);
    }
    if (msg->depth % 3 == 0) { /* some terminate by a pill instead */
        al_send_pill(&self->actor, &al_delete_msg);
        return AL_NODELETE;
    }
    return AL_DELETE;
}

static void run_family(const struct al_config *config, bool large)
{
    struct census census = {0};
    uint32_t depth = large ? 11 : 4;
    struct al_system *system = start_system(config);
    beget(&census, depth);
    stop_system(system);
    uint32_t all = (2u << depth) - 1;
    CHECK(al_u32_load_relaxed(&census.born) == all, "%u actors instead of %u",
          al_u32_load_relaxed(&census.born), all);
    CHECK(al_u32_load_relaxed(&census.buried) == all, "%u destructors of %u actors ran",
          al_u32_load_relaxed(&census.buried), all);
    CHECK(al_u32_load_relaxed(&census.letters) == all, "%u destructors of %u messages ran",
          al_u32_load_relaxed(&census.letters), all);
}

/*
 * verdicts: what becomes of actors and messages. Promises: cascaded sends arrive in order, DESTROY
 * keeps the storage, a destroyed actor's storage can become an actor again, pills work on every
 * actor.
 */

struct note {
    struct al_message message;
    uint32_t number, destroyed;
};

struct order {
    struct al_message message;
    uint32_t number;
};

struct clerk {
    struct al_actor actor;
    uint32_t next, destroyed;
    enum al_verdict last;
};

static void destroy_note(struct note *note)
{
    note->destroyed++;
}

static void destroy_clerk(struct clerk *clerk)
{
    clerk->destroyed++;
}

AL_ACTOR_WITH_DESTRUCTOR(clerk, destroy_clerk)
AL_MESSAGE_WITH_DESTRUCTOR(note, destroy_note)
AL_MESSAGE(order)

AL_BEHAVIOUR(clerk, note, self, msg)
{
    CHECK(msg->number == self->next, "note %u came where %u was due", msg->number, self->next);
    self->next++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(clerk, order, self, msg)
{
    CHECK(msg->number == self->next, "order %u came where %u was due", msg->number, self->next);
    self->next++;
    return self->last;
}

static void run_verdicts(const struct al_config *config, bool large)
{
    (void)large;
    struct clerk clerks[4] = {[0].last = AL_DESTROY, [1].last = AL_FINISHED};
    struct note kept[4], spent[4];
    struct order last;
    struct al_system *system = start_system(config);
    al_message_init(order, &last, AL_NODELETE);
    last.number = 2;
    for (uint32_t i = 0; i < 4; i++) {
        kept[i] = (struct note){.destroyed = 0, .number = 0};
        spent[i] = (struct note){.number = 1};
        al_message_init(note, &kept[i], AL_NODELETE);
        al_message_init(note, &spent[i], AL_DESTROY);
        al_actor_init(clerk, &clerks[i]);
        al_send(clerk, note, al_send(clerk, note, &clerks[i], &kept[i]), &spent[i]);
        if (i < 2)
            al_send(clerk, order, &clerks[i], &last); /* one message in two queues */
    }
    al_send_pill(&clerks[2].actor, &al_destroy_msg);
    al_send_pill(&clerks[3].actor, &al_finished_msg);
    stop_system(system);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(clerks[i].next == (i < 2 ? 3u : 2u), "clerk %u received %u messages", i,
              clerks[i].next);
        CHECK(clerks[i].destroyed == (i % 2 == 0), "clerk %u was destroyed %u times", i,
              clerks[i].destroyed);
        CHECK(kept[i].destroyed == 0 && spent[i].destroyed == 1, "notes of clerk %u: %u, %u", i,
              kept[i].destroyed, spent[i].destroyed);
        al_message_fini(&kept[i].message);
    }
    al_message_fini(&last.message);
    /* Storage that was kept can become an actor again, in another system. */
    system = start_system(config);
    al_actor_init(clerk, &clerks[0]);
    al_send_pill(&clerks[0].actor, &al_destroy_msg);
    stop_system(system);
    CHECK(clerks[0].destroyed == 2, "destroyed %u times", clerks[0].destroyed);
}

/* nothing: a system without actors ends at once, and so does one with a single pill. */
static void run_nothing(const struct al_config *config, bool large)
{
    (void)large;
    stop_system(start_system(config));
    struct clerk clerk = {0};
    struct al_system *system = start_system(config);
    al_actor_init(clerk, &clerk);
    al_send_pill(&clerk.actor, &al_finished_msg);
    stop_system(system);
}

const struct scenario scenarios[] = {
    {.name = "traffic", .run = run_traffic},
    {.name = "family", .run = run_family},
    {.name = "verdicts", .run = run_verdicts},
    {.name = "derived", .run = run_derived},
    {.name = "placed", .run = run_placed},
    {.name = "moves", .run = run_moves},
    {.name = "lingers", .run = run_lingers},
    {.name = "recycled", .run = run_recycled, .own = true},
    {.name = "timers", .run = run_timers},
    {.name = "workloads", .run = run_workloads},
    {.name = "savina", .run = run_savina, .own = true},
    {.name = "nothing", .run = run_nothing},
    {.name = "flood", .run = run_flood, .flood = true},
    {0},
};
