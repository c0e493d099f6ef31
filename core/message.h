/* SPDX-License-Identifier: MIT */
#ifndef AL_MESSAGE_H
#define AL_MESSAGE_H

/*
 * Actors, messages, and a send: what is inlined into every program. In C and C++, so it knows of a
 * worker only where a few fields are (core/worker.h has them all).
 */

#include <stddef.h>
#include <stdint.h>

#include "core/checks.h"
#include "core/config.h"
#include "core/envelope.h"
#include "core/sync/guess.h"
#include "core/sync/self.h"
#include "core/sync/words.h"

/* Stores an envelope for the receiver: the operation `send` of a strategy. */
typedef void al_sender(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                       al_behaviour *behaviour);

/* The largest struct that al_new allocates, bytes. */
#define AL_OBJECT_MOST 512

struct al_actor_type {
    const char *name;
    size_t offset;                      /* of the embedded al_actor in the type's struct, bytes */
    void (*destroy)(struct al_actor *); /* the type's destructor, then its base's; or NULL */
    const struct al_actor_type *base;   /* or NULL */
    al_behaviour *pill;                 /* the type's own behaviour for pills, or NULL */
    size_t recycled;                    /* bytes, if its storage is from al_new; else 0 */
};

struct al_message_type {
    const char *name;
    size_t offset, size; /* of the struct that embeds the al_message, bytes */
    void (*destroy)(struct al_message *);
    size_t recycled;
};

struct al_actor {
    const struct al_actor_type *type;
    union { /* the strategy's: where this actor's messages go */
        void *home;
        uintptr_t route; /* for strategies that set worker->routes: the place in there */
    };
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

/*
 * Room for envelopes that a worker fills by itself, without a call of `send`: a send writes the
 * envelope to *tail and advances tail, as long as tail < limit. All of it belongs to the sending
 * worker; the fields are plain, so nobody else may look at them or at the room behind tail. It is
 * the strategy that hands the envelopes over: in `send`, which is called when there is no room, and
 * in `run`, at the latest before the worker asks al_worker_done. Whoever hands them over wakes the
 * receiver (al_idle_wake). The external worker has no `run`, so that nobody would hand over its
 * last envelopes: it has no routes.
 */
struct al_route {
    struct al_envelope *tail, *limit;
};

/* The routes of a worker. None of `to` is NULL; one without room has tail == limit. Those that most
 * sends take had better point to `own`: a send guesses that, which saves time where it is right. */
struct al_routes {
    struct al_route own;
#ifndef __cplusplus /* which knows no such members */
    struct al_route *to[];
#endif
};

/* Where the fields of a worker are that a program uses inline, bytes (core/worker.h asserts it). */
enum al_worker_place {
    AL_WORKER_SEND = 0,
    AL_WORKER_ROUTES = sizeof(void *),
    AL_WORKER_ID = 5 * sizeof(void *) + sizeof(uint64_t),
    AL_WORKER_SENT = 2 * AL_CACHE_LINE_BYTES + 5 * sizeof(uint64_t), /* the counter */
};
#define AL_WORKER_FIELD(type, worker, place) ((type *)(void *)((char *)(worker) + (place)))

/* Make *message one of that type, with this verdict. Behind al_message_init. */
static inline void al_message_begin(struct al_message *message, const struct al_message_type *type,
                                    enum al_verdict verdict)
{
    message->type = type;
    message->verdict = verdict;
    AL_CHECK_MESSAGE_BEGIN(message);
}

/* Change the verdict of a message. Before it is sent, or inside a behaviour that receives it
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

/* Enter an actor into the system: counts it and gives it a home. Behind al_actor_init; worker is
 * AL_NO_WORKER but for AL_PLACE_WORKER. Returns what al_actor_init_on does. */
uint32_t al_actor_enter(struct al_actor *actor, const struct al_actor_type *type,
                        enum al_placement placement, uint32_t worker);

/* The same, with the advice that it will mostly talk to that other actor. Behind
 * al_actor_init_near. */
void al_actor_enter_near(struct al_actor *actor, const struct al_actor_type *type,
                         struct al_actor *other);

/* How many workers the running system of this thread has. */
uint32_t al_workers(void);

/* The number of the worker that runs the calling behaviour. */
static inline uint32_t al_worker_number(void)
{
    return *AL_WORKER_FIELD(uint32_t, al_self(), AL_WORKER_ID);
}

/* Send without types; behind al_send. */
static inline void al_post(struct al_actor *actor, struct al_message *message,
                           al_behaviour *behaviour)
{
    struct al_worker *self = al_self();
    AL_CHECK_SEND(self, actor, message);
#if AL_COUNTERS
    ++*AL_WORKER_FIELD(uint64_t, self, AL_WORKER_SENT);
#endif
    struct al_routes *routes = *AL_WORKER_FIELD(struct al_routes *, self, AL_WORKER_ROUTES);
    if (__builtin_expect(routes != NULL, 1)) {
        /* A guess, or each message to oneself waits for the one before it to be read. */
        struct al_route **to = (struct al_route **)(routes + 1); /* routes->to */
        struct al_route *route = (struct al_route *)al_guess(
            (uintptr_t)to[al_glimpse(actor->route)], (uintptr_t)&routes->own);
        struct al_envelope *tail = route->tail;
        if (tail < route->limit) {
            tail->actor = actor;
            tail->message = message;
            tail->behaviour = behaviour;
            al_expose(route->tail, tail + 1); /* last: a tenth faster on Zen 3 */
            return;
        }
    }
    (*AL_WORKER_FIELD(al_sender *, self, AL_WORKER_SEND))(self, actor, message, behaviour);
}

/*
 * Poison pills: an actor that receives one is deleted, destroyed or finished, after all messages
 * that were sent to it before. Anyone may send them to any actor, any number of times.
 */
struct al_pill {
    struct al_message message;
    enum al_verdict verdict; /* on the actor; the message itself is nobody's */
};

extern struct al_pill al_delete_msg, al_destroy_msg, al_finished_msg;

/* The behaviour of every actor for a pill: that of its type, or else of the nearest base that has
 * one, or else the pill's verdict. */
al_behaviour al_receive_pill;

static inline struct al_actor *al_send_pill(struct al_actor *actor, struct al_pill *pill)
{
    al_post(actor, &pill->message, al_receive_pill);
    return actor;
}

#endif
