/* SPDX-License-Identifier: MIT */

/*
 * The strategy `deque`: actor-centric work stealing, as CAF does it. Source: CAF manual, sections "Scheduler"
 * and "Work Stealing"; LAS paper, section II.D; docs/explanation/deque.md.
 *
 * An actor whose ready turns non-empty becomes ready. Made ready by a worker, it goes to that worker's own deque;
 * made ready by anyone else, to those of the workers in turn. A worker runs the actors of its deque, each
 * for up to max_throughput messages; without any it steals one of another's.
 */

#include <errno.h>

#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/actor_worker.h"
#include "schedulers/idle/idles.h"
#include "schedulers/queues/work_deque.h"
#include "schedulers/victims/victims.h"

enum option { PRESET, DEQUE, OWNER, MAX_THROUGHPUT };

static const char *const owner_choices[] = {"lifo", "fifo", NULL};

static const struct al_option options[] = {
    [PRESET] = AL_ACTOR_PRESET_OPTION,
    [DEQUE] = {"deque", AL_OPTION_ENUM, "locked", 0, 0, al_deque_choices, AL_DEQUE_HELP},
    [OWNER] = {"owner", AL_OPTION_ENUM, "lifo", 0, 0, owner_choices,
               "the owner takes the newest and thieves the oldest (LAS paper), or the reverse"},
    [MAX_THROUGHPUT] = AL_MAX_THROUGHPUT_OPTION,
    {0},
};

struct deque_state {
    uint64_t max_throughput;
    /* written by whoever sends, or makes actors, from outside */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 ticket;
};

struct deque_worker {
    struct al_actor_worker actors;
    struct al_deque deque;
};

static struct al_deque *deque_of(const struct al_worker *worker)
{
    return &((struct deque_worker *)worker->scheduler)->deque;
}

static int deque_init(struct al_system *system, struct al_error *error)
{
    struct deque_state *state = aligned_alloc(_Alignof(struct deque_state), sizeof *state);
    if (state == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the strategy deque");
    *state = (struct deque_state){
        .max_throughput = al_max_throughput(system->scheduler.values[MAX_THROUGHPUT]),
    };
    system->scheduler_state = state;
    return 0;
}

static int deque_worker_init(struct al_worker *self)
{
    const union al_value *values = self->system->scheduler.values;
    struct deque_worker *worker = aligned_alloc(_Alignof(struct deque_worker), sizeof *worker);
    if (worker == NULL)
        return -ENOMEM;
    worker->actors.running = NULL;
    al_deque_init(&worker->deque, (enum al_deque_kind)values[DEQUE].uint,
                  (enum al_deque_owner)values[OWNER].uint);
    self->scheduler = worker;
    return 0;
}

/* All actors have terminated, so no deque holds any. */
static void deque_fini(struct al_system *system)
{
    for (uint32_t i = 0; i < system->n_workers; i++) {
        struct deque_worker *worker = system->workers[i].scheduler;
        if (worker != NULL)
            al_deque_fini(&worker->deque);
        free(worker);
    }
    free(system->scheduler_state);
}

/* As CAF, which enqueues an actor when it is made: from outside the workers have it in turn. */
static uint32_t deque_enter(struct al_worker *self, struct al_actor *actor,
                            enum al_placement placement, uint32_t worker)
{
    struct deque_state *state = self->system->scheduler_state;
    return al_actor_worker_enter_in_turn(self, actor, placement, worker, &state->ticket);
}

/* Out of line, so that a send to an actor that is ready already saves no register. */
static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    struct al_system *system = self->system;
    if (self->id < system->n_workers) {
        al_deque_push_owner(deque_of(self), ready);
        al_idle_wake(system, AL_ANYONE);
        return;
    }
    struct deque_state *state = system->scheduler_state;
    uint32_t id = al_actor_worker_from_outside(system, ready, &state->ticket);
    al_deque_push_behind_any(deque_of(&system->workers[id]), ready);
    al_idle_nudge(system, id);
}

static void deque_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                       al_behaviour *behaviour)
{
    struct al_ready_actor *ready = al_actor_worker_send(actor, message, behaviour);
    if (ready != NULL)
        schedule(self, ready);
}

static void deque_run(struct al_worker *self)
{
    const struct deque_state *state = self->system->scheduler_state;
    al_actor_worker_run(self, deque_of, state->max_throughput);
}

static uint64_t deque_length(const struct al_worker *worker)
{
    return al_deque_length(deque_of(worker));
}

static uint64_t deque_held(const struct al_system *system)
{
    return al_actor_worker_held(system, deque_of);
}

const struct al_scheduler_ops al_scheduler_deque = {
    .plugin = {"deque", "actor-centric work stealing, as CAF: a deque of ready actors per worker",
               options},
    .victim = &al_victim_random,
    .idle = &al_idle_polling,
    .steals = true,
    .presets = al_actor_presets,
    .init = deque_init,
    .fini = deque_fini,
    .worker_init = deque_worker_init,
    .run = deque_run,
    .enter = deque_enter,
    .leave = al_actor_worker_leave,
    .send = deque_send,
    .length = deque_length,
    .held = deque_held,
};
