/* SPDX-License-Identifier: MIT */

/*
 * Mercury's revised work stealing, carried over to actors. Source: the Mercury text "Revised work stealing",
 * algorithms try_steal_spark, MR_idle, MR_sleep, wake_engine; docs/engines.md says what stands for what.
 *
 * Engines (workers) own a constant set of deques. An actor that a behaviour makes ready is a spark: it goes to the
 * deque of that engine. What comes from outside, or has had its turn, is a runnable context: it goes to the
 * global queue. An idle engine tries the global queue, its deque, one round of stealing, and then sleeps on its own
 * semaphore. Whoever makes work wakes one sleeping engine and tells it what to do: run this actor, or steal
 * from that engine.
 *
 * Sleeping: an engine's state says whether it may be woken. Only who holds its lock and finds SLEEPING turns it into
 * WOKEN, writes the action, and posts the semaphore: so one post per sleep, and the action is that of the waker.
 * Never a lost wake-up: the engine writes SLEEPING, then, after a fence, looks for work once more; a waker
 * makes work visible, then, after a fence, looks for a sleeper. (Mercury's text does not have the second look.)
 */

#include <errno.h>

#include "core/machine/locality.h"
#include "core/plugin/scheduler.h"
#include "core/sync/blocking.h"
#include "schedulers/actor_centric/actor_worker.h"
#include "schedulers/queues/work_deque.h"

enum option { PRESET, DEQUE, WAKE, MAX_THROUGHPUT };

static const char *const wake_choices[] = {"any", "nearest", NULL};

static const struct al_option options[] = {
    [PRESET] = AL_ACTOR_PRESET_OPTION,
    [DEQUE] = {"deque", AL_OPTION_ENUM, "chase-lev", 0, 0, al_deque_choices, AL_DEQUE_HELP},
    [WAKE] = {"wake", AL_OPTION_ENUM, "any", 0, 0, wake_choices,
              "which sleeping engine is woken: the first found, or the nearest by topology"},
    [MAX_THROUGHPUT] = AL_MAX_THROUGHPUT_OPTION,
    {0},
};

/* Bits, so that a waker can name a set of them. */
enum state { WORKING = 1, SLEEPING = 2, WOKEN = 4 };
#define ANY_STATE (WORKING | SLEEPING | WOKEN)

enum action { ACTION_NONE, ACTION_RUN_ACTOR, ACTION_STEAL, ACTION_SHUTDOWN };

struct engine {
    struct al_actor_worker actors;
    struct al_deque deque;

    /* written by the engine and by whoever wakes it; engine_sleep_sync of the source */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_semaphore semaphore;
    struct al_spinlock lock;
    struct al_atomic_u32
        state; /* written with the lock held, but for SLEEPING by the engine itself */
    enum action action;
    struct al_actor_mailbox *actor; /* of ACTION_RUN_ACTOR */
    uint32_t victim;                /* of ACTION_STEAL */
};

struct engines {
    uint64_t max_throughput;
    bool nearest, sleeps;   /* sleeps: in their own way, not as an idle policy says */
    struct al_deque global; /* runnable actors that no engine owns; used from the far end */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 n_sleeping;
};

static struct engine *engine_of(const struct al_worker *worker)
{
    return worker->scheduler;
}

static struct al_deque *deque_of(const struct al_worker *worker)
{
    return &engine_of(worker)->deque;
}

/* Algorithm wake_engine. False if the engine is in none of these states. */
static bool wake_engine(struct engines *engines, struct engine *engine, enum action action,
                        struct al_actor_mailbox *actor, uint32_t victim, uint32_t states)
{
    bool woken = false;
    al_spinlock_lock(&engine->lock);
    uint32_t state = al_u32_load_relaxed(&engine->state); /* relaxed: under the lock */
    if ((state & states) != 0) {
        engine->action = action;
        engine->actor = actor;
        engine->victim = victim;
        al_u32_store_relaxed(&engine->state, WOKEN);
        if (state == SLEEPING) {
            al_u32_add_relaxed(&engines->n_sleeping, (uint32_t)-1);
            al_woke(1);
        }
        al_semaphore_post(&engine->semaphore);
        woken = true;
    }
    al_spinlock_unlock(&engine->lock);
    return woken;
}

/* Try to wake one engine of a set. */
static bool try_wake(const struct al_worker *self, uint32_t id, enum action action,
                     struct al_actor_mailbox *actor)
{
    struct engines *engines = self->system->scheduler_state;
    struct engine *engine = engine_of(&self->system->workers[id]);
    /* relaxed: a look that saves the lock */
    return al_u32_load_relaxed(&engine->state) == SLEEPING &&
           wake_engine(engines, engine, action, actor, self->id, SLEEPING);
}

/* Wake a sleeping engine, if there is one, and tell it what to do. After work was made visible, or for an actor
 * that is passed on directly. */
