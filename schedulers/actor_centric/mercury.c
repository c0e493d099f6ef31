/* SPDX-License-Identifier: MIT */

/*
 * Mercury's revised work stealing, carried over to actors. Source: the Mercury text "Revised work
 * stealing", algorithms try_steal_spark, MR_idle, MR_sleep, wake_engine;
 * docs/explanation/mercury.md says what stands for what. Mercury calls a worker an engine.
 *
 * An actor that a behaviour makes ready (a spark) goes to the deque of the worker that made it
 * ready. An actor made ready from outside, or one whose turn is over (a runnable context), goes to
 * the global queue. A worker without work tries the global queue, its own deque and one round of
 * stealing; then it sleeps on its own semaphore. Whoever makes work wakes one sleeping worker and
 * tells it what to do: run this actor, or steal from that worker.
 *
 * Invariants of sleeping
 *   (1) Only the holder of a worker's lock turns its state from SLEEPING into WOKEN, and posts the
 *       semaphore then: one post per sleep, with the action of the waker that posted.
 *   (2) No wake-up is lost. A worker writes SLEEPING, then, after a fence, looks for work once
 *       more; a waker makes work visible, then, after a fence, looks for a sleeper. At least one of
 *       the two sees what the other wrote. (Mercury's text does not have the second look.)
 */

#include <errno.h>

#include "core/machine/locality.h"
#include "core/sync/blocking.h"
#include "schedulers/actor_centric/stealing.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option { WAKE = AL_STEALING_OPTIONS, FIRST };

enum wake { WAKE_ANY, WAKE_NEAREST };
enum first { FIRST_GLOBAL, FIRST_LOCAL };

static const char *const wake_choices[] = {"any", "nearest", NULL};   /* enum wake */
static const char *const first_choices[] = {"global", "local", NULL}; /* enum first */

static const struct al_option options[] = {
    AL_STEALING_COMMON_OPTIONS("chase-lev"),
    [WAKE] = {"wake", AL_OPTION_ENUM, "any", 0, 0, wake_choices,
              "which sleeping worker is woken: the first found, or the nearest by topology"},
    [FIRST] = {"first", AL_OPTION_ENUM, "global", 0, 0, first_choices,
               "where a worker looks first: in the global queue (MR_idle), or in its own deque"},
    {0},
};

/* Bits, so that a waker can name a set of them. */
enum state { WORKING = 1, SLEEPING = 2, WOKEN = 4 };
#define ANY_STATE (WORKING | SLEEPING | WOKEN)

enum action { ACTION_NONE, ACTION_RUN_ACTOR, ACTION_STEAL, ACTION_SHUTDOWN };

struct mercury_worker {
    struct al_stealer stealer;

    /* written by the worker and by its wakers; engine_sleep_sync of the source */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_semaphore semaphore;
    struct al_spinlock lock;
    struct al_atomic_u32 state; /* enum state; written under the lock, read without it as a hint */
    enum action action;
    struct al_ready_actor *actor; /* of ACTION_RUN_ACTOR */
    uint32_t victim;              /* of ACTION_STEAL */
};

struct mercury {
    struct al_base base;
    enum wake wake;
    enum first first;
    bool sleeps;            /* workers sleep as this strategy says, not as an idle policy */
    struct al_deque global; /* ready actors that no worker owns; pushed and taken as a FIFO */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 n_sleeping;
};

static struct mercury_worker *state_of(const struct al_worker *worker)
{
    return worker->scheduler;
}

/* Algorithm wake_engine. False if the worker is in none of these states. */
static bool wake_worker(struct mercury *mercury, struct mercury_worker *worker, enum action action,
                        struct al_ready_actor *actor, uint32_t victim, uint32_t states)
{
    bool woken = false;
    al_spinlock_lock(&worker->lock);
    uint32_t state = al_u32_load_relaxed(&worker->state); /* relaxed: under the lock */
    if ((state & states) != 0) {
        worker->action = action;
        worker->actor = actor;
        worker->victim = victim;
        al_u32_store_relaxed(&worker->state, WOKEN);
        if (state == SLEEPING) {
            al_u32_add_relaxed(&mercury->n_sleeping, (uint32_t)-1);
            al_woke(1);
        }
        al_semaphore_post(&worker->semaphore);
        woken = true;
    }
    al_spinlock_unlock(&worker->lock);
    return woken;
}

/* Wake this worker if it sleeps. */
static bool try_wake(const struct al_worker *self, uint32_t id, enum action action,
                     struct al_ready_actor *actor)
{
    struct mercury *mercury = self->system->scheduler_state;
    struct mercury_worker *worker = state_of(&self->system->workers[id]);
    /* relaxed: a look that saves the lock */
    return al_u32_load_relaxed(&worker->state) == SLEEPING &&
           wake_worker(mercury, worker, action, actor, self->id, SLEEPING);
}

/* Wake one sleeping worker, if there is any, and tell it what to do. Called after work was made
 * visible, or to pass on an actor that is in no queue. */
