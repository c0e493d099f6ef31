/* SPDX-License-Identifier: MIT */
#include "schedulers/actor_centric/stealing.h"

#include <errno.h>

int al_stealing_new(struct al_runtime *system, size_t bytes, struct al_error *error)
{
    const union al_value *values = system->scheduler.values;
    uint64_t lock = values[AL_STEALING_LOCK].uint, kind = values[AL_STEALING_DEQUE].uint;
    if (lock != AL_LOCK_EXCHANGE && kind != AL_DEQUE_LOCKED)
        return al_error_set(error, -EINVAL, "lock=%s needs deque=locked, not deque=%s",
                            al_deque_lock_choices[lock], al_deque_choices[kind]);
    struct al_base *base = al_base_new(system, bytes, error);
    if (base == NULL)
        return -ENOMEM;
    base->steal_backoff_cycles = values[AL_STEALING_BACKOFF].uint;
    return 0;
}

int al_stealing_init(struct al_runtime *system, struct al_error *error)
{
    return al_stealing_new(system, sizeof(struct al_base), error);
}

void *al_stealer_new(struct al_worker *self, size_t bytes, enum al_deque_owner owner,
                     enum al_lock_kind lock)
{
    const union al_value *values = self->system->scheduler.values;
    struct al_stealer *stealer = al_base_worker_new(self, bytes);
    if (stealer != NULL)
        al_deque_init(&stealer->deque, (enum al_deque_kind)values[AL_STEALING_DEQUE].uint, owner,
                      lock);
    return stealer;
}

int al_stealing_worker_init(struct al_worker *self)
{
    enum al_lock_kind lock = self->system->scheduler.values[AL_STEALING_LOCK].uint;
    return al_stealer_new(self, sizeof(struct al_stealer), AL_OWNER_LIFO, lock) != NULL ? 0
                                                                                        : -ENOMEM;
}

/* All actors have terminated, so no deque holds any; or the system was cancelled, and those that it
 * holds are of pools. */
void al_stealing_fini(struct al_runtime *system)
{
    for (uint32_t i = 0; i < system->n_workers; i++) {
        if (system->workers[i].scheduler != NULL)
            al_deque_fini(al_deque_of(&system->workers[i]));
    }
    al_base_fini(system);
}

void al_stealing_push_behind(const struct al_worker *self, uint32_t id,
                             struct al_ready_actor *ready)
{
    struct al_runtime *system = self->system;
    al_deque_push_behind_any(al_deque_of(&system->workers[id]), ready);
    if (id == self->id)
        al_idle_wake(system, id);
    else
        al_idle_nudge(system, id);
}

/* Messages that wait for these actors; 0 where nothing counts them. */
static uint64_t messages_in(void *const *actors, uint32_t n)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; AL_COUNTERS && i < n; i++)
        messages += al_inbox_length_mpsc(&((struct al_ready_actor *)actors[i])->inbox);
    return messages;
}

struct al_ready_actor *al_stealing_steal(struct al_worker *self)
{
    const struct al_victim_ops *victim_ops = self->system->victim_ops;
    uint32_t id = al_victim_pick(victim_ops, self);
    if (id == AL_NO_WORKER) {
        al_stole_no_candidate(self, id);
        return NULL;
    }
    void *stolen[AL_STEAL_MOST];
    bool lost;
    uint32_t n = al_deque_steal_any(al_deque_of(&self->system->workers[id]), stolen, &lost);
    al_victim_learn(victim_ops, self, id, n > 0);
    if (n > 0) {
        al_stole(self, id, n, messages_in(stolen, n));
        return al_deque_keep_owner(al_deque_of(self), stolen, n);
    }
    if (lost)
        al_stole_lost_swap(self, id);
    else
        al_stole_no_candidate(self, id);
    return NULL;
}

/* `loop` is a constant in each caller, so that this is compiled for each. */
static inline __attribute__((always_inline)) void run(struct al_worker *self,
                                                      enum al_base_loop loop)
{
    struct al_runtime *system = self->system;
    const struct al_base *base = system->scheduler_state;
    uint64_t max_throughput = base->max_throughput, longest = base->steal_backoff_cycles;
    struct al_steal_backoff backoff = {0};
    struct al_deque *deque = al_deque_of(self);
    uint64_t misses = 0; /* looks without work in a row */
    for (;;) {
        struct al_ready_actor *ready = al_deque_pop_owner(deque);
        if (ready == NULL && al_stealing_due(self, misses) &&
            (longest == 0 || al_steal_backoff_due(&backoff))) {
            ready = al_stealing_steal(self);
            if (ready == NULL && longest != 0)
                al_steal_backoff_failed(&backoff, longest);
        }
        if (ready != NULL) {
            if (misses != 0)
                al_victim_rest(system->victim_ops, self);
            misses = 0;
            al_steal_backoff_rest(&backoff);
            if (al_base_resume(self, ready, max_throughput, loop) == AL_RESUMED_READY)
                al_deque_push_behind_any(deque, ready);
            continue;
        }
        if (al_timers_look(self))
            continue;
        if (al_worker_done(self))
            return;
        misses++;
        misses += al_idle_wait(self, misses, al_stealing_alike(self));
    }
}

AL_BASE_LOOPS(run)

void al_stealing_run(struct al_worker *self)
{
    run_chosen(self);
}

uint64_t al_stealing_length(const struct al_worker *worker)
{
    return al_deque_length(al_deque_of(worker));
}

uint64_t al_stealing_held(const struct al_runtime *system)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < system->n_workers; i++)
        bytes += al_deque_bytes(al_deque_of(&system->workers[i]));
    return bytes;
}
