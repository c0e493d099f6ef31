/* SPDX-License-Identifier: MIT */

/*
 * Work sharing: one central queue of ready actors, a mutex and a condition variable. Workers sleep
 * while it is empty; nothing polls. Source: CAF manual, section "Work Sharing";
 * docs/explanation/sharing.md.
 *
 * Invariants, under the mutex
 *   (1) the list holds the ready actors that no worker runs or holds, in the order in which they
 *       were handed in
 *   (2) waiting is the number of workers in al_condition_wait
 *   (3) a worker waits only while the list is empty and the system is not over
 */

#include <errno.h>

#include "core/sync/blocking.h"
#include "schedulers/actor_centric/base.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option { TAKE = AL_BASE_OPTIONS };

static const struct al_option options[] = {
    AL_BASE_COMMON_OPTIONS,
    [TAKE] = {"take", AL_OPTION_UINT, "1", 1, 4096, NULL,
              "most actors that a worker takes, or hands in, under one lock; 1 as in CAF"},
    {0},
};

/* In the order of al_base_preset_choices. */
static const struct al_preset presets[] = {
    {"caf-0.17", "max_throughput=0 take=1"},
    {"tuned", "max_throughput=300 take=256"},
};

/* A list of ready actors, linked by next. */
struct ready_list {
    struct al_ready_actor *first, **end;
    uint64_t length;
};

struct sharing {
    struct al_base base;
    uint64_t take;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_mutex mutex;
    struct al_condition condition;
    struct ready_list list;
    struct al_atomic_u64 length;  /* of the list, for those who peek */
    struct al_atomic_u32 waiting; /* read without the mutex as a hint */
    bool over;
};

struct sharing_worker {
    struct al_base_worker actors;
    struct ready_list made; /* by this worker, and not yet in the list */
};

static void list_init(struct ready_list *list)
{
    *list = (struct ready_list){.end = &list->first};
}

static void list_push(struct ready_list *list, struct al_ready_actor *ready)
{
    ready->next = NULL;
    *list->end = ready;
    list->end = &ready->next;
    list->length++;
}

/* The first, or NULL. */
static struct al_ready_actor *list_pop(struct ready_list *list)
{
    struct al_ready_actor *ready = list->first;
    if (ready == NULL)
        return NULL;
    list->first = ready->next;
    if (list->first == NULL)
        list->end = &list->first;
    list->length--;
    return ready;
}

/* Move up to n from the beginning of one to the end of the other. */
static void list_move(struct ready_list *to, struct ready_list *from, uint64_t n)
{
    while (n-- > 0 && from->first != NULL)
        list_push(to, list_pop(from));
}

/* All of it, in O(1). */
static void list_append(struct ready_list *to, struct ready_list *from)
{
    if (from->first == NULL)
        return;
    *to->end = from->first;
    to->end = from->end;
    to->length += from->length;
    list_init(from);
}

/* Hand in what a worker has made ready. With the mutex held. */
static void hand_in(struct sharing *sharing, struct ready_list *made)
{
    uint32_t n = al_u32_load_relaxed(&sharing->waiting); /* relaxed: written under the mutex */
    if (made->length < n)
        n = (uint32_t)made->length;
    list_append(&sharing->list, made);
    al_u64_store_relaxed(&sharing->length, sharing->list.length);
    if (n > 0) {
        al_condition_signal(&sharing->condition, n);
        al_woke(n);
    }
}

/* The operation wake. Only the end of the system matters here: whoever waits looks again. */
static void sharing_wake(struct al_runtime *system, uint32_t id)
{
    struct sharing *sharing = system->scheduler_state;
    if (id != AL_EVERYONE)
        return;
    al_mutex_lock(&sharing->mutex);
    sharing->over = true;
    al_condition_signal(&sharing->condition, UINT32_MAX);
    al_woke(al_u32_load_relaxed(&sharing->waiting)); /* relaxed: under the mutex */
    al_mutex_unlock(&sharing->mutex);
}

static int sharing_init(struct al_runtime *system, struct al_error *error)
{
    struct sharing *sharing = al_base_new(system, sizeof *sharing, error);
    if (sharing == NULL)
        return -ENOMEM;
    sharing->take = system->scheduler.values[TAKE].uint;
    list_init(&sharing->list);
    return 0;
}

static int sharing_worker_init(struct al_worker *self)
{
    struct sharing_worker *worker = al_base_worker_new(self, sizeof *worker);
    if (worker == NULL)
        return -ENOMEM;
    list_init(&worker->made);
    return 0;
}

