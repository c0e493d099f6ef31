/* SPDX-License-Identifier: MIT */
#ifndef AL_WORKER_H
#define AL_WORKER_H

#include "core/config.h"
#include "core/memory/pool.h"
#include "core/message.h"
#include "core/observe/counters.h"
#include "core/random.h"
#include "core/sync/sync.h"

struct al_histogram;
struct al_quarantine;
struct al_runtime;
struct al_timers;
struct al_trace;
struct al_worker;

/* Sizes of what al_new allocates (core/memory/object.h), up to AL_OBJECT_MOST, bytes. Whole lines,
 * since two objects of different workers in one line make both slow as long as they are
 * recycled. */
#define AL_OBJECT_STEP    AL_CACHE_LINE_BYTES
#define AL_OBJECT_CLASSES (AL_OBJECT_MOST / AL_OBJECT_STEP)
#define AL_DEPOTS         (AL_OBJECT_CLASSES + 1) /* of the sizes, and of envelopes */

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
    uint64_t timer_due; /* written by the owner: when its first timer is due, or 0; and by whoever
                           cancels the system (core/cancel.h) */
    struct al_timers *timers; /* likewise; NULL until it has one (core/timers.h) */
    uint32_t id;
    int pu;    /* OS index of the PU to run on, or -1 */
    int bound; /* OS index of the PU it was seen on, when bound and when it ended, or -1 */
    int node;  /* OS index of the NUMA node that this was seen on afterwards, or -1 */
    struct al_thread thread;
    struct al_worker *next;                        /* of the detached ones */
    void (*detached_run)(struct al_worker *self);  /* likewise: its loop */
    void (*detached_wake)(struct al_worker *self); /* and what makes it look whether it is over */
    struct al_histogram *latencies;                /* written by the owner; or NULL */
    struct al_trace *trace;                        /* the same */

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
               "no field is where a thread finds its worker (core/sync/self.h)");
_Static_assert(offsetof(struct al_worker, send) == AL_WORKER_SEND &&
                   offsetof(struct al_worker, routes) == AL_WORKER_ROUTES &&
                   offsetof(struct al_worker, id) == AL_WORKER_ID &&
                   offsetof(struct al_worker, counters.messages_sent) == AL_WORKER_SENT,
               "programs find them there (core/message.h)");

/*
 * True once every actor has terminated and the system is stopping, or it was cancelled: leave the
 * loop. Asked by a strategy that has found no work; costs two loads then. Owner only.
 */
bool al_worker_done(struct al_worker *self);

#endif
