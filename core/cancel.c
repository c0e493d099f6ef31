/* SPDX-License-Identifier: MIT */
#include "core/cancel.h"

#include "core/delivery.h"
#include "core/timers.h"

#define NO_BARRIER_NS 1000000 /* without membarrier(2): in this time stores become visible */

static void drop(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                 al_behaviour *behaviour)
{
    (void)actor, (void)behaviour;
    if (message->verdict != AL_NODELETE)
        al_message_dispose(self, message);
}

void al_cancel_sends(struct al_worker *self)
{
    self->send = drop;
    self->routes = NULL;
    al_timers_drop(self);
}

static void poke(struct al_worker *worker)
{
    al_poke(&worker->timer_looks, 1); /* the next look does what there is to do */
    al_poke(&worker->timer_due, AL_TIMER_POKED);
}

static void cancel(struct al_system *system)
{
    struct al_runtime *shown = &system->shown;
    uint64_t never = 0;
    /* All relaxed: published by the release below. */
    al_u32_store_relaxed(&system->cancelled, 1);
    (void)al_u64_cas_relaxed(&system->ended_ns, &never, al_clock_ns());
    al_u32_store_release(&system->phase, AL_PHASE_OVER); /* partner: al_runtime_over */
    al_fence_seq_cst(); /* as behind the same in core/termination.c */
    if (al_membarrier_ready())
        al_membarrier();
    else
        al_sleep_ns(NO_BARRIER_NS);
    for (uint32_t i = 0; i < shown->n_workers; i++)
        poke(&shown->workers[i]);
    al_idle_nudge(shown, AL_EVERYONE);
    /* acquire: partner is the CAS in al_worker_detach, behind which a fence stands: a thread that
     * is missing here sees the phase. */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next) {
        poke(w);
        w->detached_wake(w);
    }
}

void al_system_cancel(struct al_system *system)
{
    struct al_runtime *shown = &system->shown;
    struct al_worker *self = al_self(), *external = &shown->workers[shown->n_workers];
    bool outside = self == NULL || self->system != shown;
    if (outside && system->external_send == NULL)
        al_fatal("al_system_cancel by a thread that has no part in the system, which is not "
                 "shared: struct al_config says so");
    struct al_mutex *lock = al_outside_lock(outside ? external : self);
    if (lock != NULL)
        al_outside_take(lock);
    if (outside)
        al_self_set(external);
    cancel(system);
    al_self_set(self);
    if (lock != NULL)
        al_mutex_unlock(lock);
}
