/* SPDX-License-Identifier: MIT */
#ifndef AL_SYSTEM_H
#define AL_SYSTEM_H

/* Starting and stopping an actor system. */

#include <stdbool.h>
#include <stdint.h>

#include "core/envelope.h"
#include "core/error.h"
#include "core/source.h"
#include "core/option.h"
#include "core/report.h"

/* More would need more memory than threads have stacks for. */
#define AL_WORKERS_MOST 4096

struct al_atomic_u64;
struct al_idle_ops;
struct al_observer;
struct al_scheduler_ops;
struct al_system;
struct al_topology;
struct al_victim_ops;

/*
 * Called by each worker's own thread, outside its loop: for what counts a thread from outside. Both
 * `started` and `begins` have returned in all workers before al_system_start does.
 */
struct al_worker_hooks {
    void (*started)(void *argument, uint32_t worker); /* bound; others may still be starting */
    /* Before its loop, in which it waits for others that may still be starting; not called if the
     * worker could not be initialised. */
    void (*begins)(void *argument, uint32_t worker);
    void (*ended)(void *argument, uint32_t worker); /* its loop, or it never began */
};

/* All zero except for the strategy means: one worker for each usable PU, placed close, and nothing
 * is watched. schedulers/registry.h finds plug-ins by name. */
struct al_config {
    const struct al_scheduler_ops *scheduler; /* required */
    const struct al_victim_ops *victim;       /* NULL: the strategy's own */
    const struct al_idle_ops *idle;           /* NULL: the strategy's own */
    uint32_t workers;                         /* 0: one for each usable PU */
    uint64_t seed;
    bool oversubscribe;                 /* allow more workers than PUs */
    bool simulated;                     /* all PUs of the topology can run workers, whatever this
                                           machine has */
    bool shared;                        /* any thread may send (core/outside.h) */
    const char *pin;                    /* AL_TOPOLOGY_POLICIES */
    const struct al_topology *topology; /* NULL: this machine's */
    const struct al_observer
        *observer;         /* NULL: none. For actor-centric strategies; others call no hook */
    enum al_source memory; /* of what al_new allocates */
    bool latencies;        /* let behaviours record latencies (core/observe/histogram.h) */
    /* 0, or keep a timeline of so many events for each worker (core/observe/trace.h), which needs
     * the counters */
    uint32_t trace_events;
    /* NULL, or called by al_system_stop when the workers have ended, before the strategy releases
     * anything */
    void (*ended)(void *argument);
    void *ended_argument;
    /* NULL, or called for each actor that ends, by the worker that ran its last behaviour, before
     * its destructor. It may create actors and send, as a behaviour may, but not to that one. */
    void (*actor_ended)(void *argument, struct al_actor *actor, enum al_verdict verdict);
    void *actor_ended_argument;
    const struct al_worker_hooks *hooks; /* NULL: none */
    void *hooks_argument;
    /* 0, or after so many seconds without a delivery al_system_stop and al_await give up: they call
     * stalled, if it is not NULL, with a line that shows what waits where, then abort. Needs the
     * counters; else it counts as 0. */
    uint32_t stall_s;
    void (*stalled)(void *argument, const char *text);
    void *stalled_argument;
    /* NULL, or called at least twice a second by the thread that waits in al_system_stop or in
     * al_await. It need not return. */
    void (*waiting)(void *argument);
    void *waiting_argument;
    const struct al_setting *settings; /* options of strategy, victim and idle policy */
    size_t n_settings;
};

/*
 * Start a system as configured. The calling thread becomes its external worker: it may create
 * actors and send until it calls al_system_stop; a thread has one system at a time. A mistake in
 * config is -EINVAL (-EBUSY: the thread has a system) with a line in error.
 */
__attribute__((warn_unused_result)) int
al_system_start(const struct al_config *config, struct al_system **system, struct al_error *error);

/* Would al_system_start accept this configuration? Places the workers and initialises the plug-ins,
 * but starts no thread. 0, or -EINVAL (-ENOMEM) with the line that al_system_start would give. Any
 * thread. */
__attribute__((warn_unused_result)) int al_system_check(const struct al_config *config,
                                                        struct al_error *error);

/*
 * Wait until every actor has terminated, end the workers, release everything. Called by the thread
 * that started the system. report may be NULL. 0, -ECANCELED after al_system_cancel, or -EBADMSG if
 * messages were never received (checks build).
 */
int al_system_stop(struct al_system *system, struct al_report *report);

/*
 * Wait until every actor has terminated, or the system was cancelled, but for at most so many ns.
 * Whether that is so; then al_system_stop returns soon. If it is not, the system goes on. Called by
 * the thread that started the system.
 */
bool al_system_wait(struct al_system *system, uint64_t ns);

/*
 * End a system although actors live. Each worker ends when it has run what waits for it; what
 * behaviours send meanwhile is dropped, and disposed of as the messages' verdicts say. What comes
 * from outside then, or from another worker, may never be received, and actors that live never run
 * again: their storage remains whose it was, and with envelopes=malloc what a strategy keeps of
 * them is lost. al_system_stop must be called all the same, and returns when the workers have
 * ended; when it is called, no thread may send from outside any more.
 *
 * Any thread may cancel a system that is `shared`; others the one that started it, and a behaviour.
 * Not when al_system_stop may have returned: a thread from outside cancels before that is called,
 * or while an actor lives that only a cancel can end.
 */
void al_system_cancel(struct al_system *system);

/* Wait until *word, which behaviours count up with a release, has at least this value, or the
 * system was cancelled. The thread that started the system, which must not stop it meanwhile. */
void al_await(const struct al_atomic_u64 *word, uint64_t least);

#endif
