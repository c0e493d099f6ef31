/* SPDX-License-Identifier: MIT */
#ifndef AL_SYSTEM_PRIVATE_H
#define AL_SYSTEM_PRIVATE_H

/* The insides of a system. For core, and for tests that look into one. */

#include "core/plugin/scheduler.h"
#include "core/sync/blocking.h"
#include "core/sync/sync.h"
#include "core/system.h"

/* How far a system has come. */
enum al_phase {
    AL_PHASE_RUNNING,
    AL_PHASE_STOPPING, /* al_system_stop was called */
    AL_PHASE_OVER,     /* ... and no actor is alive; or al_system_cancel was called */
};

struct al_system {
    struct al_runtime shown; /* what plug-ins see; first, so that it costs nothing to find */

    /* written at the start */
    const struct al_topology *topology;
    struct al_topology *owned_topology; /* the same, or NULL if the caller owns it */
    void (*ended)(void *argument);      /* or NULL; see struct al_config */
    void *ended_argument;
    void (*actor_ended)(void *argument, struct al_actor *actor, enum al_verdict verdict);
    void *actor_ended_argument;          /* both: see struct al_config */
    const struct al_worker_hooks *hooks; /* or NULL */
    void *hooks_argument;
    uint32_t stall_s; /* or 0; these three: see struct al_config */
    void (*stalled)(void *argument, const char *text);
    void *stalled_argument;
    void (*waiting)(void *argument); /* or NULL; see struct al_config */
    void *waiting_argument;
    bool latencies;        /* workers have histograms */
    uint32_t trace_events; /* capacity of the workers' traces, or 0 */
    uint64_t started_ns, started_cycles;
    struct al_unreceived *unreceived; /* checks build only; under report_lock */

    al_sender *external_send; /* NULL, or the external worker's own, if any thread may send */

    /* written by threads that are no workers (core/outside.c) */
    struct {
        /* whoever acts as the external worker holds it */
        _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_mutex lock;
        uint64_t n_posted; /* under the lock: messages that others than the starter sent */
    } outside;

    /* written a few times in a system's life */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 phase; /* enum al_phase */
    struct al_atomic_u32 cancelled;                               /* al_system_cancel was called */
    struct al_atomic_u64 ended_ns; /* al_clock_ns() of whoever first saw the end; 0 before */
    struct al_atomic_u32 ready;    /* workers whose worker_init has returned */
    struct al_atomic_u32 failed;   /* errno of the first that failed, or 0 */
    struct al_spinlock report_lock;
    struct al_atomic_ptr detached; /* struct al_worker *, linked by next: one actor each */
};

static inline struct al_system *al_system_of(const struct al_runtime *shown)
{
    return (struct al_system *)(uintptr_t)shown;
}

/* The parts of al_system_start and al_system_stop around the threads. All of a system but its
 * threads: 0, or a negative errno with a line in error, and then nothing is left. */
__attribute__((warn_unused_result)) int
al_system_new(const struct al_config *config, struct al_system **system, struct al_error *error);
/* The starter will create no more actors: the system is over when there are none. */
void al_system_close(struct al_system *system);

/* Strategy, victim heuristic and idle policy: take those of a configuration with their options;
 * call their init, of which *n have succeeded; and the fini of so many. The starter, without
 * workers. */
int al_plugins_select(struct al_system *system, const struct al_config *config,
                      struct al_error *error);
int al_plugins_init(struct al_system *system, int *n, struct al_error *error);
void al_plugins_fini(struct al_system *system, int n);

/* Let any thread act as the external worker. Before the workers start. */
void al_outside_share(struct al_system *system);

/* Wait for those who are about to return from a send, whose message has been received. After the
 * workers have ended. */
void al_outside_end(struct al_system *system);

/* Take what a thread holds while it acts as the external worker. As nobody: it must not count its
 * wait as that worker yet. */
static inline void al_outside_take(struct al_mutex *lock)
{
    struct al_worker *self = al_self();
    al_self_set(NULL);
    al_mutex_lock(lock);
    al_self_set(self);
}

/* What a thread holds while it acts as this worker; NULL: nothing, it is the only one. */
static inline struct al_mutex *al_outside_lock(const struct al_worker *worker)
{
    struct al_system *system = al_system_of(worker->system);
    if (__builtin_expect(system->external_send == NULL, 1))
        return NULL;
    bool external = worker == &system->shown.workers[system->shown.n_workers];
    return external ? &system->outside.lock : NULL;
}

#endif
