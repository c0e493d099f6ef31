/* SPDX-License-Identifier: MIT */
#ifndef AL_ACTOR_H
#define AL_ACTOR_H

/*
 * Everything that a workload includes from the runtime.
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
 * struct they are. AL_ACTOR and AL_MESSAGE come before the behaviours that use the type. al_send of
 * a message that the actor has no behaviour for does not compile.
 *
 * A derived type embeds a struct of its base type, again anywhere:
 *
 *     struct meter { uint64_t most; struct counter counter; };
 *     AL_ACTOR_DERIVED(meter, counter, counter)
 *     AL_INHERIT(meter, counter, add)
 *
 *     AL_PILL_BEHAVIOUR(meter, self, pill)
 *     {
 *         report(self->most);
 *         return pill->verdict;
 *     }
 *
 *     al_send(meter, add, al_actor_init(meter, m), a);
 *     al_send_pill(&m->counter.actor, &al_finished_msg);
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

#include "core/message.h"
#include "core/system.h"
#ifdef AL_LIBRARY
void *al_object_allocate(size_t bytes); /* al_object_new, out of line */
void *al_object_try(size_t bytes);
#define AL_OBJECT_NEW al_object_allocate
#else
#include "core/memory/object.h"
#define AL_OBJECT_NEW al_object_new
#endif

#define AL_UNUSED __attribute__((unused))
/* In a cache line that nobody writes to. */
#define AL_ALONE __attribute__((aligned(AL_CACHE_LINE_BYTES)))
/* A function that runs before main, or when the shared object is loaded. */
#define AL_BEFORE_MAIN(name) __attribute__((constructor)) static void name(void)

#define AL_RECYCLED_FIELD(tag, field)                                                              \
    AL_UNUSED static inline size_t *al_recycled_##tag(void)                                        \
    {                                                                                              \
        return &al_##field##_type_##tag.recycled;                                                  \
    }

