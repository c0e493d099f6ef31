/* SPDX-License-Identifier: MIT */
#ifndef AL_RUNTIME_H
#define AL_RUNTIME_H

/*
 * What a system shows to its plug-ins: worker->system. The rest of it is core's own
 * (core/system_private.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/envelope.h"
#include "core/source.h"
#include "core/option.h"
#include "core/sync/sync.h"

struct al_depot;
struct al_idle_ops;
struct al_locality;
struct al_observer;
struct al_scheduler_ops;
struct al_victim_ops;
struct al_worker;

/* Written by the starting thread before any worker runs, and constant from then on. */
struct al_runtime {
    const struct al_scheduler_ops *ops;
    const struct al_victim_ops *victim_ops;
    const struct al_idle_ops *idle_ops;
    /* the plug-ins with the values of their options; init may correct its own */
    struct al_selection scheduler, victim, idle;
    const struct al_observer *observer; /* or NULL */
    /* each set by the init of the plug-in that it belongs to */
    void *scheduler_state, *victim_state, *idle_state;
    /* the idle policy's, or the strategy's where workers sleep in its own way; NULL: no worker
     * needs to be woken. Called through al_idle_wake and al_idle_nudge. */
    void (*wake)(struct al_runtime *system, uint32_t id);
    /* The strategy's: workers from this number on have retired, and are not woken to steal. NULL:
     * none ever retires. */
    const struct al_atomic_u32 *in_use;
    struct al_locality *locality; /* where the workers stand to one another */
    uint32_t n_workers;
    bool oversubscribed; /* more workers than PUs */
    bool starter_light;  /* the starter's al_fence_wake costs nothing */
    uint64_t seed;
    bool stamps_by_clock;             /* al_cycles of different PUs cannot be compared */
    struct al_worker *workers;        /* n_workers, then the external worker */
    struct al_depot *depots;          /* for the workers' pools (core/memory/object.h) */
    enum al_source memory, envelopes; /* of these pools */
};

/* A time that workers may compare, of no fixed unit. Any thread. */
static inline uint64_t al_stamp(const struct al_runtime *system)
{
    return system->stamps_by_clock ? al_clock_ns() : al_cycles();
}

/* Whether no actor is alive and none can be created any more, or the system was cancelled: a cheap
 * look that ends nothing. Any thread; the loop of a worker asks al_worker_done (core/worker.h). */
bool al_runtime_over(const struct al_runtime *system);

/* Whether the starter may still create actors and send. Who reads that it may not sees all that it
 * has sent, or the system was cancelled. Any thread. */
bool al_runtime_open(const struct al_runtime *system);

/* For fini: a message that was sent and never received. system: a struct al_runtime *, untyped so
 * that queues, which know of no system, can call this as they are released. */
void al_undelivered(void *system, const struct al_envelope *envelope);

/*
 * Start the thread of a worker outside of the array, which runs one detached actor. The worker is
 * zero but for `scheduler`; core fills in the rest, and frees it after al_system_stop has joined
 * the thread, so it is at the beginning of an allocation. run returns once the actor has
 * terminated, or al_runtime_over says so, for which `wake` ends its wait; any thread calls that.
 * Any worker.
 */
void al_worker_detach(struct al_worker *worker, struct al_runtime *system,
                      void (*run)(struct al_worker *self), void (*wake)(struct al_worker *self));

#endif
