/* SPDX-License-Identifier: MIT */

/*
 * The fast path of sends (struct al_route), with a strategy made for it: boxes of messages, each
 * emptied by one worker, and a route from each worker to each box that holds a few messages until
 * they are handed over under one lock. Runs on threads, and with many seeds on the virtual engine.
 */

#include <stdlib.h>
#include <string.h>

#include "core/actor.h"
#include "core/plugin/scheduler.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS 100
#else
#define SEEDS 20
#endif

#define N_WORKERS 3
#define N_BOXES   5
#define ROOM      4 /* of a route */

struct box {
    struct al_spinlock lock;
    struct al_atomic_u32 length; /* written under the lock */
    struct al_envelope *envelopes;
};

/* Per worker: what it sends with, how often it called `send`, and a note of what was in a box. What
 * it sends to the box of its own number takes the route `own`. */
struct office {
    struct al_envelope rooms[N_BOXES][ROOM], *taken;
    uint64_t calls;
    struct al_route ways[N_BOXES];
    struct al_routes routes;
};

struct post {
    bool routed;
    struct box boxes[N_BOXES];
    struct al_atomic_u32 tickets;
    uint64_t calls, outside_calls; /* of all workers, and of the external one */
};

enum option { ROUTED };

static const char *const routed_choices[] = {"off", "on", NULL};

static const struct al_option options[] = {
    [ROUTED] = {"routed", AL_OPTION_ENUM, "on", 0, 0, routed_choices,
                "whether workers have routes"},
    {0},
};

#define MOST_ENVELOPES 4096 /* in a box */

static struct post *post_of(const struct al_worker *worker)
{
    return worker->system->scheduler_state;
}

static void put(struct al_worker *self, uintptr_t number, const struct al_envelope *envelopes,
                uint32_t n)
{
    struct box *box = &post_of(self)->boxes[number];
    al_spinlock_lock(&box->lock);
    uint32_t length = al_u32_load_relaxed(&box->length); /* relaxed: under the lock */
    CHECK(length + n <= MOST_ENVELOPES, "a box is full");
    memcpy(box->envelopes + length, envelopes, n * sizeof *envelopes);
    al_u32_store_relaxed(&box->length, length + n);
    al_spinlock_unlock(&box->lock);
    al_idle_wake(self->system, (uint32_t)number % N_WORKERS);
}

static void hand_over(struct al_worker *self, uintptr_t number)
{
    struct office *office = self->scheduler;
    struct al_envelope *room = office->rooms[number];
    struct al_route *way = office->routes.to[number];
    uint32_t n = (uint32_t)(way->tail - room);
    if (n != 0)
        put(self, number, room, n);
    way->tail = room;
}

/* There is no room, or no route at all. */
static void post_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                      al_behaviour *behaviour)
{
    struct office *office = self->scheduler;
    const struct al_envelope envelope = {actor, message, behaviour};
    office->calls++;
    if (self->routes == NULL) {
        put(self, actor->route, &envelope, 1);
        return;
    }
    hand_over(self, actor->route);
    *office->routes.to[actor->route]->tail++ = envelope;
}

/* The external worker has no office. */
static void post_send_outside(struct al_worker *self, struct al_actor *actor,
                              struct al_message *message, al_behaviour *behaviour)
{
    const struct al_envelope envelope = {actor, message, behaviour};
    put(self, actor->route, &envelope, 1);
    post_of(self)->outside_calls++;
}

static al_sender *post_choose_send(const struct al_worker *worker)
{
    return worker->id < N_WORKERS ? post_send : post_send_outside;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    CHECK(memory != NULL, "no memory");
    return memory;
}

/* Handed from one system to main: what `fini` counts. */
static uint64_t calls, outside_calls;

static int post_init(struct al_runtime *system, struct al_error *error)
{
    (void)error;
    struct post *post = system->scheduler_state = allocate(sizeof *post);
    post->routed = system->scheduler.values[ROUTED].uint != 0;
    for (uint32_t i = 0; i < N_BOXES; i++)
        post->boxes[i].envelopes = allocate(MOST_ENVELOPES * sizeof(struct al_envelope));
    return 0;
}

static int post_worker_init(struct al_worker *self)
{
    struct office *office = self->scheduler = allocate(sizeof *office +
                                                       N_BOXES * sizeof office->routes.to[0]);
    office->taken = allocate(MOST_ENVELOPES * sizeof *office->taken);
    for (uint32_t i = 0; i < N_BOXES; i++) {
        office->routes.to[i] = i == self->id ? &office->routes.own : &office->ways[i];
        *office->routes.to[i] = (struct al_route){office->rooms[i], office->rooms[i] + ROOM};
    }
    if (post_of(self)->routed)
        self->routes = &office->routes;
    return 0;
}

static void post_fini(struct al_runtime *system)
{
    struct post *post = system->scheduler_state;
    calls = 0;
    outside_calls = post->outside_calls;
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        struct office *office = system->workers[i].scheduler;
        calls += office->calls;
        free(office->taken);
        free(office);
    }
    for (uint32_t i = 0; i < N_BOXES; i++)
        free(post->boxes[i].envelopes);
    free(post);
}

static uint32_t post_enter(struct al_worker *self, struct al_actor *actor, enum al_placement place,
                           uint32_t worker)
{
    (void)place, (void)worker;
    actor->route = al_u32_add_relaxed(&post_of(self)->tickets, 1) % N_BOXES;
    return (uint32_t)actor->route % N_WORKERS;
}

