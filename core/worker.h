/* SPDX-License-Identifier: MIT */
#ifndef AL_WORKER_H
#define AL_WORKER_H

#include "core/config.h"
#include "core/envelope.h"
#include "core/memory/pool.h"
#include "core/observe/counters.h"
#include "core/random.h"
#include "core/sync/sync.h"

struct al_histogram;
struct al_quarantine;
struct al_runtime;
struct al_timers;
struct al_trace;
struct al_worker;

/* Sizes of what al_new allocates (core/memory/object.h), bytes. Whole lines, since two objects of
 * different workers in one line make both slow as long as they are recycled. */
#define AL_OBJECT_STEP    AL_CACHE_LINE_BYTES
#define AL_OBJECT_MOST    512
#define AL_OBJECT_CLASSES (AL_OBJECT_MOST / AL_OBJECT_STEP)
#define AL_DEPOTS         (AL_OBJECT_CLASSES + 1) /* of the sizes, and of envelopes */

/* Values in place of a worker's number. The last three are for al_idle_wake: whom to wake. */
#define AL_NO_WORKER   UINT32_MAX
#define AL_ANYONE      (UINT32_MAX - 1) /* one worker of those in use, whichever */
#define AL_ANY_SLEEPER (UINT32_MAX - 2) /* likewise, or one that has retired */
#define AL_EVERYONE    (UINT32_MAX - 3)

/* Stores an envelope for the receiver: the operation `send` of a strategy. */
typedef void al_sender(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                       al_behaviour *behaviour);

/*
 * Room for envelopes that a worker fills by itself, without a call of `send`: a send writes the
 * envelope to *tail and advances tail, as long as tail < limit. All of it belongs to the sending
 * worker; the fields are plain, so nobody else may look at them or at the room behind tail. It is
 * the strategy that hands the envelopes over: in `send`, which is called when there is no room, and
 * in `run`, at the latest before the worker asks al_worker_done. Whoever hands them over wakes the
 * receiver (al_idle_wake). The external worker has no `run`, so that nobody would hand over its
 * last envelopes: it has no routes.
 */
struct al_route {
    struct al_envelope *tail, *limit;
};

/* The routes of a worker. None of `to` is NULL; one without room has tail == limit. Those that most
 * sends take had better point to `own`: a send guesses that, which saves time where it is right. */
struct al_routes {
    struct al_route own;
    struct al_route *to[];
};

/*
 * Fields are grouped by who writes them, and the groups share no cache line (nor a pair of lines
 * that the prefetcher fetches together). The thread that starts a system is its external worker,
 * number n_workers: it creates actors and sends, and delivers nothing. The thread of a detached
 * actor has the same number and delivers to that actor alone.
 */
struct al_worker {
    /* written before the threads start; on a page of its own, which moves to the worker's node */
    _Alignas(AL_PAGE_BYTES) al_sender *send;
    /* NULL: every send is a call of `send`. Else the strategy's, set in init or by the worker
     * itself: a send to an actor tries routes->to[actor->route] first. */
    struct al_routes *routes;
    struct al_runtime *system;
    void *scheduler;    /* the strategy's own for this worker; set by its init or worker_init */
    uint64_t timer_due; /* written by the owner: when its first timer is due, or 0 */
    struct al_timers *timers; /* likewise; NULL until it has one (core/timers.h) */
    uint32_t id;
    int pu;    /* OS index of the PU to run on, or -1 */
    int bound; /* OS index of the PU it was seen on, when bound and when it ended, or -1 */
    int node;  /* OS index of the NUMA node that this was seen on afterwards, or -1 */
    struct al_thread thread;
    struct al_worker *next;                       /* of the detached ones */
    void (*detached_run)(struct al_worker *self); /* likewise: its loop */
    struct al_histogram *latencies;               /* written by the owner; or NULL */
    struct al_trace *trace;                       /* the same */

    /* written by the owner alone */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_random random;
    uint64_t terminated_seen; /* own terminations when it last looked for quiescence */
    /* The first three are on the same line as the above: each gulp writes them. */
    struct al_counters counters;
    uint64_t idle_looks;       /* calls of al_worker_done */
    uint64_t *steals_by_level; /* one for each level of its locality; NULL if it never steals */
    uint64_t timer_looks;      /* with timers: until it reads the clock again (core/timers.h) */
    struct al_quarantine *quarantine; /* checks build only */
    /* of core/memory/object.h, by size */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_pool pools[AL_OBJECT_CLASSES];
    /* what a strategy allocates for each message or actor, at most AL_OBJECT_STEP bytes */
    struct al_pool envelopes;

    /* written by the owner, read by every worker that looks for quiescence (core/termination.c) */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 created;
    struct al_atomic_u64 terminated;
    /* the same, read by every worker that makes a queue grow (core/watermark.h) */
    struct al_atomic_u64 queue_bytes; /* that it added to queues, less what it gave back */
    uint64_t queue_most;              /* of all workers together, when it last looked; its own */
};

_Static_assert(sizeof(struct al_worker) == AL_PAGE_BYTES &&
                   offsetof(struct al_worker, queue_most) + sizeof(uint64_t) <=
                       AL_PAGE_BYTES - AL_CACHE_LINE_BYTES,
               "no field is where a thread finds its worker (core/sync/native.h)");

/*
 * True once every actor has terminated and the system is stopping: leave the loop. Asked by a
 * strategy that has found no work; costs two loads then. Owner only.
 */
bool al_worker_done(struct al_worker *self);

#endif
