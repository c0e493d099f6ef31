/* SPDX-License-Identifier: MIT */
#include "core/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/cancel.h"
#include "core/counted.h"
#include "core/system_private.h"

#if AL_CHECKS

/* As in the chapter, which reserves the largest ticket for terminated actors. */
enum actor_state { ACTOR_LIVE = 0x600dac70, ACTOR_TERMINATED = -1 };

/* Deleted objects that stay readable, per worker: enough to outlive any queue of a test. */
#define QUARANTINE_SLOTS 1024

struct al_quarantine {
    uint64_t n_added;
    struct storage {
        void *memory;
        struct al_actor *actor; /* NULL: a message */
    } ring[QUARANTINE_SLOTS], *held;
    size_t n_held, held_capacity; /* deleted actors that messages are still on their way to */
};

struct al_unreceived {
    size_t n_types;
    struct type_count {
        const struct al_actor_type *type;
        uint64_t messages;
    } * types;
};

static void *grow(void *array, size_t bytes)
{
    void *grown = al_realloc(array, bytes);
    if (grown == NULL)
        al_out_of_memory("the checks build's records", bytes);
    return grown;
}

/* The value of checks.life while the actor lives. */
static uintptr_t life_of(const struct al_actor *actor)
{
    return (uintptr_t)actor ^ (uintptr_t)0x600dac70600dac70;
}

void al_check_enter(struct al_worker *self, struct al_actor *actor,
                    const struct al_actor_type *type)
{
    if (self == NULL)
        al_fatal("an actor of type '%s' was created before al_system_start (or on a thread that is "
                 "not a worker)",
                 type->name);
    if (actor->checks.life == life_of(actor))
        al_fatal("al_actor_init of a '%s' over a live actor of type '%s'", type->name,
                 actor->type->name);
    actor->checks.life = life_of(actor);
    al_u32_store_relaxed(&actor->checks.pending, 0);
    /* release: publishes `life` and `pending` to the acquire in al_check_send, which would else see
     * an actor that was never initialised */
    al_u32_store_release(&actor->checks.state, ACTOR_LIVE);
}

void al_check_near(const struct al_actor *actor, const struct al_actor *other)
{
    /* acquire: as in al_check_send */
    if (al_u32_load_acquire(&other->checks.state) != (uint32_t)ACTOR_LIVE ||
        other->checks.life != life_of(other))
        al_fatal("al_actor_init_near of a '%s': the other actor does not live", actor->type->name);
}

static bool initialised(uint32_t message_state)
{
    return message_state == AL_MESSAGE_UNSENT || message_state == AL_MESSAGE_SENT ||
           message_state == AL_MESSAGE_TERMINATED;
}

void al_check_send(struct al_worker *self, struct al_actor *actor, struct al_message *message)
{
    /* relaxed: a message has one sender at a time, or is shared and stays AL_MESSAGE_SENT, so no
     * other thread changes it meanwhile */
    uint32_t message_state = al_u32_load_relaxed(&message->checks.state);
    const char *type = initialised(message_state) ? message->type->name : "unknown";
    if (self == NULL)
        al_fatal(
            "a message of type '%s' was sent by a thread that is not a worker of a running system",
            type);
    /* acquire: partner is the release in al_check_enter and al_check_terminated; relaxed might pair
     * a new state with the old value of `life` */
    uint32_t actor_state = al_u32_load_acquire(&actor->checks.state);
    if (actor_state == (uint32_t)ACTOR_TERMINATED)
        al_fatal("a message of type '%s' was sent to a terminated actor of type '%s'", type,
                 actor->type->name);
    if (actor_state != ACTOR_LIVE || actor->checks.life != life_of(actor))
        al_fatal("a message of type '%s' was sent to an actor that al_actor_init never saw", type);
    if (!initialised(message_state))
        al_fatal("an actor of type '%s' was sent a message that al_message_init never saw",
                 actor->type->name);
    if (message_state == AL_MESSAGE_TERMINATED)
        al_fatal("a message of type '%s' was sent after its termination", type);
    if (message_state == AL_MESSAGE_UNSENT)
        al_u32_store_relaxed(&message->checks.state, AL_MESSAGE_SENT);
    al_u32_add_relaxed(&actor->checks.pending, 1);
}

bool al_check_receive(struct al_worker *self, struct al_actor *actor)
{
    /* acquire: partner is the release in al_check_terminated; see al_check_send */
    if (al_u32_load_acquire(&actor->checks.state) == (uint32_t)ACTOR_TERMINATED) {
        struct al_envelope envelope = {.actor = actor};
        al_undelivered(self->system, &envelope);
        AL_COUNT(self, messages_received, (uint64_t)-1); /* the caller counts it as received */
        return false;
    }
    al_u32_add_relaxed(&actor->checks.pending, UINT32_MAX);
    return true;
}

