/* SPDX-License-Identifier: MIT */

/*
 * The scheduler that measures a profile of the workload (core/observe/profile.h); it is in no list
 * of strategies. Each worker has one locked list of messages and runs the actors that are at home
 * with it; nobody steals. An actor lives with its creator, those made from outside are dealt out in
 * turn, and so are hubs and actors to be spread.
 *
 * Distinct senders are counted linearly (Whang, Vander-Zanden and Taylor, 1990): each sender sets
 * one of 512 bits, and so many bits stay unset. The error is 3% at 64 senders.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/observe/observer.h"
#include "core/observe/profile.h"
#include "core/plugin/scheduler.h"
#include "schedulers/idle/idles.h"
#include "schedulers/queues/list_queue.h"
#include "schedulers/registry.h"
#include "schedulers/victims/victims.h"

enum { BITS = 512, WORDS = BITS / 64 };

/* What is known of an actor: written under the lock of its worker, but for the first two. */
struct home {
    uint64_t identity;
    uint32_t worker;
    uint64_t received, senders[WORDS];
};

/* Of a worker. The first two are shared, the rest is its own. */
struct desk {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    struct al_list_queue queue;
    const struct home *running; /* NULL: no behaviour */
    uint64_t sent;              /* by this behaviour */
    uint64_t aside;             /* cycles that it spent in here */
    uint64_t created, dealt;    /* so far */
    struct al_profile profile;
};

struct profiler {
    uint64_t clock_cycles; /* that it takes to read the cycles */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock; /* of these two */
    uint64_t actors, most_actors;
    struct desk desks[]; /* of the workers and the external one */
};

static struct profiler *profiler_of(const struct al_worker *worker)
{
    return worker->system->scheduler_state;
}

static void clear(struct al_profile *profile)
{
    struct al_histogram *all[] = {&profile->work, &profile->fan_out, &profile->bytes,
                                  &profile->received, &profile->senders};
    memset(profile, 0, sizeof *profile);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->min = UINT64_MAX;
}

static int profiler_init(struct al_runtime *system, struct al_error *error)
{
    size_t bytes = sizeof(struct profiler) + (system->n_workers + 1) * sizeof(struct desk);
    struct profiler *profiler = al_aligned_alloc(_Alignof(struct profiler), bytes);
    if (profiler == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the profile");
    memset(profiler, 0, bytes);
    for (uint32_t i = 0; i <= system->n_workers; i++) {
        al_list_queue_init(&profiler->desks[i].queue);
        clear(&profiler->desks[i].profile);
        system->workers[i].scheduler = &profiler->desks[i];
    }
    profiler->clock_cycles = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t before = al_cycles(), cycles = al_cycles() - before;
        if (cycles < profiler->clock_cycles)
            profiler->clock_cycles = cycles;
    }
    system->scheduler_state = profiler;
    return 0;
}

static void merge(struct al_profile *sum, const struct al_profile *more)
{
    al_histogram_merge(&sum->work, &more->work);
    al_histogram_merge(&sum->fan_out, &more->fan_out);
    al_histogram_merge(&sum->bytes, &more->bytes);
    al_histogram_merge(&sum->received, &more->received);
    al_histogram_merge(&sum->senders, &more->senders);
    sum->senders_of_messages += more->senders_of_messages;
    sum->sent_inside += more->sent_inside;
    sum->local += more->local;
    sum->created_inside += more->created_inside;
}

static void profiler_fini(struct al_runtime *system)
{
    struct profiler *profiler = system->scheduler_state;
    struct al_profile *profile = &profiler->desks[system->n_workers].profile;
    for (uint32_t i = 0; i <= system->n_workers; i++) {
        struct desk *desk = &profiler->desks[i];
        al_list_fini(al_list_queue_take_serial(&desk->queue),
                     &system->workers[system->n_workers].envelopes, al_undelivered, system);
        if (i < system->n_workers)
            merge(profile, &desk->profile);
    }
    profile->most_actors = profiler->most_actors;
    if (system->observer != NULL && system->observer->profiled != NULL)
        system->observer->profiled(system->observer->context, profile);
    al_free(profiler);
}

/* The rest of a call that began then is no work of the behaviour. */
static void put_aside(struct desk *mine, const struct profiler *profiler, uint64_t began)
{
    mine->aside += al_cycles() - began + profiler->clock_cycles;
}

static uint32_t settle(struct al_worker *self, struct al_actor *actor, uint32_t worker,
                       uint64_t began)
{
    struct profiler *profiler = profiler_of(self);
    struct desk *mine = self->scheduler;
    struct home *home = actor->home = al_calloc(1, sizeof *home);
    if (home == NULL)
        al_out_of_memory("the profile of an actor", sizeof *home);
    home->worker = worker;
    home->identity = 1 + self->id + mine->created++ * (self->system->n_workers + 1);
    mine->profile.created_inside += mine->running != NULL;
    al_spinlock_lock(&profiler->lock);
    if (++profiler->actors > profiler->most_actors)
        profiler->most_actors = profiler->actors;
    al_spinlock_unlock(&profiler->lock);
    put_aside(mine, profiler, began);
    return worker;
}

