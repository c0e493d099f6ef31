/* SPDX-License-Identifier: MIT */
#include "schedulers/actor_centric/actor_worker.h"

#include <string.h>

#include "core/observe/histogram.h"

/*
 * The thread of a detached actor: a worker of its own, outside of the workers' array, that delivers to one
 * actor. signal is 1 from the push that found the actor waiting until the thread has seen it.
 */
struct al_detached {
    struct al_worker worker; /* first: the system frees it */
    struct al_actor_worker state;
    struct al_ready_actor *ready;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 signal;
};

static void detached_main(void *argument)
{
    struct al_detached *detached = argument;
    struct al_worker *self = &detached->worker;
    al_self_set(self);
    enum al_resumed resumed;
    do {
        /* acquire: partner is the release in al_detached_wake, hands over the actor */
        while (al_u32_load_acquire(&detached->signal) == 0)
            al_park(&detached->signal, 0);
        al_u32_store_relaxed(&detached->signal, 0); /* relaxed: nobody wakes an actor that runs */
        resumed = al_actor_watched(self)
                      ? al_actor_resume(self, detached->ready, UINT64_MAX, true)
                      : al_actor_resume(self, detached->ready, UINT64_MAX, false);
    } while (resumed != AL_RESUMED_DONE);
    al_worker_done(self); /* it may have been the last actor */
    al_self_set(NULL);
}

void al_detached_wake(struct al_detached *detached)
{
    al_u32_store_release(&detached->signal, 1);
    al_unpark(&detached->signal, 1);
}

static void detach(struct al_worker *creator, struct al_ready_actor *ready)
{
    struct al_system *system = creator->system;
    struct al_detached *detached = aligned_alloc(_Alignof(struct al_detached), sizeof *detached);
    if (detached == NULL)
        al_out_of_memory("a detached actor", sizeof *detached);
    memset(detached, 0, sizeof *detached);
    detached->ready = ready;
    ready->detached = detached;
    struct al_worker *worker = &detached->worker;
    worker->send = system->workers[system->n_workers].send;
    worker->system = system;
    worker->scheduler = &detached->state;
    worker->id = system->n_workers;
    worker->pu = worker->bound = worker->node = -1;
    al_random_seed(&worker->random, system->seed, worker->id);
    if (system->latencies)
        worker->latencies = al_histogram_new();
    void *head = al_ptr_load_relaxed(&system->detached);
    do {
        worker->next = head;
        /* release: partner is the acquire in quiescent() (core/system.c) */
    } while (!al_ptr_cas_acq_rel(&system->detached, &head, worker));
    int code = al_thread_start(&worker->thread, detached_main, detached);
    if (code != 0)
        al_fatal("no thread for a detached actor: %s", strerror(-code));
}

struct al_ready_actor *al_actor_worker_enter(struct al_worker *self, struct al_actor *actor,
                                             enum al_placement placement)
{
    struct al_ready_actor *ready = malloc(sizeof *ready);
    if (ready == NULL)
        al_out_of_memory("an actor's inbox", sizeof *ready);
    al_ready_actor_init(ready, actor);
    actor->home = ready;
    if (placement == AL_PLACE_DETACHED)
        detach(self, ready);
    return ready;
}

const char *const al_actor_preset_choices[] = {"caf-0.17", "tuned", NULL};

const struct al_preset al_actor_presets[] = {
    {"caf-0.17", "max_throughput=0"},
    {"tuned", "max_throughput=300"},
};

static uint32_t next_in_turn(const struct al_system *system, struct al_atomic_u64 *ticket)
{
    /* relaxed: a counter that publishes nothing */
    return (uint32_t)(al_u64_add_relaxed(ticket, 1) % system->n_workers);
}

uint32_t al_actor_worker_enter_in_turn(struct al_worker *self, struct al_actor *actor,
                                       enum al_placement placement, uint32_t worker,
                                       struct al_atomic_u64 *ticket)
{
    struct al_ready_actor *ready = al_actor_worker_enter(self, actor, placement);
    if (placement == AL_PLACE_WORKER)
        ready->first_worker = worker;
    else if (self->id == self->system->n_workers && placement != AL_PLACE_DETACHED)
        ready->first_worker = next_in_turn(self->system, ticket);
    return ready->first_worker;
}

