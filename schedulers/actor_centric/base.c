/* SPDX-License-Identifier: MIT */
#include "schedulers/actor_centric/base.h"

#include <errno.h>

#include "core/memory/lines.h"

const char *const al_base_preset_choices[] = {"caf-0.17", "tuned", NULL};

const struct al_preset al_base_presets[] = {
    {"caf-0.17", "max_throughput=0"},
    {"tuned", "max_throughput=300"},
};

void *al_base_new(struct al_runtime *system, size_t bytes, struct al_error *error)
{
    struct al_base *base = al_lines_new(bytes);
    if (base == NULL) {
        al_error_set(error, -ENOMEM, "no memory for the strategy %s", system->ops->plugin.name);
        return NULL;
    }
    uint64_t most = system->scheduler.values[AL_BASE_MAX_THROUGHPUT].uint;
    base->max_throughput = most != 0 ? most : UINT64_MAX;
    base->library_work = al_work_of(system->scheduler.values[AL_BASE_LIBRARY].uint);
    return system->scheduler_state = base;
}

void *al_base_worker_new(struct al_worker *self, size_t bytes)
{
    return self->scheduler = al_lines_new(bytes); /* others write to their own */
}

void al_base_fini(struct al_runtime *system)
{
    for (uint32_t i = 0; i < system->n_workers; i++)
        al_free(system->workers[i].scheduler);
    al_free(system->scheduler_state);
}

struct al_ready_actor *al_base_home(struct al_worker *self, struct al_actor *actor,
                                    enum al_placement placement)
{
    struct al_ready_actor *ready = al_pool_take_for(&self->envelopes, sizeof *ready);
    al_ready_actor_init(ready, actor);
    actor->home = ready;
    if (placement == AL_PLACE_DETACHED)
        al_detach(self, ready);
    return ready;
}

uint32_t al_base_enter(struct al_worker *self, struct al_actor *actor, enum al_placement placement,
                       uint32_t worker)
{
    (void)worker;
    al_base_home(self, actor, placement);
    return AL_NO_WORKER;
}

static uint32_t next_in_turn(const struct al_runtime *system)
{
    struct al_base *base = system->scheduler_state;
    /* relaxed: a counter that publishes nothing */
    return (uint32_t)(al_u64_add_relaxed(&base->ticket, 1) % system->n_workers);
}

uint32_t al_base_enter_in_turn(struct al_worker *self, struct al_actor *actor,
                               enum al_placement placement, uint32_t worker)
{
    struct al_ready_actor *ready = al_base_home(self, actor, placement);
    if (placement == AL_PLACE_WORKER)
        ready->first_worker = worker;
    else if (self->id == self->system->n_workers && placement != AL_PLACE_DETACHED)
        ready->first_worker = next_in_turn(self->system);
    return ready->first_worker;
}

uint32_t al_base_worker_from_outside(const struct al_runtime *system,
                                     const struct al_ready_actor *ready)
{
    /* relaxed: the worker that ran the actor wrote it; the push that found it waiting ordered
     * that */
    if (al_u32_load_relaxed(&ready->last_worker) == AL_NO_WORKER &&
        ready->first_worker != AL_NO_WORKER)
        return ready->first_worker;
    return next_in_turn(system);
}

void al_base_leave(struct al_worker *self, struct al_actor *actor)
{
    struct al_ready_actor *ready = actor->home;
    struct al_base_worker *worker = self->scheduler;
    if (self->system->observer != NULL)
        al_observe(self->system->observer->after_completion, self, actor);
    worker->running = NULL;
    al_inbox_fini(&ready->inbox, &self->envelopes, al_undelivered, self->system);
    al_pool_give(&self->envelopes, ready);
}