static bool wake_some(const struct al_worker *self, enum action action,
                      struct al_ready_actor *actor)
{
    struct al_runtime *system = self->system;
    struct mercury *mercury = system->scheduler_state;
    al_fence_seq_cst(); /* partner: the fence in sleep_once */
    if (al_u32_load_relaxed(&mercury->n_sleeping) == 0)
        return false;
    if (mercury->wake == WAKE_NEAREST && self->id < system->n_workers) {
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

/* The operation `wake`. Only the end of the system matters here: it wakes workers in any state. */
static void mercury_wake(struct al_runtime *system, uint32_t id)
{
    struct mercury *mercury = system->scheduler_state;
    if (id != AL_EVERYONE)
        return;
    for (uint32_t i = 0; i < system->n_workers; i++)
        wake_worker(mercury, state_of(&system->workers[i]), ACTION_SHUTDOWN, NULL, 0, ANY_STATE);
}

static int mercury_init(struct al_runtime *system, struct al_error *error)
{
    struct mercury *mercury = al_base_new(system, sizeof *mercury, error);
    if (mercury == NULL)
        return -ENOMEM;
    mercury->wake = system->scheduler.values[WAKE].uint;
    mercury->first = system->scheduler.values[FIRST].uint;
    mercury->sleeps = system->idle_ops->wait == NULL;
    al_deque_init(&mercury->global, AL_DEQUE_LOCKED, AL_OWNER_FIFO, AL_LOCK_EXCHANGE);
    return 0;
}

static int mercury_worker_init(struct al_worker *self)
{
    struct mercury_worker *worker = al_stealer_new(self, sizeof *worker, AL_OWNER_LIFO,
                                                   AL_LOCK_EXCHANGE);
    if (worker == NULL)
        return -ENOMEM;
    al_u32_store_relaxed(&worker->state, WORKING); /* relaxed: no worker runs yet */
    return 0;
}

static void mercury_fini(struct al_runtime *system)
{
    al_deque_fini(&((struct mercury *)system->scheduler_state)->global);
    al_stealing_fini(system);
}

/* A runnable context: to a sleeping worker, or to the global queue. */
static void schedule_global(struct al_worker *self, struct al_ready_actor *ready)
{
    struct mercury *mercury = self->system->scheduler_state;
    if (mercury->sleeps && wake_some(self, ACTION_RUN_ACTOR, ready))
        return;
    al_deque_push_behind_any(&mercury->global, ready);
    if (mercury->sleeps)
        wake_some(self, ACTION_NONE, NULL);
    else
        al_idle_wake(self->system, AL_ANYONE);
}

static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    const struct mercury *mercury = self->system->scheduler_state;
    if (self->id == self->system->n_workers) {
        schedule_global(self, ready);
        return;
    }
    al_deque_push_owner(al_deque_of(self), ready);
    if (mercury->sleeps)
        wake_some(self, ACTION_STEAL, NULL);
    else
        al_idle_wake(self->system, AL_ANYONE);
}

static void mercury_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    al_base_send(self, actor, message, behaviour, schedule);
}

/* try_run_context */
static struct al_ready_actor *try_global(struct al_worker *self)
{
    struct mercury *mercury = self->system->scheduler_state;
    return al_deque_locked_take_top_mpmc(&mercury->global.locked);
}

/* try_steal_spark: one round of as many attempts as there are other workers. */
static struct al_ready_actor *try_steal(struct al_worker *self)
{
    struct al_ready_actor *item = NULL;
    for (uint32_t i = 1; i < self->system->n_workers && item == NULL; i++)
        item = al_stealing_steal(self);
    return item;
}

/* Let the worker, which said that it sleeps, work again; false: another has told it what to do. */
static bool wake_up(struct mercury *mercury, struct mercury_worker *worker)
{
    al_spinlock_lock(&worker->lock);
    bool asleep = al_u32_load_relaxed(&worker->state) == SLEEPING;
    if (asleep) {
        al_u32_store_relaxed(&worker->state, WORKING);
        al_u32_add_relaxed(&mercury->n_sleeping, (uint32_t)-1);
    }
    al_spinlock_unlock(&worker->lock);
    return asleep;
}

/* Sleep until another has told the worker what to do; false: its first timer is due. */
static bool wait_for_wake(struct al_worker *self, struct mercury_worker *worker)
{
    for (;;) {
        uint64_t left = al_timers_left(self);
        if (left == UINT64_MAX) {
            al_semaphore_wait(&worker->semaphore);
            return true;
        }
        if (left == 0)
            return false;
        if (al_semaphore_wait_for(&worker->semaphore, left))
            return true;
    }
}

