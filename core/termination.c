/* SPDX-License-Identifier: MIT */
#include "core/termination.h"

#include "core/cancel.h"
#include "core/system_private.h"

#define WAIT_SLEEP_NS 500000

/*
 * Termination. Each worker counts the actors that it created and those that it terminated, on a
 * line of its own: creating an actor touches no shared line. With C and T the sums over all
 * workers, T <= C at every moment, and both only grow. quiescent() reads every T before any C. If
 * the sums agree, then at the moment between the two passes T = C: no actor was alive, so none can
 * be created any more (the starter is in al_system_stop, and only behaviours of live actors create
 * others).
 *
 * The sums are checked by a worker without work that has terminated an actor since its last check,
 * and by al_system_stop. The last worker to terminate an actor therefore checks after it. The
 * fences order "count, then check" of each worker against that of the others, so if several are
 * last, at least one sees all counts.
 */
static uint64_t count_terminated(struct al_system *system)
{
    uint64_t n = 0;
    /* acquire: partner is the release in count_one (core/delivery.c). Without it the second pass
     * could miss a creation that came before a termination counted here. */
    for (uint32_t i = 0; i <= system->shown.n_workers; i++)
        n += al_u64_load_acquire(&system->shown.workers[i].terminated);
    /* acquire: partner is the CAS in al_worker_detach (core/detached.c). Without it the new
     * worker's fields could be read before they are written. A thread that is missing here makes T
     * smaller, never larger; whoever sees in the second pass what its actor did sees the thread
     * too. */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        n += al_u64_load_acquire(&w->terminated);
    return n;
}

static uint64_t count_created(struct al_system *system)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i <= system->shown.n_workers; i++)
        n += al_u64_load_acquire(&system->shown.workers[i].created);
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        n += al_u64_load_acquire(&w->created);
    return n;
}

static bool quiescent(struct al_system *system)
{
    uint64_t terminated = count_terminated(system);
    uint64_t created = count_created(system);
    return terminated == created;
}

void al_system_finish_if_quiescent(struct al_system *system)
{
    al_fence_seq_cst();
    /* acquire: partner is the release in al_system_stop. Without it the count of actors that the
     * starter created could be read as it was earlier, and the system ended under them. */
    if (al_u32_load_acquire(&system->phase) == AL_PHASE_RUNNING || !quiescent(system))
        return;
    /* The workload's time ends here, however long a sleeping worker then takes to leave its loop.
     * Several may get here at once; the first to see the end counts. relaxed: published by the
     * release below. */
    uint64_t never = 0;
    (void)al_u64_cas_relaxed(&system->ended_ns, &never, al_clock_ns());
    /* release: partner is the acquire in al_runtime_over. Without it whoever sees the end could
     * still read ended_ns as 0. */
    al_u32_store_release(&system->phase, AL_PHASE_OVER);
    /* For the starter, whose al_fence_wake costs nothing: since it has stopped the system, those
     * who fall asleep do not make it pass a fence. */
    al_fence_seq_cst();
    al_idle_nudge(&system->shown, AL_EVERYONE);
}

bool al_system_wait(struct al_system *system, uint64_t ns)
{
    uint64_t began = al_clock_ns();
    /* While the starter is here, only behaviours of live actors create others. */
    while (!quiescent(system) && !al_cancelled(system)) {
        uint64_t passed = al_clock_ns() - began;
        if (passed >= ns)
            return false;
        uint64_t left = ns - passed;
        al_sleep_ns(left < WAIT_SLEEP_NS ? left : WAIT_SLEEP_NS);
    }
    return true;
}

bool al_runtime_over(const struct al_runtime *system)
{
    /* acquire: partner is the release in al_system_finish_if_quiescent */
    return al_u32_load_acquire(&al_system_of(system)->phase) == AL_PHASE_OVER;
}

bool al_runtime_open(const struct al_runtime *system)
{
    /* acquire: partner is the release in al_system_stop */
    return al_u32_load_acquire(&al_system_of(system)->phase) == AL_PHASE_RUNNING;
}

bool al_worker_done(struct al_worker *self)
{
    uint64_t terminated = al_u64_load_relaxed(&self->terminated);
    if (AL_SYNC_THREADS) /* for the watch over workers that are stuck */
        self->idle_looks++;
    if (terminated != self->terminated_seen) {
        self->terminated_seen = terminated;
        al_system_finish_if_quiescent(al_system_of(self->system));
    }
    return al_runtime_over(self->system);
}
