/* SPDX-License-Identifier: MIT */
#ifndef AL_SCHEDULER_H
#define AL_SCHEDULER_H

/*
 * The plug-in interface of strategies. A strategy is one const struct al_scheduler_ops, listed in
 * schedulers/registry.c. It keeps no globals: its state hangs off the system and the workers.
 */

#include "core/actor.h"
#include "core/delivery.h"
#include "core/plugin/idle.h"
#include "core/plugin/runtime.h"
#include "core/plugin/victim.h"
#include "core/timers.h"

/* How a worker of the strategy sleeps. */
enum al_sleeps {
    AL_SLEEPS_BY_POLICY, /* as the idle policy says; a policy without wait is refused */
    AL_SLEEPS_OWN,       /* in its own way; a policy with wait is refused */
    AL_SLEEPS_EITHER,
};

struct al_scheduler_ops {
    struct al_plugin plugin;
    const struct al_victim_ops *victim; /* its own heuristic; one without pick if it never steals */
    const struct al_idle_ops *idle;     /* its own idle policy */
    bool steals;                        /* false: a heuristic with pick is refused */
    enum al_sleeps sleeps;
    /* NULL, or what the choices of its option `preset` stand for, in their order */
    const struct al_preset *presets;

    /* Required. Called by the starting thread before any worker runs. Sets system->scheduler_state;
     * the options are in system->scheduler.values, checked; init may replace them by the values
     * that take effect. 0, or a negative errno with a line in error. May block. */
    int (*init)(struct al_runtime *system, struct al_error *error);

    /* Required. Called by the starting thread after the workers have ended, also when a start
     * failed after init: then workers may lack what worker_init makes. Passes what is still queued
     * to al_undelivered, then releases everything. May block. */
    void (*fini)(struct al_runtime *system);

    /* Optional. Called by each worker on its own thread, bound to its PU, before any worker runs:
     * the place to allocate what belongs on its node. Sets self->scheduler. 0 or a negative errno.
     * May block. */
    int (*worker_init)(struct al_worker *self);

    /* Required. Called once by each worker on its own thread: its whole loop. Finds messages,
     * passes them to al_deliver, and returns when al_worker_done says so. May block where it finds
     * none. */
    void (*run)(struct al_worker *self);

    /* Required. Called by al_actor_init, on the thread of a worker or of the starter: gives
     * actor->home to a new actor. A placement that the strategy does not know counts as
     * AL_PLACE_ANYWHERE; with AL_PLACE_WORKER, worker is a worker's number, otherwise AL_NO_WORKER.
     * Returns the worker that runs the actor first if its first message comes from outside and
     * nobody steals it, or AL_NO_WORKER if no rule determines one. Must not block. */
    uint32_t (*enter)(struct al_worker *self, struct al_actor *actor, enum al_placement placement,
                      uint32_t worker);

    /* Optional. Called by al_actor_init_near instead of `enter`, likewise: the actor will mostly
     * talk to `other`, which lives and has a home. NULL: as with AL_PLACE_ANYWHERE. */
    void (*enter_near)(struct al_worker *self, struct al_actor *actor, struct al_actor *other);

    /* Optional. Called inside al_deliver by the worker that ran the actor, which has terminated:
     * its memory is freed next. Must not block. */
    void (*leave)(struct al_worker *self, struct al_actor *actor);

    /* Required. Called by al_send, on the thread of a worker or of the starter: stores an envelope,
     * then calls al_idle_wake. A worker with routes (core/worker.h) calls it only where the
     * receiver's route has no room. Must not block, but for a lock of a few instructions. */
    al_sender *send;

    /* Optional. Which function this worker sends with, where a strategy has several and its options
     * decide; NULL: all send with `send`. Called by the starting thread after init, once for each
     * worker and for the external one, before any worker runs. May block. */
    al_sender *(*choose_send)(const struct al_worker *worker);

    /* Required unless sleeps is AL_SLEEPS_BY_POLICY; then it is never called. Called by
     * al_idle_wake, on any thread, in place of the idle policy's wake while the workers sleep in
     * the strategy's own way. Must not block, but for a lock that is never held for long. */
    void (*wake)(struct al_runtime *system, uint32_t id);

    /* Optional. Called by a worker on its own thread between saying that it is about to sleep and
     * its last look for work (al_work_in_sight): the place to tell senders whom they must wake.
     * Must not block. */
    void (*settle)(struct al_worker *self);

    /* Optional; NULL: sleeps may have any length. Called by a worker on its own thread before it
     * sleeps, and after it has said that it is about to: how many nanoseconds it may sleep until it
     * looks again in any case; UINT64_MAX: until it is woken. Must not block. */
    uint64_t (*nap)(struct al_worker *self);

    /* Required. About how many messages or actors wait at this worker: a guess from unlocked reads,
     * for victim heuristics and for a last look before sleeping. Called on any thread while workers
     * run. Must not block. */
    uint64_t (*length)(const struct al_worker *worker);