/* MR_sleep, once: an actor to run, or NULL if the worker is to look for itself. */
static struct al_ready_actor *sleep_once(struct al_worker *self)
{
    struct al_runtime *system = self->system;
    struct mercury *mercury = system->scheduler_state;
    struct mercury_worker *worker = state_of(self);
    al_trace_idle(self);
    al_u32_add_relaxed(&mercury->n_sleeping, 1);
    al_spinlock_lock(&worker->lock);
    if (al_u32_load_relaxed(&worker->state) == WORKING) /* else told to shut down */
        al_u32_store_relaxed(&worker->state, SLEEPING);
    else
        al_u32_add_relaxed(&mercury->n_sleeping, (uint32_t)-1);
    al_spinlock_unlock(&worker->lock);
    al_fence_seq_cst(); /* partner: the fence in wake_some */
    if (al_work_in_sight(self) && wake_up(mercury, worker))
        return NULL;
    al_trace_asleep(self);
    bool woken = wait_for_wake(self, worker);
    al_trace_awake(self, AL_TRACE_PARK);
    if (!woken && wake_up(mercury, worker))
        return NULL;
    if (!woken) /* somebody is waking it just now */
        al_semaphore_wait(&worker->semaphore);
    al_spinlock_lock(&worker->lock);
    enum action action = worker->action;
    struct al_ready_actor *actor = worker->actor;
    uint32_t victim = worker->victim;
    if (action != ACTION_SHUTDOWN)
        al_u32_store_relaxed(&worker->state, WORKING);
    al_spinlock_unlock(&worker->lock);
    if (action == ACTION_RUN_ACTOR)
        return actor;
    if (action == ACTION_STEAL) {
        if (system->victim_ops->aim != NULL && victim < system->n_workers)
            system->victim_ops->aim(self, victim);
        actor = al_stealing_due(self, 0) ? try_steal(self) : NULL;
        return actor != NULL ? actor : try_global(self);
    }
    return NULL; /* ACTION_NONE: the global queue, then stealing, as any worker without work */
}

/* What needs no victim: the global queue and the worker's own deque, in the order of the option. */
static struct al_ready_actor *try_unstolen(struct al_worker *self)
{
    const struct mercury *mercury = self->system->scheduler_state;
    struct al_ready_actor *ready;
    if (mercury->first == FIRST_LOCAL) {
        ready = al_deque_pop_owner(al_deque_of(self));
        return ready != NULL ? ready : try_global(self);
    }
    ready = try_global(self);
    return ready != NULL ? ready : al_deque_pop_owner(al_deque_of(self));
}

/* MR_idle: the next actor; NULL: the system is over. */
static struct al_ready_actor *idle(struct al_worker *self)
{
    struct mercury *mercury = self->system->scheduler_state;
    for (uint64_t misses = 0;;) {
        struct al_ready_actor *ready = try_unstolen(self);
        if (ready == NULL && al_stealing_due(self, misses))
            ready = try_steal(self);
        if (ready == NULL) {
            if (al_timers_look(self))
                continue;
            if (al_worker_done(self))
                return NULL;
            misses++;
            if (mercury->sleeps)
                ready = sleep_once(self);
            else
                misses += al_idle_wait(self, misses, al_stealing_alike(self));
        }
        if (ready != NULL) {
            if (misses != 0)
                al_victim_rest(self->system->victim_ops, self);
            return ready;
        }
    }
}

/* With the global queue, which is everybody's. */
static uint64_t mercury_length(const struct al_worker *worker)
{
    const struct mercury *mercury = worker->system->scheduler_state;
    return al_deque_length(&mercury->global) + al_stealing_length(worker);
}

/* `loop` is a constant in each caller, so that this is compiled for each. */
static inline __attribute__((always_inline)) void run(struct al_worker *self,
                                                      enum al_base_loop loop)
{
    struct mercury *mercury = self->system->scheduler_state;
    struct al_ready_actor *ready;
    while ((ready = idle(self)) != NULL) {
        while (al_base_resume(self, ready, mercury->base.max_throughput, loop) ==
               AL_RESUMED_READY) {
            /* A turn ends for the sake of those who wait here. */
            if (mercury_length(self) != 0) {
                schedule_global(self, ready);
                break;
            }
        }
    }
}

AL_BASE_LOOPS(run)

static uint64_t mercury_held(const struct al_runtime *system)
{
    const struct mercury *mercury = system->scheduler_state;
    return al_deque_bytes(&mercury->global) + al_stealing_held(system);
}

const struct al_scheduler_ops al_scheduler_mercury = {
    .plugin = {"mercury", "Mercury: a deque per worker, a global queue, workers woken one by one",
               options},
    .victim = &al_victim_round_robin,
    .idle = &al_idle_own,
    .steals = true,
    .sleeps = AL_SLEEPS_EITHER,
    .presets = al_base_presets,
    .init = mercury_init,
    .fini = mercury_fini,
    .worker_init = mercury_worker_init,
    .run = run_chosen,
    .enter = al_base_enter,
    .leave = al_base_leave,
    .send = mercury_send,
    .wake = mercury_wake,
    .length = mercury_length,
    .held = mercury_held,
};