/* From the struct that a behaviour sees to the al_actor or al_message in it, and back. */
#define AL_EMBEDDED(pointer, tag, field)                                                           \
    ((struct al_##field *)(void *)((char *)(pointer) + al_##field##_offset_##tag))
#define AL_DERIVED(pointer, tag, field)                                                            \
    ((struct tag *)(void *)((char *)(pointer)-al_##field##_offset_##tag))

#define AL_OFFSET(tag, field, bytes) enum { al_##field##_offset_##tag = (bytes) };
#define AL_OWN_OFFSET(tag, field)    AL_OFFSET(tag, field, offsetof(struct tag, field))
#define AL_DERIVED_OFFSET(tag, field, base, path)                                                  \
    AL_OFFSET(tag, field, offsetof(struct tag, path) + al_##field##_offset_##base)

/* The base's struct in a derived one; does not compile if that is of another type. */
#define AL_UPCAST(tag, base, path)                                                                 \
    AL_UNUSED static inline struct base *al_base_of_##tag(struct tag *derived)                     \
    {                                                                                              \
        return &derived->path;                                                                     \
    }

/* What DELETE and DESTROY run: nothing, a destructor, the base's, or both in order. */
#define AL_DESTROY_BEGIN(tag, field)                                                               \
    AL_UNUSED static void al_destroy_##tag(AL_UNUSED struct al_##field *embedded)
#define AL_DESTRUCTOR_NONE(tag, field)                                                             \
    AL_DESTROY_BEGIN(tag, field)                                                                   \
    {                                                                                              \
    }
#define AL_DESTRUCTOR(tag, field, destructor)                                                      \
    static void destructor(struct tag *);                                                          \
    AL_DESTROY_BEGIN(tag, field)                                                                   \
    {                                                                                              \
        destructor(AL_DERIVED(embedded, tag, field));                                              \
    }
#define AL_DESTRUCTOR_INHERITED(tag, field, base)                                                  \
    AL_DESTROY_BEGIN(tag, field)                                                                   \
    {                                                                                              \
        al_destroy_##base(embedded);                                                               \
    }
#define AL_DESTRUCTOR_DERIVED(tag, field, base, destructor)                                        \
    static void destructor(struct tag *);                                                          \
    AL_DESTROY_BEGIN(tag, field)                                                                   \
    {                                                                                              \
        destructor(AL_DERIVED(embedded, tag, field));                                              \
        al_destroy_##base(embedded);                                                               \
    }

/* No constant: AL_PILL_BEHAVIOUR and AL_RECYCLE complete it before main begins. */
#define AL_ACTOR_TYPE(tag, destructor, base_type)                                                  \
    AL_UNUSED AL_ALONE static struct al_actor_type al_actor_type_##tag = {                         \
        #tag, al_actor_offset_##tag, destructor, base_type, NULL, 0};                              \
    AL_RECYCLED_FIELD(tag, actor)                                                                  \
    AL_UNUSED static inline uint32_t al_actor_enter_##tag(                                         \
        struct tag *actor, enum al_placement placement, uint32_t worker)                           \
    {                                                                                              \
        return al_actor_enter(AL_EMBEDDED(actor, tag, actor), &al_actor_type_##tag, placement,     \
                              worker);                                                             \
    }                                                                                              \
    AL_UNUSED static inline struct tag *al_actor_init_##tag(struct tag *actor,                     \
                                                            enum al_placement placement)           \
    {                                                                                              \
        al_actor_enter_##tag(actor, placement, AL_NO_WORKER);                                      \
        return actor;                                                                              \
    }                                                                                              \
    AL_UNUSED static inline struct tag *al_actor_init_near_##tag(struct tag *actor,                \
                                                                 struct al_actor *other)           \
    {                                                                                              \
        al_actor_enter_near(AL_EMBEDDED(actor, tag, actor), &al_actor_type_##tag, other);          \
        return actor;                                                                              \
    }

#define AL_MESSAGE_TYPE(tag, destructor)                                                           \
    AL_UNUSED AL_ALONE static struct al_message_type al_message_type_##tag = {                     \
        #tag, al_message_offset_##tag, sizeof(struct tag), destructor, 0};                         \
    AL_RECYCLED_FIELD(tag, message)                                                                \
    AL_UNUSED static inline struct tag *al_message_of_##tag(struct al_message *message)            \
    {                                                                                              \
        return message != NULL ? AL_DERIVED(message, tag, message) : NULL;                         \
    }                                                                                              \
    AL_UNUSED static inline struct tag *al_message_init_##tag(struct tag *message,                 \
                                                              enum al_verdict verdict)             \
    {                                                                                              \
        al_message_begin(AL_EMBEDDED(message, tag, message), &al_message_type_##tag, verdict);     \
        return message;                                                                            \
    }

/*
 * Describe an actor type, once per source file that creates such actors or defines behaviours of
 * them. DELETE and DESTROY run `static void destructor(struct tag *)`, and after a derived type's
 * that of its base, and so on.
 */
#define AL_ACTOR(tag)                                                                              \
    AL_OWN_OFFSET(tag, actor)                                                                      \
    AL_DESTRUCTOR_NONE(tag, actor)                                                                 \
    AL_ACTOR_TYPE(tag, NULL, NULL)
#define AL_ACTOR_WITH_DESTRUCTOR(tag, destructor)                                                  \
    AL_OWN_OFFSET(tag, actor)                                                                      \
    AL_DESTRUCTOR(tag, actor, destructor)                                                          \
    AL_ACTOR_TYPE(tag, al_destroy_##tag, NULL)

/* The same for a type whose field `path` is a struct of the actor type `base`. */
#define AL_ACTOR_DERIVED(tag, base, path)                                                          \
    AL_DERIVED_OFFSET(tag, actor, base, path)                                                      \
    AL_UPCAST(tag, base, path)                                                                     \
    AL_DESTRUCTOR_INHERITED(tag, actor, base)                                                      \
    AL_ACTOR_TYPE(tag, al_destroy_##tag, &al_actor_type_##base)
#define AL_ACTOR_DERIVED_WITH_DESTRUCTOR(tag, base, path, destructor)                              \
    AL_DERIVED_OFFSET(tag, actor, base, path)                                                      \
    AL_UPCAST(tag, base, path)                                                                     \
    AL_DESTRUCTOR_DERIVED(tag, actor, base, destructor)                                            \
    AL_ACTOR_TYPE(tag, al_destroy_##tag, &al_actor_type_##base)

/* Describe a message type, likewise. A behaviour for the base receives a derived message, too:
 *     al_send(counter, base, c, &derived->path) */
#define AL_MESSAGE(tag)                                                                            \
    AL_OWN_OFFSET(tag, message) AL_DESTRUCTOR_NONE(tag, message) AL_MESSAGE_TYPE(tag, NULL)
#define AL_MESSAGE_WITH_DESTRUCTOR(tag, destructor)                                                \
    AL_OWN_OFFSET(tag, message)                                                                    \
    AL_DESTRUCTOR(tag, message, destructor)                                                        \
    AL_MESSAGE_TYPE(tag, al_destroy_##tag)
#define AL_MESSAGE_DERIVED(tag, base, path)                                                        \
    AL_DERIVED_OFFSET(tag, message, base, path)                                                    \
    AL_UPCAST(tag, base, path)                                                                     \
    AL_DESTRUCTOR_INHERITED(tag, message, base)                                                    \
    AL_MESSAGE_TYPE(tag, al_destroy_##tag)
#define AL_MESSAGE_DERIVED_WITH_DESTRUCTOR(tag, base, path, destructor)                            \
    AL_DERIVED_OFFSET(tag, message, base, path)                                                    \
    AL_UPCAST(tag, base, path)                                                                     \
    AL_DESTRUCTOR_DERIVED(tag, message, base, destructor)                                          \
    AL_MESSAGE_TYPE(tag, al_destroy_##tag)

/*
 * Behind AL_ACTOR or AL_MESSAGE: storage of this type that DELETE is to free comes from al_new,
 * which allocates an uninitialised struct from the worker's free list, and ends the program if
 * there is no memory, or from al_try_new, which then returns NULL. For types that come and go
 * often, of at most AL_OBJECT_MOST bytes. What is not deleted is freed when the system stops.
 */
#define AL_RECYCLE(tag)                                                                            \
    static_assert(sizeof(struct tag) <= AL_OBJECT_MOST, #tag " is too large to be recycled");      \
    enum { al_recycles_##tag = 1 };                                                                \
    AL_BEFORE_MAIN(al_recycle_##tag)                                                               \
    {                                                                                              \
        *al_recycled_##tag() = sizeof(struct tag);                                                 \
    }
#define al_new(tag)     ((struct tag *)AL_OBJECT_NEW(sizeof(struct tag) * al_recycles_##tag))
#define al_try_new(tag) ((struct tag *)al_object_try(sizeof(struct tag) * al_recycles_##tag))

/* Make *pointer an actor of the running system. Storage that DELETE is to free comes from malloc,
 * unless AL_RECYCLE says otherwise. */
#define al_actor_init(tag, pointer) al_actor_init_##tag(pointer, AL_PLACE_ANYWHERE)
/* The same with advice on where it is to run. */
#define al_actor_init_at(tag, pointer, placement) al_actor_init_##tag(pointer, placement)
/* The same with the advice that it will mostly talk to another one, a struct al_actor * that lives.
 * A strategy that keeps actors together may run the two on the same worker. */
#define al_actor_init_near(tag, pointer, other) al_actor_init_near_##tag(pointer, other)
/* Make *pointer an actor that this worker is to run first, if its first message comes from outside.
 * Returns the worker that will: the one asked for, another where the strategy cannot grant that, or
 * AL_NO_WORKER where it ties no actor to a worker. For an actor made from outside; worker is below
 * al_workers(). */
#define al_actor_init_on(tag, pointer, worker)                                                     \
    al_actor_enter_##tag(pointer, AL_PLACE_WORKER, worker)
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
        al_post(AL_EMBEDDED(actor_, actor_tag, actor),                                             \
                AL_EMBEDDED(message_, message_tag, message),                                       \
                al_thunk_##actor_tag##_##message_tag);                                             \
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
 * Let a derived actor type receive a message as its base does, which may have inherited the
 * behaviour itself. A derived type that differs has an AL_BEHAVIOUR of its own instead. The type
 * in the send decides: a message that is sent to &derived->path as to a base is received by the
 * base's behaviour.
 */
#define AL_INHERIT(actor_tag, base_tag, message_tag)                                               \
    AL_UNUSED static inline struct actor_tag *al_send_##actor_tag##_##message_tag(                 \
        struct actor_tag *actor_, struct message_tag *message_)                                    \
    {                                                                                              \
        (al_send_##base_tag##_##message_tag)(al_base_of_##actor_tag(actor_), message_);            \
        return actor_;                                                                             \
    }

/*
 * Send; returns the receiver, so that sends cascade in order:
 *     al_send(a, y, al_send(a, x, actor, &first), &second);
 * (The parentheses make an unknown pair an error, not an implicit declaration.)
 */
#define al_send(actor_tag, message_tag, actor, message)                                            \
    (al_send_##actor_tag##_##message_tag)(actor, message)

AL_OWN_OFFSET(al_pill, message)

/*
 * Define what actors of a type, and of those derived from it, do with a pill; a body follows that
 * returns the actor's verdict: pill->verdict is what the pill asks for. In the source file of the
 * AL_ACTOR that creates them.
 */
#define AL_PILL_BEHAVIOUR(actor_tag, self, pill)                                                   \
    AL_BEHAVIOUR_DECLARE(actor_tag, al_pill)                                                       \
    AL_BEFORE_MAIN(al_pill_of_##actor_tag)                                                         \
    {                                                                                              \
        al_actor_type_##actor_tag.pill = al_thunk_##actor_tag##_al_pill;                           \
    }                                                                                              \
    AL_BEHAVIOUR_DEFINE(actor_tag, al_pill, self, pill)

#endif