static uint32_t take(struct al_worker *self, struct box *box)
{
    struct office *office = self->scheduler;
    if (al_u32_load_relaxed(&box->length) == 0) /* relaxed: a look that saves the lock */
        return 0;
    al_spinlock_lock(&box->lock);
    struct al_envelope *full = box->envelopes;
    uint32_t n = al_u32_load_relaxed(&box->length);
    box->envelopes = office->taken;
    office->taken = full;
    al_u32_store_relaxed(&box->length, 0);
    al_spinlock_unlock(&box->lock);
    return n;
}

static void post_run(struct al_worker *self)
{
    const struct office *office = self->scheduler;
    for (uint64_t misses = 0;;) {
        uint32_t received = 0;
        for (uint32_t i = self->id; i < N_BOXES; i += N_WORKERS) {
            uint32_t n = take(self, &post_of(self)->boxes[i]);
            for (uint32_t k = 0; k < n; k++)
                al_deliver(self, &office->taken[k]);
            received += n;
        }
        for (uint32_t i = 0; i < N_BOXES; i++)
            hand_over(self, i);
        AL_COUNT(self, messages_received, received);
        misses = received != 0 ? 0 : misses + 1;
        if (received == 0) {
            if (al_worker_done(self))
                return;
            al_idle_wait(self, misses, 0);
        }
    }
}

static uint64_t post_length(const struct al_worker *worker)
{
    uint64_t length = 0;
    for (uint32_t i = worker->id; i < N_BOXES; i += N_WORKERS)
        length += al_u32_load_relaxed(&post_of(worker)->boxes[i].length);
    return length;
}

static const struct al_scheduler_ops post_ops = {
    .plugin = {"post", "boxes that workers fill by routes", options},
    .victim = &al_victim_none,
    .idle = &al_idle_park,
    .init = post_init,
    .fini = post_fini,
    .worker_init = post_worker_init,
    .run = post_run,
    .enter = post_enter,
    .send = post_send,
    .choose_send = post_choose_send,
    .length = post_length,
};

/* Actors that write to one another, in turns: numbered letters, which must come in order. */

#define N_WRITERS 8
#define N_LETTERS 24 /* from each to each */

struct letter {
    struct al_message message;
    uint32_t from, number;
};

struct writer {
    struct al_actor actor;
    uint32_t id, received, next[N_WRITERS];
    struct letter letters[N_LETTERS];
};

struct begin {
    struct al_message message;
};

AL_ACTOR(writer)
AL_MESSAGE(letter)
AL_MESSAGE(begin)

static struct writer writers[N_WRITERS];

AL_BEHAVIOUR(writer, letter, self, msg)
{
    CHECK(self->next[msg->from] == msg->number, "letter %u of writer %u came, not %u", msg->number,
          msg->from, self->next[msg->from]);
    self->next[msg->from]++;
    return ++self->received == N_WRITERS * N_LETTERS ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(writer, begin, self, msg)
{
    for (uint32_t k = 0; k < N_LETTERS; k++) {
        struct letter *letter = al_message_init(letter, &self->letters[k], AL_NODELETE);
        letter->from = self->id;
        letter->number = k;
        for (uint32_t i = 0; i < N_WRITERS; i++)
            al_send(writer, letter, &writers[i], letter);
    }
    return AL_NODELETE;
}

struct job {
    const char *routed;
    uint64_t seed;
};

static void write_letters(void *argument)
{
    const struct job *job = argument;
    const struct al_setting setting = {"routed", job->routed};
    const struct al_config config = {.scheduler = &post_ops,
                                     .workers = N_WORKERS,
                                     .seed = job->seed,
                                     .oversubscribe = true,
                                     .pin = "none",
                                     .settings = &setting,
                                     .n_settings = 1};
    struct al_system *system;
    struct al_error error;
    struct begin begin;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_message_init(begin, &begin, AL_NODELETE);
    for (uint32_t i = 0; i < N_WRITERS; i++) {
        writers[i] = (struct writer){.id = i};
        al_actor_init(writer, &writers[i]);
    }
    for (uint32_t i = 0; i < N_WRITERS; i++)
        al_send(writer, begin, &writers[i], &begin);
    CHECK(al_system_stop(system, NULL) == 0, "letters were never received");
    for (uint32_t i = 0; i < N_WRITERS; i++)
        CHECK(writers[i].received == N_WRITERS * N_LETTERS, "writer %u has %u letters", i,
              writers[i].received);
    CHECK(outside_calls == N_WRITERS, "%llu sends from outside", (unsigned long long)outside_calls);
}

/* Once for each seed; the most calls of `send` in a run. */
static uint64_t write_often(const char *routed)
{
    uint64_t most = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct job job = {routed, seed};
        run_seed(seed, write_letters, &job);
        most = calls > most ? calls : most;
    }
    return most;
}

int main(void)
{
    const uint64_t letters = (uint64_t)N_WRITERS * N_WRITERS * N_LETTERS;
    struct tap tap = {0};
    uint64_t n = write_often("off");
    tap_ok(&tap, n == letters, "without routes every send is a call: %llu of %llu",
           (unsigned long long)n, (unsigned long long)letters);
    n = write_often("on");
    tap_ok(&tap, n > 0 && n <= letters / ROOM,
           "with routes a call comes after each %u letters: %llu of %llu", ROOM,
           (unsigned long long)n, (unsigned long long)letters);
    return tap_done(&tap);
}
