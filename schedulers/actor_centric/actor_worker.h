/* SPDX-License-Identifier: MIT */
#ifndef AL_ACTOR_WORKER_H
#define AL_ACTOR_WORKER_H

/*
 * What the actor-centric strategies share: giving actors a struct al_ready_actor, sending to it, running a ready actor.
 * They differ in where a ready actor waits and who takes it. Each embeds struct al_actor_worker at the beginning
 * of its state of a worker.
 */

#include "core/observe/observer.h"
#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/ready_actor.h"
#include "schedulers/queues/work_deque.h"

/* Options that all of them have; macros, since tables are constant. */
#define AL_MAX_THROUGHPUT_OPTION                                                                   \
    {                                                                                              \
        "max_throughput", AL_OPTION_UINT, "0", 0, 1e9, NULL,                                       \
            "messages that an actor receives before others have a "                                \
            "turn; 0: no limit, as CAF"                                                            \
    }
#define AL_ACTOR_PRESET_OPTION                                                                     \
    {                                                                                              \
        AL_PRESET_OPTION, AL_OPTION_ENUM, "caf-0.17", 0, 0, al_actor_preset_choices,               \
            "sets the options that are not given: to CAF 0.17's values, or to faster ones"         \
    }

extern const char *const al_actor_preset_choices[];
/* For strategies that have no more to tune than turns. */
extern const struct al_preset al_actor_presets[];

/* The value of max_throughput as al_actor_resume takes it. */
static inline uint64_t al_max_throughput(union al_value value)
{
    return value.uint != 0 ? value.uint : UINT64_MAX;
}

struct al_actor_worker {
    struct al_ready_actor *running; /* NULL: none, or it has terminated */
};

/* What became of an actor that ran. */
enum al_resumed {
    AL_RESUMED_BLOCKED, /* it waits for messages; whoever sends the next schedules it */
    AL_RESUMED_READY,   /* it has more messages: the caller schedules it again */
    AL_RESUMED_DONE,    /* it has terminated */
};

/* The operation `enter`, but for where the actor is to run. A detached one gets its thread. */
struct al_ready_actor *al_actor_worker_enter(struct al_worker *self, struct al_actor *actor,
                                             enum al_placement placement);
/* The operation `enter` where actors made from outside go to the worker that is named, or else to the workers in
 * turn. */
uint32_t al_actor_worker_enter_in_turn(struct al_worker *self, struct al_actor *actor,
                                       enum al_placement placement, uint32_t worker,
                                       struct al_atomic_u64 *ticket);
/* Where an actor goes that a message from outside made ready: at first to its own worker, then to the workers in
 * turn. */
uint32_t al_actor_worker_from_outside(const struct al_system *system,
                                      const struct al_ready_actor *ready,
                                      struct al_atomic_u64 *ticket);
/* The operation `leave`. */
void al_actor_worker_leave(struct al_worker *self, struct al_actor *actor);

/* A ready actor with a thread of its own: wake it. */
void al_detached_wake(struct al_detached *detached);

/* Store a message. The actor's struct al_ready_actor if the caller must schedule it on a worker, else NULL. */
static inline struct al_ready_actor *
al_actor_worker_send(struct al_actor *actor, struct al_message *message, al_behaviour *behaviour)
{
    struct al_ready_actor *ready = actor->home;
    if (!al_inbox_push_mpsc(&ready->inbox, al_list_node(actor, message, behaviour)))
        return NULL;
    if (__builtin_expect(ready->detached != NULL, 0)) {
        al_detached_wake(ready->detached);
        return NULL;
    }
    return ready;
}

static inline void al_observe(void (*hook)(void *, uint32_t, const struct al_actor *),
                              const struct al_worker *self, const struct al_actor *actor)
{
    if (hook != NULL)
        hook(self->system->observer->context, self->id, actor);
}

/* Whether an observer or a trace follows this worker. The loops are compiled once for each case. */
static inline bool al_actor_watched(const struct al_worker *self)
{
    return self->system->observer != NULL || self->trace != NULL;
}

/* Deliver up to most messages to a ready actor. `watched` is a constant. */
static inline __attribute__((always_inline)) enum al_resumed
al_actor_resume(struct al_worker *self, struct al_ready_actor *ready, uint64_t most, bool watched)
{
    struct al_actor_worker *worker = self->scheduler;
    const struct al_observer *observer = watched ? self->system->observer : NULL;
    uint64_t received = 0, gulps = 0, gulped = ready->inbox.n_taken;
    enum al_resumed resumed = AL_RESUMED_READY;
    worker->running = ready;
    ready->inbox.n_taken = 0; /* once it blocks, it is no longer ours to write to */
    /* relaxed: a hint, where to run it next */
    al_u32_store_relaxed(&ready->last_worker, self->id);
    if (watched && self->trace != NULL) {
        al_trace_between(self, 0);
        al_trace_batch(self, AL_TRACE_RUN_ACTOR, (uintptr_t)ready->actor);
    }
    if (observer != NULL)
        al_observe(observer->before_resume, self, ready->actor);
    while (received < most) {
        struct al_list_node *node = al_inbox_pop_mpsc(&ready->inbox, &gulps, &gulped);
        if (node == NULL) {
            /* Before it blocks: then it may run elsewhere at once, and be gone. */
            if (observer != NULL)
                al_observe(observer->after_resume, self, ready->actor);
            if (al_inbox_wait_mpsc(&ready->inbox)) {
                resumed = AL_RESUMED_BLOCKED;
                break;
            }
            if (observer != NULL)
                al_observe(observer->before_resume, self, ready->actor);
            continue;
        }
        struct al_envelope envelope = node->envelope;
        al_free(node);
        received++;
        al_deliver(self, &envelope);
        if (worker->running == NULL) {
            resumed = AL_RESUMED_DONE;
            break;
        }
    }
    AL_COUNT(self, messages_received, received);
    AL_COUNT(self, gulps, gulps);
    if (resumed == AL_RESUMED_READY)
        ready->inbox.n_taken = gulped - received;
    if (observer != NULL && resumed == AL_RESUMED_READY)
        al_observe(observer->after_resume, self, ready->actor);
    return resumed;
}

/* One attempt to steal, counted: an actor to run, or NULL. deque_of: a worker's deque. */
struct al_ready_actor *
al_actor_worker_steal(struct al_worker *self,
                      struct al_deque *(*deque_of)(const struct al_worker *worker));

/* The operation `run`, for strategies with a deque per worker: its own first, else steal. */
void al_actor_worker_run(struct al_worker *self,
                         struct al_deque *(*deque_of)(const struct al_worker *worker),
                         uint64_t max_throughput);

/* Bytes of the workers' deques. After the workers have ended. */
uint64_t al_actor_worker_held(const struct al_system *system,
                              struct al_deque *(*deque_of)(const struct al_worker *worker));

/* Whether a look after `misses` failed ones includes an attempt to steal. */
static inline bool al_worker_steals(const struct al_worker *self, uint64_t misses)
{
    const struct al_system *system = self->system;
    return system->victim_ops->pick != NULL && system->n_workers > 1 &&
           (system->idle_ops->steals == NULL || system->idle_ops->steals(self, misses));
}

#endif
