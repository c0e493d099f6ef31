/* SPDX-License-Identifier: MIT */
#ifndef AL_ACTOR_H
#define AL_ACTOR_H

/*
 * All that a workload includes.
 *
 *     struct counter { struct al_actor actor; uint64_t sum; };
 *     struct add     { struct al_message message; uint64_t by; };
 *     AL_ACTOR(counter)
 *     AL_MESSAGE(add)
 *
 *     AL_BEHAVIOUR(counter, add, self, msg)
 *     {
 *         self->sum += msg->by;
 *         return AL_NODELETE;
 *     }
 *
 *     al_actor_init(counter, c);
 *     al_message_init(add, m, AL_NODELETE);
 *     al_send(counter, add, c, m);
 *     al_send_pill(&c->actor, &al_finished_msg);
 *
 * The names are struct tags; the embedded fields are called `actor` and `message`, wherever in the
 * struct they are. al_send of a message that the actor has no behaviour for does not compile.
 *
 * What holds for every strategy: per sender and receiver delivery is FIFO; an actor never runs on
 * two workers at once; what an actor wrote is visible to whichever worker runs it next.
 *
 * What a program must do: actors are created between al_system_start and al_system_stop, by the
 * thread that started the system or by behaviours; only these send. No message may be on its way to
 * an actor that terminates. A message outlives each behaviour that receives it *until that
 * behaviour has returned*, since its verdict is read then. The checks build (-Dchecks=true) finds
 * violations.
 */

#include <stdlib.h>

#include "core/checks.h"
#include "core/envelope.h"
#include "core/system.h"
#include "core/worker.h"

struct al_actor_type {
    const char *name;
    size_t offset;                      /* of the embedded al_actor in the derived struct, bytes */
    void (*destroy)(struct al_actor *); /* the derived type's destructor, or NULL */
};

struct al_message_type {
    const char *name;
    size_t offset;
    void (*destroy)(struct al_message *);
};

struct al_actor {
    const struct al_actor_type *type;
    void *home; /* the strategy's: where this actor's messages go */
#if AL_CHECKS
    struct al_actor_checks checks;
#endif
};

struct al_message {
    const struct al_message_type *type;
    enum al_verdict verdict;
#if AL_CHECKS
    struct al_message_checks checks;
#endif
};

/* Change what becomes of a message. Before it is sent, or inside a behaviour that receives it
 * alone. */
static inline void al_message_set_verdict(struct al_message *message, enum al_verdict verdict)
{
    message->verdict = verdict;
}

/*
 * Give up a message that no envelope holds and whose verdict leaves it to its owner. Only the
 * checks build does anything: it warns of messages that were never sent.
 */
static inline void al_message_fini(struct al_message *message)
{
    AL_CHECK_MESSAGE_FINI(message);
}

/* Enter an actor into the system: counts it and gives it a home. Behind al_actor_init; worker is AL_ANYONE but for
 * AL_PLACE_WORKER. Returns what al_actor_init_on does. */
uint32_t al_actor_enter(struct al_actor *actor, const struct al_actor_type *type,
                        enum al_placement placement, uint32_t worker);

/* How many workers the running system of this thread has. */
uint32_t al_workers(void);

/* Send without types; behind al_send. */
static inline void al_post(struct al_actor *actor, struct al_message *message,
                           al_behaviour *behaviour)
{
    struct al_worker *self = al_self();
    AL_CHECK_SEND(self, actor, message);
    AL_COUNT(self, messages_sent, 1);
    self->send(self, actor, message, behaviour);
}

/*
 * Poison pills: whoever receives one is deleted, destroyed or finished, after all that was sent to
 * it before. They may be sent by anyone to any actor, any number of times.
 */
struct al_pill {
    struct al_message message;
    al_behaviour *behaviour;
};

extern struct al_pill al_delete_msg, al_destroy_msg, al_finished_msg;

static inline struct al_actor *al_send_pill(struct al_actor *actor, struct al_pill *pill)
{
    al_post(actor, &pill->message, pill->behaviour);
    return actor;
}

#define AL_UNUSED __attribute__((unused))
#define AL_DERIVED(pointer, tag, field)                                                            \
    ((struct tag *)((char *)(pointer)-offsetof(struct tag, field)))

#define AL_TYPE(tag, field, destructor)                                                            \
    static const struct al_##field##_type al_##field##_type_##tag AL_UNUSED = {                    \
        #tag, offsetof(struct tag, field), destructor};

