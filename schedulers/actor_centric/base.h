/* SPDX-License-Identifier: MIT */
#ifndef AL_BASE_H
#define AL_BASE_H

/*
 * What the actor-centric strategies share: an inbox per actor, and workers that run ready actors, a
 * turn at a time. They differ in where a ready actor waits and who takes it. A function here serves
 * as the operation of the same name unless a strategy has its own. stealing.h adds a deque per
 * worker.
 *
 * A strategy's state begins with struct al_base, a worker's with struct al_base_worker.
 */

#include "core/observe/observer.h"
#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/detached.h"

/* The options that all of them have, before those of stealing.h and of the strategy. */
enum al_base_option {
    AL_BASE_PRESET,
    AL_BASE_MAX_THROUGHPUT,
    AL_BASE_ENVELOPES,
    AL_BASE_LIBRARY,
    AL_BASE_OPTIONS
};

/* The beginning of a strategy's table; macros, since tables are constant. */
#define AL_BASE_COMMON_OPTIONS                                                                     \
    {AL_PRESET_OPTION, AL_OPTION_ENUM, "caf-0.17", 0, 0, al_base_preset_choices, AL_PRESET_HELP},  \
        {"max_throughput", AL_OPTION_UINT, "0", 0, 1e9, NULL, AL_MAX_THROUGHPUT_HELP},             \
        AL_ENVELOPES_OPTION,                                                                       \
    {                                                                                              \
        AL_LIBRARY_OPTION, AL_OPTION_UINT, "0", 0, 1e6, NULL, AL_LIBRARY_HELP                      \
    }
#define AL_PRESET_HELP                                                                             \
    "sets the options that are not given: to CAF 0.17's values, or to faster ones"
#define AL_MAX_THROUGHPUT_HELP                                                                     \
    "messages that an actor receives before others have a turn; 0: no limit, as in CAF"

#define AL_LIBRARY_HELP                                                                            \
    "ns that an actor library adds to each message: allocations, type checks; 0: the policy alone"

extern const char *const al_base_preset_choices[];
/* For strategies whose presets set max_throughput alone. */
extern const struct al_preset al_base_presets[];

struct al_base {
    uint64_t max_throughput;       /* most messages of a turn */
    uint64_t steal_backoff_cycles; /* of al_stealing_run; 0: off */
    uint64_t library_work;         /* of each message, an amount of al_work */
    /* written by whoever sends, or makes actors, from outside */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 ticket;
};

struct al_base_worker {
    struct al_ready_actor *running; /* NULL: none, or it has terminated */
};

/* The state of an actor after its turn. */
enum al_resumed {
    AL_RESUMED_WAITS, /* whoever sends it the next message schedules it */
    AL_RESUMED_READY, /* it has more messages: the caller schedules it again */
    AL_RESUMED_DONE,  /* it has terminated */
};

/* Make the strategy's state of so many bytes, all zero but the base. NULL with a line in error. For
 * init. */
void *al_base_new(struct al_runtime *system, size_t bytes, struct al_error *error);
/* Make a worker's state of so many bytes, all zero. NULL: no memory. For worker_init. */
void *al_base_worker_new(struct al_worker *self, size_t bytes);

/* The operation fini: frees both. */
void al_base_fini(struct al_runtime *system);

/* Give the actor its home. A detached one gets its thread. For enter. */
struct al_ready_actor *al_base_home(struct al_worker *self, struct al_actor *actor,
                                    enum al_placement placement);

/* The operation enter, where ready actors belong to nobody. */
uint32_t al_base_enter(struct al_worker *self, struct al_actor *actor, enum al_placement placement,
                       uint32_t worker);

/* The operation enter, where an actor goes first to the worker that is named; one made from outside
 * goes to the workers in turn. */
uint32_t al_base_enter_in_turn(struct al_worker *self, struct al_actor *actor,
                               enum al_placement placement, uint32_t worker);

/* The worker for an actor that a message from outside made ready: at first the one that enter
 * named, then the workers in turn. */
uint32_t al_base_worker_from_outside(const struct al_runtime *system,
                                     const struct al_ready_actor *ready);

/* The operation leave. */
void al_base_leave(struct al_worker *self, struct al_actor *actor);