uint32_t al_actor_worker_from_outside(const struct al_system *system,
                                      const struct al_ready_actor *ready,
                                      struct al_atomic_u64 *ticket)
{
    /* relaxed: written by the worker that ran the actor; the push that found it waiting ordered that */
    if (al_u32_load_relaxed(&ready->last_worker) == AL_NO_WORKER &&
        ready->first_worker != AL_NO_WORKER)
        return ready->first_worker;
    return next_in_turn(system, ticket);
}

void al_actor_worker_leave(struct al_worker *self, struct al_actor *actor)
{
    struct al_ready_actor *ready = actor->home;
    struct al_actor_worker *worker = self->scheduler;
    if (self->system->observer != NULL)
        al_observe(self->system->observer->after_completion, self, actor);
    worker->running = NULL;
    al_inbox_fini(&ready->inbox, al_undelivered, self->system);
    free(ready);
}

/* That wait for these actors; 0 where nothing counts them. */
static uint64_t messages_in(void *const *actors, uint32_t n)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; AL_COUNTERS && i < n; i++)
        messages += al_inbox_length_mpsc(&((struct al_ready_actor *)actors[i])->inbox);
    return messages;
}

struct al_ready_actor *
al_actor_worker_steal(struct al_worker *self,
                      struct al_deque *(*deque_of)(const struct al_worker *worker))
{
    const struct al_victim_ops *victim_ops = self->system->victim_ops;
    uint32_t id = al_victim_pick(victim_ops, self);
    if (id == AL_NO_VICTIM) {
        al_stole_no_candidate(self, id);
        return NULL;
    }
    void *stolen[AL_STEAL_MOST];
    bool lost;
    uint32_t n = al_deque_steal_any(deque_of(&self->system->workers[id]), stolen, &lost);
    al_victim_learn(victim_ops, self, id, n > 0);
    if (n > 0) {
        al_stole(self, id, n, messages_in(stolen, n));
        return al_deque_keep_owner(deque_of(self), stolen, n);
    }
    if (lost)
        al_stole_lost_swap(self, id);
    else
        al_stole_no_candidate(self, id);
    return NULL;
}

/* `watched` is a constant in each caller, so that the loop is compiled for each. */
static inline __attribute__((always_inline)) void
run(struct al_worker *self, struct al_deque *(*deque_of)(const struct al_worker *worker),
    uint64_t max_throughput, bool watched)
{
    struct al_system *system = self->system;
    struct al_deque *deque = deque_of(self);
    uint64_t misses = 0; /* looks without work in a row */
    for (;;) {
        struct al_ready_actor *ready = al_deque_pop_owner(deque);
        if (ready == NULL && al_worker_steals(self, misses))
            ready = al_actor_worker_steal(self, deque_of);
        if (ready != NULL) {
            if (misses != 0)
                al_victim_rest(system->victim_ops, self);
            misses = 0;
            if (al_actor_resume(self, ready, max_throughput, watched) == AL_RESUMED_READY)
                al_deque_push_behind_any(deque, ready);
            continue;
        }
        if (al_worker_done(self))
            return;
        al_idle_wait(self, ++misses);
    }
}

void al_actor_worker_run(struct al_worker *self,
                         struct al_deque *(*deque_of)(const struct al_worker *worker),
                         uint64_t max_throughput)
{
    if (al_actor_watched(self))
        run(self, deque_of, max_throughput, true);
    else
        run(self, deque_of, max_throughput, false);
}

uint64_t al_actor_worker_held(const struct al_system *system,
                              struct al_deque *(*deque_of)(const struct al_worker *worker))
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < system->n_workers; i++)
        bytes += al_deque_bytes(deque_of(&system->workers[i]));
    return bytes;
}