    /* Optional, for strategies that deal the starter's actors in turn to mailboxes, where they
     * stay, and of which worker i of N begins with those from i*M/N to (i+1)*M/N: M. Any thread,
     * also without a system; `choice` is this strategy's. */
    uint64_t (*mailboxes)(const struct al_selection *choice, uint32_t n_workers);

    /* Optional; NULL: empty queues hold no memory. How many bytes the queues hold, used or not.
     * Called by the starting thread after the workers have ended, before fini. May block. */
    uint64_t (*held)(const struct al_runtime *system);
};

/* Whether the strategy is complete and runs with this heuristic and this policy: 0, or -EINVAL with
 * a line in error (which may be NULL). Any thread. */
__attribute__((warn_unused_result)) int al_scheduler_takes(const struct al_scheduler_ops *ops,
                                                           const struct al_victim_ops *victim,
                                                           const struct al_idle_ops *idle,
                                                           struct al_error *error);

/* Call it after something has become visible that worker `id` can run, or with AL_ANYONE that any
 * worker can. Any thread. */
static inline void al_idle_wake(struct al_runtime *system, uint32_t id)
{
    if (system->wake != NULL)
        system->wake(system, id);
}

/*
 * Two fences that stand between two steps each, so that at least one of the two threads sees what
 * the other did:
 *
 *     who sends     makes something visible;   al_fence_wake;   looks who sleeps
 *     who sleeps    says that it will;         al_fence_sleep;  looks for what is visible
 *
 * The starter's costs nothing, since it looks after each message: until it has called
 * al_system_stop, whoever sleeps makes it pass a fence, by a membarrier. tests/models/sleep.py
 * looks at every interleaving. al_fence_wake: any thread; al_fence_sleep: any worker that is going
 * to sleep until it is woken.
 */
static inline void al_fence_wake(const struct al_runtime *system)
{
    if (system->starter_light && al_self() == &system->workers[system->n_workers])
        al_fence_light();
    else
        al_fence_seq_cst();
}

static inline void al_fence_sleep(const struct al_runtime *system)
{
    if (system->starter_light && al_runtime_open(system))
        al_membarrier();
    else
        al_fence_seq_cst();
}

/* So many workers, the first ones, are in use. Any thread. */
static inline uint32_t al_workers_in_use(const struct al_runtime *system)
{
    /* relaxed: a hint */
    return system->in_use != NULL ? al_u32_load_relaxed(system->in_use) : system->n_workers;
}

/* Call it instead of al_idle_wake after giving work to another worker, which may be in a sleep of
 * limited length; core does with AL_EVERYONE at the end. Any thread. Source: CAF, whose
 * external_enqueue ends a worker's relaxed sleep. */
static inline void al_idle_nudge(struct al_runtime *system, uint32_t id)
{
    if (system->wake != NULL)
        system->wake(system, id);
    else if (system->idle_ops->nudge != NULL)
        system->idle_ops->nudge(system, id);
}

/* Count sleeping workers that the calling worker has woken. Any worker. */
static inline void al_woke(uint32_t n)
{
    AL_COUNT(al_self(), wake_ups, n);
}

/* Wait as the idle policy says, after the misses-th look in a row without work. alike: how many of
 * the next looks would do the same if nothing changed; 0 is never wrong. Returns how many of them
 * were left out, which count as misses. Owner only. */
static inline uint64_t al_idle_wait(struct al_worker *self, uint64_t misses, uint64_t alike)
{
    al_trace_idle(self);
    if (__builtin_expect(self->timer_due != 0, 0)) {
        al_timers_hurry(self);
        alike = 0;
    }
    uint64_t left_out = self->system->idle_ops->wait(self, misses, alike);
    al_trace_waited(self);
    return left_out;
}

/* For idle policies: so many of these nanoseconds a worker may sleep, at most until its first timer
 * is due, or the strategy wants another look. UINT64_MAX: until it is woken. Owner only. */
static inline uint64_t al_idle_most(struct al_worker *self, uint64_t ns)
{
    uint64_t left = al_timers_left(self);
    uint64_t nap = self->system->ops->nap != NULL ? self->system->ops->nap(self) : UINT64_MAX;
    left = nap < left ? nap : left;
    return ns < left ? ns : left;
}

/* For idle policies: sleep, but not for too long, and put it on the timeline. Owner only. */
static inline void al_idle_sleep(struct al_worker *self, uint64_t ns)
{
    al_trace_asleep(self);
    al_sleep_ns(al_idle_most(self, ns));
    al_trace_awake(self, AL_TRACE_SLEEP);
}

/* A last look before sleeping: is there something to run, or to steal? Owner only. */
static inline bool al_work_in_sight(struct al_worker *self)
{
    const struct al_runtime *system = self->system;
    if (system->ops->settle != NULL)
        system->ops->settle(self);
    if (system->ops->length(self) != 0)
        return true;
    for (uint32_t i = 0; system->victim_ops->pick != NULL && i < system->n_workers; i++) {
        if (system->ops->length(&system->workers[i]) != 0)
            return true;
    }
    return false;
}

#endif
