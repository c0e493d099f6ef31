/* SPDX-License-Identifier: MIT */

/*
 * The strategy `deque`: actor-centric work stealing, as CAF does it. Source: CAF manual, sections
 * "Scheduler" and "Work Stealing"; LAS paper, section II.D; docs/explanation/deque.md.
 *
 * An actor that receives a message while it waits becomes ready. Made ready by a worker, it goes to
 * that worker's own deque; made ready from outside, to the workers' deques in turn, as CAF enqueues
 * a new actor. A worker runs the actors of its deque, each for up to max_throughput messages;
 * without any it steals one of another's.
 */

#include <errno.h>

#include "schedulers/actor_centric/stealing.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option { OWNER = AL_STEALING_OPTIONS };

static const char *const owner_choices[] = {"lifo", "fifo", NULL}; /* enum al_deque_owner */

static const struct al_option options[] = {
    AL_STEALING_COMMON_OPTIONS("locked"),
    [OWNER] = {"owner", AL_OPTION_ENUM, "lifo", 0, 0, owner_choices,
               "the owner takes the newest and thieves the oldest (LAS paper), or the reverse"},
    [AL_STEALING_BACKOFF] = AL_STEAL_BACKOFF_OPTION,
    [AL_STEALING_LOCK] = AL_STEALING_LOCK_OPTION,
    {0},
};

static int deque_worker_init(struct al_worker *self)
{
    const union al_value *values = self->system->scheduler.values;
    return al_stealer_new(self, sizeof(struct al_stealer), (enum al_deque_owner)values[OWNER].uint,
                          (enum al_lock_kind)values[AL_STEALING_LOCK].uint) != NULL
               ? 0
               : -ENOMEM;
}

static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    struct al_runtime *system = self->system;
    if (self->id < system->n_workers) {
        al_deque_push_owner(al_deque_of(self), ready);
        al_idle_wake(system, AL_ANYONE);
    } else {
        al_stealing_push_behind(self, al_base_worker_from_outside(system, ready), ready);
    }
}

static void deque_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                       al_behaviour *behaviour)
{
    al_base_send(self, actor, message, behaviour, schedule);
}

const struct al_scheduler_ops al_scheduler_deque = {
    .plugin = {"deque",
               "actor-centric work stealing, as in CAF: a deque of ready actors per worker",
               options},
    .victim = &al_victim_random,
    .idle = &al_idle_polling,
    .steals = true,
    .presets = al_base_presets,
    .init = al_stealing_init,
    .fini = al_stealing_fini,
    .worker_init = deque_worker_init,
    .run = al_stealing_run,
    .enter = al_base_enter_in_turn,
    .leave = al_base_leave,
    .send = deque_send,
    .length = al_stealing_length,
    .held = al_stealing_held,
};