/*
 * The operation send. `schedule` is a constant in each caller: it is called for an actor that this
 * message made ready, and is best kept out of line, so that other sends save no registers.
 */
static inline __attribute__((always_inline)) void
al_base_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
             al_behaviour *behaviour,
             void (*schedule)(struct al_worker *self, struct al_ready_actor *ready))
{
    struct al_ready_actor *ready = actor->home;
    if (!al_inbox_push_mpsc(&ready->inbox,
                            al_list_node(&self->envelopes, actor, message, behaviour)))
        return;
    if (__builtin_expect(ready->detached != NULL, 0))
        al_detached_wake(ready->detached);
    else
        schedule(self, ready);
}

static inline void al_observe(void (*hook)(void *, uint32_t, const struct al_actor *),
                              const struct al_worker *self, const struct al_actor *actor)
{
    if (hook != NULL)
        hook(self->system->observer->context, self->id, actor);
}

/* What a worker's loop does besides running actors. It is compiled once for each, so that what is
 * not asked for costs nothing. */
enum al_base_loop {
    AL_BASE_PLAIN,
    AL_BASE_WATCHED, /* an observer or a trace follows the worker */
    AL_BASE_LADEN,   /* the option library is set, and an observer or a trace may follow */
};

/* Whether the option library is set. */
static inline bool al_base_laden(const struct al_worker *self)
{
    const struct al_base *base = self->system->scheduler_state;
    return base->library_work != 0;
}

static inline bool al_base_watched(const struct al_worker *self)
{
    return self->system->observer != NULL || self->trace != NULL;
}

/*
 * Define run_chosen(self), which runs run(self, loop), an inline function, with the loop that is
 * asked for. The loops are functions apart, so that what one needs costs the others no registers.
 */
#define AL_BASE_LOOPS(run)                                                                         \
    static __attribute__((noinline)) void run_laden(struct al_worker *self)                        \
    {                                                                                              \
        run(self, AL_BASE_LADEN);                                                                  \
    }                                                                                              \
                                                                                                   \
    static __attribute__((noinline)) void run_unladen(struct al_worker *self)                      \
    {                                                                                              \
        if (al_base_watched(self))                                                                 \
            run(self, AL_BASE_WATCHED);                                                            \
        else                                                                                       \
            run(self, AL_BASE_PLAIN);                                                              \
    }                                                                                              \
                                                                                                   \
    static void run_chosen(struct al_worker *self)                                                 \
    {                                                                                              \
        (al_base_laden(self) ? run_laden : run_unladen)(self);                                     \
    }

/* Give a ready actor a turn of up to `most` messages, and send what is due after each of them.
 * `loop` is a constant. Owner only. */
static inline __attribute__((always_inline)) enum al_resumed
al_base_resume(struct al_worker *self, struct al_ready_actor *ready, uint64_t most,
               enum al_base_loop loop)
{
    const bool watched = loop != AL_BASE_PLAIN, laden = loop == AL_BASE_LADEN;
    struct al_base_worker *worker = self->scheduler;
    const struct al_observer *observer = watched ? self->system->observer : NULL;
    const struct al_base *base = laden ? self->system->scheduler_state : NULL;
    uint64_t received = 0, gulps = 0, gulped = ready->inbox.n_taken;
    enum al_resumed resumed = AL_RESUMED_READY;
    worker->running = ready;
    ready->inbox.n_taken = 0; /* now, since an actor that waits is no longer ours to write to */
    /* relaxed: a hint where to run it next; the push that finds the actor waiting orders it */
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
            /* Told before the actor waits, since it may then run elsewhere at once, and be gone. */
            if (observer != NULL)
                al_observe(observer->after_resume, self, ready->actor);
            if (al_inbox_wait_mpsc(&ready->inbox)) {
                resumed = AL_RESUMED_WAITS;
                break;
            }
            if (observer != NULL)
                al_observe(observer->before_resume, self, ready->actor);
            continue;
        }
        struct al_envelope envelope = node->envelope;
        al_pool_give(&self->envelopes, node);
        received++;
        if (laden)
            al_work(base->library_work);
        al_deliver(self, &envelope);
        (void)al_timers_look(self); /* here: without a limit a turn may never end */
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

#endif
