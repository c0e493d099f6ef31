/* SPDX-License-Identifier: MIT */
/* The reference: a locked list of the envelopes that no worker has taken, in the order of sends.
 * An actor has a home while a worker runs it; a message to one that runs blocks the rest. */
#include <errno.h>
#include "core/plugin/scheduler.h"
#include "schedulers/idle/idles.h"
#include "schedulers/queues/list_queue.h"
#include "schedulers/victims/victims.h"

struct central {
    struct al_spinlock lock;
    struct al_list_queue queue;
};

static int central_init(struct al_runtime *system, struct al_error *error)
{
    struct central *central = system->scheduler_state = al_calloc(1, sizeof *central);
    if (central == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the central queue");
    al_list_queue_init(&central->queue);
    return 0;
}

static void central_fini(struct al_runtime *system)
{
    struct central *central = system->scheduler_state;
    al_list_fini(al_list_queue_take_serial(&central->queue),
                 &system->workers[system->n_workers].envelopes, al_undelivered, system);
    al_free(central);
}

static uint32_t central_enter(struct al_worker *self, struct al_actor *actor,
                              enum al_placement place, uint32_t worker)
{
    (void)self, (void)place, (void)worker;
    return actor->home = NULL, AL_NO_WORKER;
}

static void central_leave(struct al_worker *self, struct al_actor *actor)
{
    struct central *central = self->system->scheduler_state;
    al_spinlock_lock(&central->lock);
    actor->home = NULL;
    al_spinlock_unlock(&central->lock);
    self->scheduler = NULL; /* tells central_run that the actor is gone */
}

static void central_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    struct central *central = self->system->scheduler_state;
    struct al_list_node *node = al_list_node(&self->envelopes, actor, message, behaviour);
    al_spinlock_lock(&central->lock);
    al_list_queue_push_serial(&central->queue, node);
    al_spinlock_unlock(&central->lock);
    al_idle_wake(self->system, AL_ANYONE);
}

static void central_run(struct al_worker *self)
{
    struct central *central = self->system->scheduler_state;
    for (uint64_t misses = 0;;) {
        struct al_list_node *node = NULL;
        (void)al_timers_look(self);
        if (al_list_queue_length(&central->queue) != 0) {
            al_spinlock_lock(&central->lock);
            if (central->queue.head != NULL && central->queue.head->envelope.actor->home == NULL) {
                node = al_list_queue_pop_serial(&central->queue);
                node->envelope.actor->home = self;
            }
            al_spinlock_unlock(&central->lock);
        }
        if (node == NULL) {
            if (al_worker_done(self))
                return;
            misses++;
            misses += al_idle_wait(self, misses, AL_ALWAYS);
            continue;
        }
        misses = 0;
        AL_COUNT(self, messages_received, 1);
        self->scheduler = node->envelope.actor;
        al_deliver(self, &node->envelope);
        if (self->scheduler != NULL)
            central_leave(self, node->envelope.actor);
        al_pool_give(&self->envelopes, node);
    }
}

static uint64_t central_length(const struct al_worker *worker)
{
    return al_list_queue_length(&((struct central *)worker->system->scheduler_state)->queue);
}

static const struct al_option central_options[] = {AL_ENVELOPES_OPTION, {0}};

const struct al_scheduler_ops al_scheduler_central = {
    .plugin = {"central", "one list of envelopes behind one lock: the reference", central_options},
    .victim = &al_victim_none,
    .idle = &al_idle_spin,
    .init = central_init,
    .fini = central_fini,
    .run = central_run,
    .enter = central_enter,
    .leave = central_leave,
    .send = central_send,
    .length = central_length};