void al_check_terminated(struct al_actor *actor)
{
    actor->checks.life = 0;
    /* release: publishes `life` to the acquire in al_check_send and al_check_receive */
    al_u32_store_release(&actor->checks.state, (uint32_t)ACTOR_TERMINATED);
}

void al_check_message_terminated(struct al_message *message)
{
    al_u32_store_relaxed(&message->checks.state, AL_MESSAGE_TERMINATED);
}

void al_check_message_begin(struct al_message *message)
{
    /* relaxed: a send publishes it with the message */
    al_u32_store_relaxed(&message->checks.state, AL_MESSAGE_UNSENT);
}

void al_check_message_fini(struct al_message *message)
{
    uint32_t state = al_u32_load_relaxed(&message->checks.state);
    if (!initialised(state))
        al_fatal("a message that al_message_init never saw was freed");
    if (state == AL_MESSAGE_UNSENT)
        al_warn("a message of type '%s' was freed but never sent", message->type->name);
    al_u32_store_relaxed(&message->checks.state, AL_MESSAGE_TERMINATED);
}

void al_quarantine_add(struct al_worker *self, void *storage, struct al_actor *actor)
{
    struct al_quarantine *quarantine = self->quarantine;
    if (quarantine == NULL) {
        quarantine = self->quarantine = grow(NULL, sizeof *quarantine);
        *quarantine = (struct al_quarantine){0};
    }
    struct storage *slot = &quarantine->ring[quarantine->n_added++ % QUARANTINE_SLOTS];
    struct storage oldest = *slot;
    *slot = (struct storage){storage, actor};
    if (oldest.actor == NULL || al_u32_load_relaxed(&oldest.actor->checks.pending) == 0) {
        al_free(oldest.memory);
        return;
    }
    if (quarantine->n_held == quarantine->held_capacity) {
        quarantine->held_capacity = quarantine->held_capacity * 2 + 16;
        quarantine->held = grow(quarantine->held,
                                quarantine->held_capacity * sizeof *quarantine->held);
    }
    quarantine->held[quarantine->n_held++] = oldest;
}

void al_undelivered(void *of, const struct al_envelope *envelope)
{
    struct al_system *system = al_system_of(of);
    const struct al_actor_type *type = envelope->actor->type;
    al_spinlock_lock(&system->report_lock);
    if (system->unreceived == NULL) {
        system->unreceived = grow(NULL, sizeof *system->unreceived);
        *system->unreceived = (struct al_unreceived){0};
    }
    struct al_unreceived *list = system->unreceived;
    size_t i = 0;
    while (i < list->n_types && list->types[i].type != type)
        i++;
    if (i == list->n_types) {
        list->types = grow(list->types, (i + 1) * sizeof *list->types);
        list->types[list->n_types++] = (struct type_count){type, 0};
    }
    list->types[i].messages++;
    al_spinlock_unlock(&system->report_lock);
}

static void empty_quarantine(struct al_quarantine *quarantine)
{
    if (quarantine == NULL)
        return;
    for (size_t k = 0; k < QUARANTINE_SLOTS; k++)
        al_free(quarantine->ring[k].memory);
    for (size_t k = 0; k < quarantine->n_held; k++)
        al_free(quarantine->held[k].memory);
    al_free(quarantine->held);
    al_free(quarantine);
}

uint64_t al_check_stop(struct al_system *system)
{
    for (uint32_t i = 0; i <= system->shown.n_workers; i++)
        empty_quarantine(system->shown.workers[i].quarantine);
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        empty_quarantine(w->quarantine);
    uint64_t total = 0;
    if (system->unreceived != NULL) {
        /* Of a system that was cancelled nobody expects anything. */
        size_t n_types = al_cancelled(system) ? 0 : system->unreceived->n_types;
        for (size_t i = 0; i < n_types; i++) {
            struct type_count *entry = &system->unreceived->types[i];
            fprintf(stderr, "actorlab: error: %s to actors of type '%s' sent but never received\n",
                    al_counted(entry->messages, "message").text, entry->type->name);
            total += entry->messages;
        }
        al_free(system->unreceived->types);
        al_free(system->unreceived);
    }
    return total;
}

#else

void al_undelivered(void *system, const struct al_envelope *envelope)
{
    (void)system, (void)envelope;
}

#endif
