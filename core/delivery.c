/* SPDX-License-Identifier: MIT */
#include "core/delivery.h"

#include "core/memory/object.h"
#include "core/plugin/scheduler.h"
#include "core/system_private.h"

/* A counter with one writer: no read-modify-write needed. */
static void count_one(struct al_atomic_u64 *counter)
{
    /* release: partner is the acquire in count_terminated (core/termination.c). Seeing a
     * termination there implies seeing the creation before it. */
    al_u64_store_release(counter, al_u64_load_relaxed(counter) + 1);
}

/* Free the storage of an actor, or of a message, at that offset in it: then actor is NULL.
 * recycled: its type's. */
static inline void free_storage(struct al_worker *self, void *embedded, size_t offset,
                                struct al_actor *actor, size_t recycled)
{
    (void)actor;
    void *storage = (char *)embedded - al_guess(offset, 0); /* most are at the beginning */
    if (AL_RECYCLES && recycled != 0)
        al_object_free(self, storage, recycled);
    else
        AL_CHECK_FREE(self, storage, actor);
}

/* Give an actor its home, near another one if that is not NULL. */
static inline uint32_t give_home(struct al_worker *self, struct al_actor *actor,
                                 enum al_placement placement, uint32_t worker,
                                 struct al_actor *near)
{
    const struct al_scheduler_ops *ops = self->system->ops;
    if (near == NULL || ops->enter_near == NULL)
        return ops->enter(self, actor, placement, worker);
    ops->enter_near(self, actor, near);
    return AL_NO_WORKER;
}

/* What every new actor needs; returns the worker that runs it first, as `enter` does. */
static inline uint32_t begin_life(struct al_actor *actor, const struct al_actor_type *type,
                                  enum al_placement placement, uint32_t worker,
                                  struct al_actor *near)
{
    struct al_worker *self = al_self();
    AL_CHECK_ENTER(self, actor, type);
    actor->type = type;
    if (near != NULL)
        AL_CHECK_NEAR(actor, near);
    count_one(&self->created);
    struct al_mutex *lock = al_outside_lock(self);
    if (__builtin_expect(lock == NULL, 1))
        return give_home(self, actor, placement, worker, near);
    al_outside_take(lock);
    worker = give_home(self, actor, placement, worker, near);
    al_mutex_unlock(lock);
    return worker;
}

uint32_t al_actor_enter(struct al_actor *actor, const struct al_actor_type *type,
                        enum al_placement placement, uint32_t worker)
{
    return begin_life(actor, type, placement, worker, NULL);
}

void al_actor_enter_near(struct al_actor *actor, const struct al_actor_type *type,
                         struct al_actor *other)
{
    (void)begin_life(actor, type, AL_PLACE_ANYWHERE, AL_NO_WORKER, other);
}

uint32_t al_workers(void)
{
    return al_self()->system->n_workers;
}

void al_actor_terminate(struct al_worker *self, struct al_actor *actor, enum al_verdict verdict)
{
    const struct al_actor_type *type = actor->type;
    const struct al_scheduler_ops *ops = self->system->ops;
    if (ops->leave != NULL)
        ops->leave(self, actor);
    AL_CHECK_TERMINATED(actor);
    const struct al_system *system = al_system_of(self->system);
    if (__builtin_expect(system->actor_ended != NULL, 0))
        system->actor_ended(system->actor_ended_argument, actor, verdict);
    if (verdict != AL_FINISHED && type->destroy != NULL)
        type->destroy(actor);
    if (verdict == AL_DELETE)
        free_storage(self, actor, type->offset, actor, type->recycled);
    /* Last, so that al_system_stop returns after every destructor. */
    count_one(&self->terminated);
}

void al_message_dispose(struct al_worker *self, struct al_message *message)
{
    enum al_verdict verdict = message->verdict;
    if (verdict == AL_FINISHED)
        return;
    const struct al_message_type *type = message->type;
    AL_CHECK_MESSAGE_TERMINATED(message);
    if (type->destroy != NULL)
        type->destroy(message);
    if (verdict == AL_DELETE)
        free_storage(self, message, type->offset, NULL, type->recycled);
}

enum al_verdict al_receive_pill(struct al_actor *actor, struct al_message *message)
{
    for (const struct al_actor_type *type = actor->type; type != NULL; type = type->base)
        if (type->pill != NULL)
            return type->pill(actor, message);
    return AL_DERIVED(message, al_pill, message)->verdict;
}

static const struct al_message_type pill_type = {
    .name = "pill", .offset = offsetof(struct al_pill, message), .size = sizeof(struct al_pill)};

/* Shared by all threads and never written. */
#define PILL(verdict_)                                                                             \
    {                                                                                              \
        {.type = &pill_type, .verdict = AL_NODELETE, AL_CHECKS_CONSTANT}, verdict_                 \
    }
struct al_pill al_delete_msg = PILL(AL_DELETE);
struct al_pill al_destroy_msg = PILL(AL_DESTROY);
struct al_pill al_finished_msg = PILL(AL_FINISHED);