static uint32_t profiler_enter(struct al_worker *self, struct al_actor *actor,
                               enum al_placement place, uint32_t worker)
{
    uint64_t began = al_cycles();
    uint32_t n = self->system->n_workers;
    struct desk *mine = self->scheduler;
    bool dealt = self->id == n || place == AL_PLACE_HUB || place == AL_PLACE_SPREAD;
    if (place != AL_PLACE_WORKER)
        worker = dealt ? (self->id % n + (uint32_t)(mine->dealt++ % n)) % n : self->id;
    return settle(self, actor, worker, began);
}

static void profiler_enter_near(struct al_worker *self, struct al_actor *actor,
                                struct al_actor *other)
{
    (void)settle(self, actor, ((const struct home *)other->home)->worker, al_cycles());
}

static uint64_t count_senders(const struct home *home)
{
    uint64_t set = 0;
    for (int i = 0; i < WORDS; i++)
        set += (uint64_t)__builtin_popcountll(home->senders[i]);
    return set == BITS ? AL_PROFILE_SENDERS : (uint64_t)lrint(-BITS * log1p(-(double)set / BITS));
}

static void profiler_leave(struct al_worker *self, struct al_actor *actor)
{
    uint64_t began = al_cycles();
    struct profiler *profiler = profiler_of(self);
    struct desk *mine = self->scheduler;
    struct home *home = actor->home;
    uint64_t senders = count_senders(home);
    if (home->received != 0) {
        al_histogram_add(&mine->profile.received, home->received);
        al_histogram_add(&mine->profile.senders, senders);
        mine->profile.senders_of_messages += home->received * senders;
    }
    al_free(home);
    mine->running = NULL;
    al_spinlock_lock(&profiler->lock);
    profiler->actors--;
    al_spinlock_unlock(&profiler->lock);
    put_aside(mine, profiler, began);
}

static void profiler_send(struct al_worker *self, struct al_actor *actor,
                          struct al_message *message, al_behaviour *behaviour)
{
    uint64_t began = al_cycles();
    struct profiler *profiler = profiler_of(self);
    struct desk *mine = self->scheduler;
    struct home *home = actor->home;
    struct desk *its = &profiler->desks[home->worker];
    uint64_t sender = mine->running != NULL ? mine->running->identity : 0;
    uint64_t bit = al_random_split(&sender) % BITS;
    struct al_list_node *node = al_list_node(&self->envelopes, actor, message, behaviour);
    al_histogram_add(&mine->profile.bytes, message->type->size);
    if (mine->running != NULL) {
        mine->sent++;
        mine->profile.sent_inside++;
        mine->profile.local += home->worker == self->id;
    }
    al_spinlock_lock(&its->lock);
    home->received++;
    home->senders[bit / 64] |= (uint64_t)1 << bit % 64;
    uint32_t worker = home->worker; /* once the message can be seen, it may end the actor */
    al_list_queue_push_serial(&its->queue, node);
    al_spinlock_unlock(&its->lock);
    al_idle_wake(self->system, worker);
    put_aside(mine, profiler, began);
}

static void deliver(struct al_worker *self, struct desk *mine, const struct al_envelope *envelope)
{
    AL_COUNT(self, messages_received, 1);
    mine->running = envelope->actor->home;
    mine->sent = 0;
    mine->aside = profiler_of(self)->clock_cycles;
    uint64_t began = al_cycles();
    al_deliver(self, envelope);
    uint64_t cycles = al_cycles() - began;
    mine->running = NULL;
    al_histogram_add(&mine->profile.work, cycles > mine->aside ? cycles - mine->aside : 0);
    al_histogram_add(&mine->profile.fan_out, mine->sent);
}

static void profiler_run(struct al_worker *self)
{
    struct desk *mine = self->scheduler;
    for (uint64_t misses = 0;;) {
        struct al_list_node *node = NULL, *next;
        (void)al_timers_look(self);
        if (al_list_queue_length(&mine->queue) != 0) {
            al_spinlock_lock(&mine->lock);
            node = al_list_queue_take_serial(&mine->queue);
            al_spinlock_unlock(&mine->lock);
        }
        if (node == NULL) {
            if (al_worker_done(self))
                return;
            misses++;
            misses += al_idle_wait(self, misses, AL_ALWAYS);
            continue;
        }
        misses = 0;
        for (; node != NULL; node = next) {
            next = node->next;
            deliver(self, mine, &node->envelope);
            al_pool_give(&self->envelopes, node);
        }
    }
}

static uint64_t profiler_length(const struct al_worker *worker)
{
    return al_list_queue_length(&profiler_of(worker)->desks[worker->id].queue);
}

static const struct al_option profiler_options[] = {AL_ENVELOPES_OPTION, {0}};

const struct al_scheduler_ops al_profiler = {
    .plugin = {"profiler", "looks at each message, to measure a profile", profiler_options},
    .victim = &al_victim_none,
    .idle = &al_idle_park,
    .init = profiler_init,
    .fini = profiler_fini,
    .run = profiler_run,
    .enter = profiler_enter,
    .enter_near = profiler_enter_near,
    .leave = profiler_leave,
    .send = profiler_send,
    .length = profiler_length};
