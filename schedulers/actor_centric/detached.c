/* SPDX-License-Identifier: MIT */
#include "schedulers/actor_centric/detached.h"

#include <string.h>

#include "schedulers/actor_centric/base.h"

/* A worker outside of the workers' array, which delivers to one actor. */
struct al_detached {
    struct al_worker worker; /* first: core frees it */
    struct al_base_worker state;
    struct al_ready_actor *ready;
    /* 1 from the push that found the actor waiting until the thread has seen it */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 signal;
};

/* `loop` is a constant in each caller, so that this is compiled for each. */
static inline __attribute__((always_inline)) void run_loop(struct al_worker *self,
                                                           enum al_base_loop loop)
{
    struct al_detached *detached = (struct al_detached *)self;
    enum al_resumed resumed;
    do {
        /* acquire: partner is the release in al_detached_wake. Without it this thread might not see
         * the message. */
        while (al_u32_load_acquire(&detached->signal) == 0) {
            if (al_runtime_over(self->system))
                return;
            if (!al_timers_look(self))
                al_timers_park(self, &detached->signal, 0);
        }
        if (al_runtime_over(self->system)) /* then nobody may have sent anything */
            return;
        al_u32_store_relaxed(&detached->signal, 0); /* relaxed: nobody wakes an actor that runs */
        resumed = al_base_resume(self, detached->ready, UINT64_MAX, loop);
    } while (resumed != AL_RESUMED_DONE);
    while (self->timer_due != 0) { /* its actor has ended, but not those that it set timers for */
        if (!al_timers_look(self))
            al_timers_park(self, &detached->signal, 0);
    }
}

AL_BASE_LOOPS(run_loop)

void al_detached_wake(struct al_detached *detached)
{
    al_u32_store_release(&detached->signal, 1); /* partner: the acquire in run_loop */
    al_unpark(&detached->signal, 1);
}

static void wake(struct al_worker *self)
{
    al_detached_wake((struct al_detached *)self);
}

void al_detach(struct al_worker *creator, struct al_ready_actor *ready)
{
    struct al_detached *detached = al_aligned_alloc(_Alignof(struct al_detached), sizeof *detached);
    if (detached == NULL)
        al_out_of_memory("a detached actor", sizeof *detached);
    memset(detached, 0, sizeof *detached);
    detached->ready = ready;
    ready->detached = detached;
    detached->worker.scheduler = &detached->state;
    al_worker_detach(&detached->worker, creator->system, run_chosen, wake);
}