#define AL_TYPE_WITH_DESTRUCTOR(tag, field, destructor)                                            \
    static void destructor(struct tag *);                                                          \
    static void al_destroy_##tag(struct al_##field *base)                                          \
    {                                                                                              \
        destructor(AL_DERIVED(base, tag, field));                                                  \
    }                                                                                              \
    AL_TYPE(tag, field, al_destroy_##tag)

/* Describe an actor type, once per source file that creates such actors. */
#define AL_ACTOR_INITIALISER(tag)                                                                  \
    AL_UNUSED static inline struct tag *al_actor_init_##tag(struct tag *actor,                     \
                                                            enum al_placement placement)           \
    {                                                                                              \
        al_actor_enter(&actor->actor, &al_actor_type_##tag, placement, AL_ANYONE);                 \
        return actor;                                                                              \
    }
#define AL_ACTOR(tag) AL_TYPE(tag, actor, NULL) AL_ACTOR_INITIALISER(tag)
/* The same with `static void destructor(struct tag *)`, which DELETE and DESTROY run. */
#define AL_ACTOR_WITH_DESTRUCTOR(tag, destructor)                                                  \
    AL_TYPE_WITH_DESTRUCTOR(tag, actor, destructor) AL_ACTOR_INITIALISER(tag)

/* Describe a message type, once per source file that creates such messages. */
#define AL_MESSAGE_INITIALISER(tag)                                                                \
    AL_UNUSED static inline struct tag *al_message_init_##tag(struct tag *message,                 \
                                                              enum al_verdict verdict)             \
    {                                                                                              \
        message->message = (struct al_message){.type = &al_message_type_##tag,                     \
                                               .verdict = verdict};                                \
        return message;                                                                            \
    }
#define AL_MESSAGE(tag) AL_TYPE(tag, message, NULL) AL_MESSAGE_INITIALISER(tag)
#define AL_MESSAGE_WITH_DESTRUCTOR(tag, destructor)                                                \
    AL_TYPE_WITH_DESTRUCTOR(tag, message, destructor) AL_MESSAGE_INITIALISER(tag)

/* Make *pointer an actor of the running system. Storage that DELETE is to free comes from malloc.
 */
#define al_actor_init(tag, pointer) al_actor_init_##tag(pointer, AL_PLACE_ANYWHERE)
/* The same with advice where it is to run. */
#define al_actor_init_at(tag, pointer, placement) al_actor_init_##tag(pointer, placement)
/* Make *pointer an actor that this worker is to run first, if its first message comes from outside. Returns the worker
 * that will: the one asked for, another where the strategy cannot grant that, or AL_ANYONE where it ties no
 * actor to a worker. For an actor made from outside; worker is below al_workers(). */
#define al_actor_init_on(tag, pointer, worker)                                                     \
    al_actor_enter(&(pointer)->actor, &al_actor_type_##tag, AL_PLACE_WORKER, worker)
/* Make *pointer a message with this verdict. */
#define al_message_init(tag, pointer, verdict) al_message_init_##tag(pointer, verdict)

/* Declare a behaviour that is defined further down, so that al_send can be used above it. */
#define AL_BEHAVIOUR_DECLARE(actor_tag, message_tag)                                               \
    static enum al_verdict al_receive_##actor_tag##_##message_tag(struct actor_tag *,              \
                                                                  struct message_tag *);           \
    AL_UNUSED static enum al_verdict al_thunk_##actor_tag##_##message_tag(                         \
        struct al_actor *actor_, struct al_message *message_)                                      \
    {                                                                                              \
        return al_receive_##actor_tag##_##message_tag(AL_DERIVED(actor_, actor_tag, actor),        \
                                                      AL_DERIVED(message_, message_tag, message)); \
    }                                                                                              \
    AL_UNUSED static inline struct actor_tag *al_send_##actor_tag##_##message_tag(                 \
        struct actor_tag *actor_, struct message_tag *message_)                                    \
    {                                                                                              \
        al_post(&actor_->actor, &message_->message, al_thunk_##actor_tag##_##message_tag);         \
        return actor_;                                                                             \
    }

/* Define what an actor does with a message; a body follows that returns the actor's verdict. */
#define AL_BEHAVIOUR_DEFINE(actor_tag, message_tag, self, msg)                                     \
    static enum al_verdict al_receive_##actor_tag##_##message_tag(                                 \
        AL_UNUSED struct actor_tag *self, AL_UNUSED struct message_tag *msg)

#define AL_BEHAVIOUR(actor_tag, message_tag, self, msg)                                            \
    AL_BEHAVIOUR_DECLARE(actor_tag, message_tag)                                                   \
    AL_BEHAVIOUR_DEFINE(actor_tag, message_tag, self, msg)

/*
 * Send; returns the receiver, so that sends cascade in order:
 *     al_send(a, y, al_send(a, x, actor, &first), &second);
 * (The parentheses make an unknown pair an error, not an implicit declaration.)
 */
#define al_send(actor_tag, message_tag, actor, message)                                            \
    (al_send_##actor_tag##_##message_tag)(actor, message)

#endif
