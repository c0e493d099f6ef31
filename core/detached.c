/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/cancel.h"
#include "core/memory/object.h"
#include "core/observe/histogram.h"
#include "core/system_private.h"

static void detached_main(void *argument)
{
    struct al_worker *self = argument;
    al_self_set(self);
    al_sleep_precisely(); /* as all workers */
    self->detached_run(self);
    if (al_cancelled(al_system_of(self->system))) /* as in core/system.c */
        al_cancel_sends(self);
    al_worker_done(self); /* it may have been the last actor */
    al_self_set(NULL);
}

void al_worker_detach(struct al_worker *worker, struct al_runtime *shown,
                      void (*run)(struct al_worker *self), void (*wake)(struct al_worker *self))
{
    struct al_system *system = al_system_of(shown);
    worker->send = shown->workers[shown->n_workers].send;
    worker->system = shown;
    al_object_pools_init(worker, shown);
    worker->id = shown->n_workers;
    worker->pu = worker->bound = worker->node = -1;
    worker->timer_looks = 1; /* likewise */
    worker->detached_run = run;
    worker->detached_wake = wake;
    al_random_seed(&worker->random, shown->seed, worker->id);
    if (system->latencies)
        worker->latencies = al_histogram_new();
    void *head = al_ptr_load_relaxed(&system->detached);
    do {
        worker->next = head;
        /* release: partner is the acquire in count_terminated (core/termination.c). Without it the
         * worker could be seen before its fields. */
    } while (!al_ptr_cas_acq_rel(&system->detached, &head, worker));
    al_fence_seq_cst(); /* who cancels the system sees the worker, or the worker sees that */
    int code = al_thread_start(&worker->thread, detached_main, worker);
    if (code != 0)
        al_fatal("no thread for a detached actor: %s", strerror(-code));
}