static bool wake_some(const struct al_worker *self, enum action action,
                      struct al_actor_mailbox *actor)
{
    struct al_system *system = self->system;
    struct engines *engines = system->scheduler_state;
    al_fence_seq_cst(); /* partner: the fence in sleep_engine */
    if (al_u32_load_relaxed(&engines->n_sleeping) == 0)
        return false;
    if (engines->nearest && self->id < system->n_workers) {
        uint32_t n_levels = al_locality_n_levels(system->locality, self->id);
        for (uint32_t k = 0; k < n_levels; k++) {
            const struct al_level *level = al_locality_level(system->locality, self->id, k);
            for (uint32_t i = 0; i < level->n; i++) {
                if (level->workers[i] != self->id &&
                    try_wake(self, level->workers[i], action, actor))
                    return true;
            }
        }
        return false;
    }
    for (uint32_t i = 0; i < system->n_workers; i++) {
        uint32_t id = (self->id + 1 + i) % system->n_workers;
        if (id != self->id && try_wake(self, id, action, actor))
            return true;
    }
    return false;
}

/* The hook of the end: every engine, in whatever state. */
static void engines_wake(struct al_system *system, uint32_t id)
{
    struct engines *engines = system->scheduler_state;
    if (id != AL_EVERYONE)
        return;
    for (uint32_t i = 0; i < system->n_workers; i++)
        wake_engine(engines, engine_of(&system->workers[i]), ACTION_SHUTDOWN, NULL, 0, ANY_STATE);
}

static int engines_init(struct al_system *system, struct al_error *error)
{
    const union al_value *values = system->scheduler.values;
    struct engines *engines = aligned_alloc(_Alignof(struct engines), sizeof *engines);
    if (engines == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the engines");
    *engines = (struct engines){
        .max_throughput = al_max_throughput(values[MAX_THROUGHPUT]),
        .nearest = values[WAKE].uint != 0,
        .sleeps = system->idle_ops->wait == NULL,
    };
    al_deque_init(&engines->global, AL_DEQUE_LOCKED, AL_OWNER_FIFO);
    system->scheduler_state = engines;
    if (engines->sleeps)
        system->wake = engines_wake;
    return 0;
}

static int engines_worker_init(struct al_worker *self)
{
    const union al_value *values = self->system->scheduler.values;
    struct engine *engine = aligned_alloc(_Alignof(struct engine), sizeof *engine);
    if (engine == NULL)
        return -ENOMEM;
    *engine = (struct engine){.actors = {NULL}};
    al_u32_store_relaxed(&engine->state, WORKING);
    al_deque_init(&engine->deque, (enum al_deque_kind)values[DEQUE].uint, AL_OWNER_LIFO);
    self->scheduler = engine;
    return 0;
}

static void engines_fini(struct al_system *system)
{
    struct engines *engines = system->scheduler_state;
    for (uint32_t i = 0; i < system->n_workers; i++) {
        struct engine *engine = engine_of(&system->workers[i]);
        if (engine != NULL)
            al_deque_fini(&engine->deque);
        free(engine);
    }
    al_deque_fini(&engines->global);
    free(engines);
}

static uint32_t engines_enter(struct al_worker *self, struct al_actor *actor,
                              enum al_placement placement, uint32_t worker)
{
    (void)worker; /* ready actors belong to nobody */
    al_actor_worker_enter(self, actor, placement);
    return AL_ANYONE;
}

/* A runnable context: to an engine that sleeps, or to the global queue. */
static void schedule_global(struct al_worker *self, struct al_actor_mailbox *mailbox)
{
    struct engines *engines = self->system->scheduler_state;
    if (engines->sleeps && wake_some(self, ACTION_RUN_ACTOR, mailbox))
        return;
    al_deque_push_behind(&engines->global, mailbox);
    if (engines->sleeps)
        wake_some(self, ACTION_NONE, NULL);
    else
        al_idle_wake(self->system, AL_ANYONE);
}

static __attribute__((noinline)) void schedule(struct al_worker *self,
                                               struct al_actor_mailbox *mailbox)
{
    struct engines *engines = self->system->scheduler_state;
    if (self->id == self->system->n_workers) {
        schedule_global(self, mailbox);
        return;
    }
    al_deque_push(&engine_of(self)->deque, mailbox);
    if (engines->sleeps)
        wake_some(self, ACTION_STEAL, NULL);
    else
        al_idle_wake(self->system, AL_ANYONE);
}

static void engines_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    struct al_actor_mailbox *mailbox = al_actor_worker_send(actor, message, behaviour);
    if (mailbox != NULL)
        schedule(self, mailbox);
}

/* try_run_context */
static struct al_actor_mailbox *try_global(struct al_worker *self)
{
    struct engines *engines = self->system->scheduler_state;
    return al_deque_locked_take_top(&engines->global.locked);
}

/* try_steal_spark: one round of as many attempts as there are other engines. */
static struct al_actor_mailbox *try_steal(struct al_worker *self)
{
    struct al_actor_mailbox *item = NULL;
    for (uint32_t i = 1; i < self->system->n_workers && item == NULL; i++)
        item = al_actor_worker_steal(self, deque_of);
    return item;
}