static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    struct al_runtime *system = self->system;
    struct sharing *sharing = system->scheduler_state;
    struct sharing_worker *worker = self->scheduler;
    if (self->id < system->n_workers && sharing->take > 1) {
        list_push(&worker->made, ready);
        if (worker->made.length < sharing->take && al_u32_load_relaxed(&sharing->waiting) == 0)
            return;
        al_mutex_lock(&sharing->mutex);
        hand_in(sharing, &worker->made);
    } else {
        struct ready_list made;
        list_init(&made);
        list_push(&made, ready);
        al_mutex_lock(&sharing->mutex);
        hand_in(sharing, &made);
    }
    al_mutex_unlock(&sharing->mutex);
}

static void sharing_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    al_base_send(self, actor, message, behaviour, schedule);
}

/* Sleep until actors are ready, or the worker's first timer is due. With the mutex held. */
static void wait_for_ready(struct al_worker *self, struct sharing *sharing)
{
    uint64_t left = al_timers_left(self);
    al_u32_add_relaxed(&sharing->waiting, 1);
    al_trace_asleep(self);
    if (left == UINT64_MAX)
        al_condition_wait(&sharing->condition, &sharing->mutex);
    else
        al_condition_wait_for(&sharing->condition, &sharing->mutex, left);
    al_trace_awake(self, AL_TRACE_PARK);
    al_u32_add_relaxed(&sharing->waiting, (uint32_t)-1);
}

/* Hand in what was made ready and take actors to run; sleep while there are none, and no timer is
 * due. False: the system is over. */
static bool take(struct al_worker *self, struct ready_list *taken)
{
    struct sharing *sharing = self->system->scheduler_state;
    struct sharing_worker *worker = self->scheduler;
    bool looked = false;
    al_mutex_lock(&sharing->mutex);
    if (worker->made.first != NULL)
        hand_in(sharing, &worker->made);
    while (sharing->list.first == NULL && !sharing->over && al_timers_left(self) != 0) {
        if (!looked) {
            al_trace_idle(self);
            /* al_worker_done may end the system and wake the others, which takes the mutex. */
            al_mutex_unlock(&sharing->mutex);
            al_worker_done(self);
            looked = true;
            al_mutex_lock(&sharing->mutex);
            continue;
        }
        wait_for_ready(self, sharing);
    }
    /* A share of what there is, so that few actors are not kept by one worker. */
    uint64_t share = 1 + sharing->list.length / (2 * (uint64_t)self->system->n_workers);
    list_move(taken, &sharing->list, share < sharing->take ? share : sharing->take);
    al_u64_store_relaxed(&sharing->length, sharing->list.length);
    bool over = sharing->list.first == NULL && taken->first == NULL && sharing->over;
    al_mutex_unlock(&sharing->mutex);
    return !over;
}

/* `loop` is a constant in each caller, so that this is compiled for each. */
static inline __attribute__((always_inline)) void run(struct al_worker *self,
                                                      enum al_base_loop loop)
{
    struct sharing *sharing = self->system->scheduler_state;
    uint64_t max_throughput = sharing->base.max_throughput;
    struct ready_list taken;
    list_init(&taken);
    while (take(self, &taken)) {
        struct al_ready_actor *ready;
        if (taken.first == NULL)
            (void)al_timers_look(self);
        while ((ready = list_pop(&taken)) != NULL) {
            if (al_base_resume(self, ready, max_throughput, loop) == AL_RESUMED_READY)
                schedule(self, ready);
        }
    }
}

AL_BASE_LOOPS(run)

static uint64_t sharing_length(const struct al_worker *worker)
{
    const struct sharing *sharing = worker->system->scheduler_state;
    return al_u64_load_relaxed(&sharing->length);
}

const struct al_scheduler_ops al_scheduler_sharing = {
    .plugin = {"sharing", "one central queue of ready actors, a mutex and a condition variable",
               options},
    .victim = &al_victim_none,
    .idle = &al_idle_own,
    .sleeps = AL_SLEEPS_OWN,
    .presets = presets,
    .init = sharing_init,
    .fini = al_base_fini,
    .worker_init = sharing_worker_init,
    .run = run_chosen,
    .enter = al_base_enter,
    .leave = al_base_leave,
    .send = sharing_send,
    .wake = sharing_wake,
    .length = sharing_length,
};
