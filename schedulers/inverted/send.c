/* SPDX-License-Identifier: MIT */
#include "schedulers/inverted/inverted.h"

#include "schedulers/inverted/outbox.h"
#include "schedulers/inverted/wake.h"

/* The rest of a send that finds the queue full, or may: with the lock held, which it releases. */
static __attribute__((noinline)) void push_locked(struct al_worker *self, struct al_actor *actor,
                                                  struct al_message *message,
                                                  al_behaviour *behaviour)
{
    (void)self;
    struct al_mailbox *mailbox = actor->home;
    al_copy_queue_push_serial(&mailbox->copy, actor, message, behaviour, AL_COPY_QUEUE_DOUBLES);
    al_spinlock_unlock(&mailbox->lock.spin);
}

static __attribute__((noinline)) void send_contended(struct al_worker *self, struct al_actor *actor,
                                                     struct al_message *message,
                                                     al_behaviour *behaviour)
{
    al_spinlock_wait(&((struct al_mailbox *)actor->home)->lock.spin);
    push_locked(self, actor, message, behaviour);
}

/* The two calls are tail calls, so that the common path saves no register: a locked instruction
 * waits until the stores before it have left the core. */
void al_inverted_send_copy(struct al_worker *self, struct al_actor *actor,
                           struct al_message *message, al_behaviour *behaviour)
{
    struct al_mailbox *mailbox = actor->home;
    if (__builtin_expect(!al_spinlock_try(&mailbox->lock.spin), 0)) {
        send_contended(self, actor, message, behaviour);
        return;
    }
    if (__builtin_expect(al_copy_queue_full_serial(&mailbox->copy), 0)) {
        push_locked(self, actor, message, behaviour);
        return;
    }
    al_copy_queue_put_serial(&mailbox->copy, actor, message, behaviour);
    al_spinlock_unlock(&mailbox->lock.spin);
}

/* As al_inverted_send_copy, with another growth factor than the chapter's. */
static void send_growing(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_mailbox *mailbox = actor->home;
    al_spinlock_lock(&mailbox->lock.spin);
    al_copy_queue_push_serial(&mailbox->copy, actor, message, behaviour, inverted->growth);
    al_spinlock_unlock(&mailbox->lock.spin);
}

static void send_list(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                      al_behaviour *behaviour)
{
    struct al_mailbox *mailbox = actor->home;
    struct al_list_node *node = al_list_node(&self->envelopes, actor, message, behaviour);
    al_spinlock_lock(&mailbox->lock.spin);
    al_list_queue_push_serial(&mailbox->list, node);
    al_spinlock_unlock(&mailbox->lock.spin);
}

/* Any queue, waking whom it concerns. chosen: as in al_mailbox_lock. */
static inline __attribute__((always_inline)) void
send_waking(struct al_worker *self, struct al_actor *actor, struct al_message *message,
            al_behaviour *behaviour, const struct al_lock_choice *chosen)
{
    struct al_runtime *system = self->system;
    const struct al_inverted *inverted = system->scheduler_state;
    struct al_mailbox *mailbox = actor->home;
    struct al_list_node *node = inverted->kind == AL_QUEUE_LIST
                                    ? al_list_node(&self->envelopes, actor, message, behaviour)
                                    : NULL;
    al_mailbox_lock(self, mailbox, chosen);
    uint32_t before = al_mailbox_length(mailbox, inverted->kind, AL_BATCHING_OFF);
    if (inverted->kind == AL_QUEUE_LIST)
        al_list_queue_push_serial(&mailbox->list, node);
    else
        al_copy_queue_push_serial(&mailbox->copy, actor, message, behaviour, inverted->growth);
    al_mailbox_unlock(self, mailbox, chosen);
    if (chosen == NULL || system->wake != NULL)
        al_inverted_wake_owner(system, mailbox, before);
}

/* For idle policies whose workers sleep until they are woken. */
static void send_waking_default(struct al_worker *self, struct al_actor *actor,
                                struct al_message *message, al_behaviour *behaviour)
{
    send_waking(self, actor, message, behaviour, NULL);
}

/* Copy queues, with another lock than the default. */
static void send_chosen(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                        al_behaviour *behaviour)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_mailbox *mailbox = actor->home;
    al_lock_take(&inverted->lock, &mailbox->lock, self->id);
    al_copy_queue_push_serial(&mailbox->copy, actor, message, behaviour, inverted->growth);
    al_lock_release(&inverted->lock, &mailbox->lock, self->id);
}

/* The same with any queue and idle policy. */
static void send_chosen_any(struct al_worker *self, struct al_actor *actor,
                            struct al_message *message, al_behaviour *behaviour)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    send_waking(self, actor, message, behaviour, &inverted->lock);
}

/* What is rare or expensive; a tail call, as in al_inverted_send_copy. */
static __attribute__((noinline)) void send_elsewhere(struct al_worker *self, struct al_actor *actor,
                                                     struct al_message *message,
                                                     al_behaviour *behaviour)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    struct al_share *share = self->scheduler;
    struct al_mailbox *mailbox = actor->home;
    if (mailbox == share->held)
        al_copy_queue_push_serial(&mailbox->kept, actor, message, behaviour, inverted->growth);
    else
        al_outbox_add(share->outbox, mailbox, (size_t)(mailbox - inverted->mailboxes), actor,
                      message, behaviour);
}

/* Messages within the mailbox that is being delivered need no lock; others wait in the outbox. */
static void send_batched(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                         al_behaviour *behaviour)
{
    const struct al_share *share = self->scheduler;
    struct al_mailbox *mailbox = actor->home;
    if (mailbox == share->held && !al_copy_queue_full_serial(&mailbox->kept))
        al_copy_queue_put_serial(&mailbox->kept, actor, message, behaviour);
    else
        send_elsewhere(self, actor, message, behaviour);
}

al_sender *al_inverted_choose_send(const struct al_worker *worker)
{
    const struct al_runtime *system = worker->system;
    const struct al_inverted *inverted = system->scheduler_state;
    if (inverted->batching == AL_BATCHING_ON &&
        worker->id < system->n_workers) /* the starter never holds a mailbox */
        return send_batched;
    if (inverted->loop == AL_LOOP_CHOSEN)
        return system->wake != NULL || inverted->kind == AL_QUEUE_LIST ? send_chosen_any
                                                                       : send_chosen;
    if (system->wake != NULL)
        return send_waking_default;
    if (inverted->kind == AL_QUEUE_LIST)
        return send_list;
    return inverted->growth == AL_COPY_QUEUE_DOUBLES ? al_inverted_send_copy : send_growing;
}
