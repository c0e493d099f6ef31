/* SPDX-License-Identifier: MIT */
#ifndef AL_STEALING_H
#define AL_STEALING_H

/*
 * What the actor-centric strategies with a deque of ready actors per worker share: a worker runs
 * the actors of its own deque, and steals from another's when it is empty. A worker's state begins
 * with struct al_stealer; otherwise as in base.h.
 */

#include "schedulers/actor_centric/base.h"
#include "schedulers/idle/steal_backoff.h"
#include "schedulers/queues/work_deque.h"

/* The options that all of them have, before those of the strategy. */
enum al_stealing_option {
    AL_STEALING_DEQUE = AL_BASE_OPTIONS,
    AL_STEALING_OPTIONS,
    /* of those that use al_stealing_run, after one option of their own: AL_STEAL_BACKOFF_OPTION and
     * AL_STEALING_LOCK_OPTION */
    AL_STEALING_BACKOFF,
    AL_STEALING_LOCK
};

#define AL_STEALING_COMMON_OPTIONS(kind)                                                           \
    AL_BASE_COMMON_OPTIONS,                                                                        \
    {                                                                                              \
        "deque", AL_OPTION_ENUM, kind, 0, 0, al_deque_choices, AL_DEQUE_HELP                       \
    }

#define AL_STEALING_LOCK_OPTION                                                                    \
    {                                                                                              \
        "lock", AL_OPTION_ENUM, "exchange", 0, 0, al_deque_lock_choices, AL_DEQUE_LOCK_HELP        \
    }

struct al_stealer {
    struct al_base_worker actors;
    struct al_deque deque;
};

static inline struct al_deque *al_deque_of(const struct al_worker *worker)
{
    return &((struct al_stealer *)worker->scheduler)->deque;
}

/* Make a worker's state of so many bytes, all zero but the deque. NULL: no memory. For
 * worker_init. */
void *al_stealer_new(struct al_worker *self, size_t bytes, enum al_deque_owner owner,
                     enum al_lock_kind lock);

/* As al_base_new, of those that use al_stealing_run; but 0, or a negative errno. */
__attribute__((warn_unused_result)) int al_stealing_new(struct al_runtime *system, size_t bytes,
                                                        struct al_error *error);

/* The operations. worker_init: the owner takes the newest actor. */
int al_stealing_init(struct al_runtime *system, struct al_error *error);
void al_stealing_fini(struct al_runtime *system);
int al_stealing_worker_init(struct al_worker *self);
void al_stealing_run(struct al_worker *self);
uint64_t al_stealing_length(const struct al_worker *worker);
uint64_t al_stealing_held(const struct al_runtime *system);

/* Put an actor into a worker's deque, behind the others, and wake that worker. Any worker. */
void al_stealing_push_behind(const struct al_worker *self, uint32_t id,
                             struct al_ready_actor *ready);

/* One attempt to steal, counted: an actor to run, or NULL. Owner only. */
struct al_ready_actor *al_stealing_steal(struct al_worker *self);

/* Whether a look after `misses` failed ones includes an attempt to steal. Owner only. */
static inline bool al_stealing_due(const struct al_worker *self, uint64_t misses)
{
    const struct al_runtime *system = self->system;
    return system->victim_ops->pick != NULL && system->n_workers > 1 &&
           (system->idle_ops->steals == NULL || system->idle_ops->steals(self, misses));
}

/* How many looks without work do the same: 0 where some of them steal. Owner only. */
static inline uint64_t al_stealing_alike(const struct al_worker *self)
{
    const struct al_runtime *system = self->system;
    return system->victim_ops->pick != NULL && system->n_workers > 1 ? 0 : AL_ALWAYS;
}

#endif
