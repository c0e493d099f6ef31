/* SPDX-License-Identifier: MIT */
#include "schedulers/actor_centric/detached.h"

#include <string.h>

#include "core/observe/histogram.h"
#include "schedulers/actor_centric/base.h"

/* A worker outside of the workers' array, which delivers to one actor. */
struct al_detached {
    struct al_worker worker; /* first: the system frees it */
    struct al_base_worker state;
    struct al_ready_actor *ready;
    /* 1 from the push that found the actor waiting until the thread has seen it */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 signal;
};

static void detached_main(void *argument)
{
    struct al_detached *detached = argument;
    struct al_worker *self = &detached->worker;
    al_self_set(self);
    enum al_resumed resumed;
    do {
        /* acquire: partner is the release in al_detached_wake. Without it this thread might not see
         * the message. */
        while (al_u32_load_acquire(&detached->signal) == 0)
            al_park(&detached->signal, 0);
        al_u32_store_relaxed(&detached->signal, 0); /* relaxed: nobody wakes an actor that runs */
        resumed = al_base_watched(self) ? al_base_resume(self, detached->ready, UINT64_MAX, true)
                                        : al_base_resume(self, detached->ready, UINT64_MAX, false);
    } while (resumed != AL_RESUMED_DONE);
    al_worker_done(self); /* it may have been the last actor */
    al_self_set(NULL);
}

void al_detached_wake(struct al_detached *detached)
{
    al_u32_store_release(&detached->signal, 1); /* partner: the acquire in detached_main */
    al_unpark(&detached->signal, 1);
}

void al_detach(struct al_worker *creator, struct al_ready_actor *ready)
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