/* MR_sleep, once: an actor to run, or NULL if the engine is to look for itself. */
static struct al_actor_mailbox *sleep_engine(struct al_worker *self)
{
    struct al_system *system = self->system;
    struct engines *engines = system->scheduler_state;
    struct engine *engine = engine_of(self);
    al_trace_idle(self);
    al_u32_add_relaxed(&engines->n_sleeping, 1);
    al_spinlock_lock(&engine->lock);
    if (al_u32_load_relaxed(&engine->state) == WORKING) /* else told to shut down */
        al_u32_store_relaxed(&engine->state, SLEEPING);
    else
        al_u32_add_relaxed(&engines->n_sleeping, (uint32_t)-1);
    al_spinlock_unlock(&engine->lock);
    al_fence_seq_cst(); /* partner: the fence in wake_some */
    if (al_work_in_sight(self)) {
        bool asleep;
        al_spinlock_lock(&engine->lock);
        asleep = al_u32_load_relaxed(&engine->state) == SLEEPING;
        if (asleep) {
            al_u32_store_relaxed(&engine->state, WORKING);
            al_u32_add_relaxed(&engines->n_sleeping, (uint32_t)-1);
        }
        al_spinlock_unlock(&engine->lock);
        if (asleep)
            return NULL;
    }
    al_trace_asleep(self);
    al_semaphore_wait(&engine->semaphore);
    al_trace_awake(self, AL_TRACE_PARK);
    al_spinlock_lock(&engine->lock);
    enum action action = engine->action;
    struct al_actor_mailbox *actor = engine->actor;
    uint32_t victim = engine->victim;
    if (action != ACTION_SHUTDOWN)
        al_u32_store_relaxed(&engine->state, WORKING);
    al_spinlock_unlock(&engine->lock);
    if (action == ACTION_RUN_ACTOR)
        return actor;
    if (action == ACTION_STEAL) {
        if (system->victim_ops->aim != NULL && victim < system->n_workers)
            system->victim_ops->aim(self, victim);
        actor = al_worker_steals(self, 0) ? try_steal(self) : NULL;
        return actor != NULL ? actor : try_global(self);
    }
    return NULL; /* ACTION_NONE: the global queue, then stealing, as every idle engine does */
}

/* MR_idle: the next actor; NULL: the system is over. */
static struct al_actor_mailbox *idle(struct al_worker *self)
{
    struct engines *engines = self->system->scheduler_state;
    for (uint64_t misses = 0;;) {
        struct al_actor_mailbox *mailbox = try_global(self);
        if (mailbox == NULL)
            mailbox = al_deque_pop(&engine_of(self)->deque);
        if (mailbox == NULL && al_worker_steals(self, misses))
            mailbox = try_steal(self);
        if (mailbox == NULL) {
            if (al_worker_done(self))
                return NULL;
            misses++;
            if (engines->sleeps)
                mailbox = sleep_engine(self);
            else
                al_idle_wait(self, misses);
        }
        if (mailbox != NULL) {
            if (misses != 0)
                al_victim_rest(self->system->victim_ops, self);
            return mailbox;
        }
    }
}

/* With the global queue, which is everybody's. */
static uint64_t engines_length(const struct al_worker *worker)
{
    const struct engines *engines = worker->system->scheduler_state;
    return al_deque_length(&engines->global) + al_deque_length(&engine_of(worker)->deque);
}

/* `watched` is a constant in each caller, so that the loop is compiled for each. */
static inline __attribute__((always_inline)) void run(struct al_worker *self, bool watched)
{
    struct engines *engines = self->system->scheduler_state;
    struct al_actor_mailbox *mailbox;
    while ((mailbox = idle(self)) != NULL) {
        while (al_actor_resume(self, mailbox, engines->max_throughput, watched) ==
               AL_RESUMED_READY) {
            /* A turn ends for the sake of those who wait here. */
            if (engines_length(self) != 0) {
                schedule_global(self, mailbox);
                break;
            }
        }
    }
}

static void engines_run(struct al_worker *self)
{
    if (al_actor_watched(self))
        run(self, true);
    else
        run(self, false);
}

static uint64_t engines_held(const struct al_system *system)
{
    const struct engines *engines = system->scheduler_state;
    return al_deque_bytes(&engines->global) + al_actor_worker_held(system, deque_of);
}

const struct al_scheduler_ops al_scheduler_engines = {
    .plugin = {"engines", "Mercury: engine-owned deques, a global queue, engines woken selectively",
               options},
    .victim = "round-robin",
    .idle = "own",
    .steals = true,
    .sleeps = AL_SLEEPS_EITHER,
    .presets = al_actor_presets,
    .init = engines_init,
    .fini = engines_fini,
    .worker_init = engines_worker_init,
    .run = engines_run,
    .enter = engines_enter,
    .leave = al_actor_worker_leave,
    .send = engines_send,
    .length = engines_length,
    .held = engines_held,
};
