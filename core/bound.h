/* SPDX-License-Identifier: MIT */
#ifndef AL_BOUND_H
#define AL_BOUND_H

/*
 * A bound on how many messages wait for an actor:
 *
 *     struct store {
 *         struct al_actor actor;
 *         struct al_bound bound;
 *     };
 *     AL_ACTOR(store)
 *     AL_BEHAVIOUR(store, order, self, order) { ... }
 *     AL_BOUNDED(store, order)
 *
 *     al_bound_init(&store->bound, 1000);
 *     if (!al_try_send(store, order, store, order))
 *         ... a thousand wait already, and the order is still ours
 *
 * Whoever is refused decides what that means: to drop the message, to try again later, or to say
 * so. A thread that is no worker may also wait until there is room; when the system is cancelled
 * nobody makes any. What is sent by al_send is neither counted nor refused. So it costs something
 * only where it is used.
 *
 * Invariants
 *   (1) word = messages that have been let in and not been received, + SLEEPER for each thread that
 *       waits for room; the former are never more than `most`
 *   (2) who makes room while there are such threads changes `signals` and wakes one of them, which
 *       tries again before it gives up (tests/models/bound.py looks at every interleaving)
 */

#include <stdbool.h>

#include "core/outside.h"
#include "core/sync/words.h"

struct al_bound {
    struct al_atomic_u64 word;
    struct al_atomic_u32 signals;
    uint32_t most;
};

/* At most so many, 1 or more. Before anybody sends. */
void al_bound_init(struct al_bound *bound, uint32_t most);

/* Behind al_try_send. Let a message in; false: there is no room. Any thread, also in behaviours. */
bool al_bound_enter(struct al_bound *bound);
/* Behind al_system_try_send. The same, but wait for room, for at most so many ns; UINT64_MAX: for
 * as long as it takes. */
bool al_bound_wait(struct al_bound *bound, uint64_t ns);
/* Behind AL_BOUNDED. A message that was let in is received. */
void al_bound_leave(struct al_bound *bound);

/* Behind AL_BEHAVIOUR, for an actor that has a `struct al_bound bound`. */
#define AL_BOUNDED(actor_tag, message_tag)                                                         \
    AL_UNUSED static enum al_verdict al_bounded_##actor_tag##_##message_tag(                       \
        struct al_actor *actor_, struct al_message *message_)                                      \
    {                                                                                              \
        al_bound_leave(&AL_DERIVED(actor_, actor_tag, actor)->bound);                              \
        return al_thunk_##actor_tag##_##message_tag(actor_, message_);                             \
    }                                                                                              \
    AL_UNUSED static inline bool al_try_send_##actor_tag##_##message_tag(                          \
        struct actor_tag *actor_, struct message_tag *message_)                                    \
    {                                                                                              \
        if (!al_bound_enter(&actor_->bound))                                                       \
            return false;                                                                          \
        al_post(AL_EMBEDDED(actor_, actor_tag, actor),                                             \
                AL_EMBEDDED(message_, message_tag, message),                                       \
                al_bounded_##actor_tag##_##message_tag);                                           \
        return true;                                                                               \
    }                                                                                              \
    AL_UNUSED static inline bool al_system_try_send_##actor_tag##_##message_tag(                   \
        struct al_system *system_, struct actor_tag *actor_, struct message_tag *message_,         \
        uint64_t ns_)                                                                              \
    {                                                                                              \
        if (!al_bound_wait(&actor_->bound, ns_))                                                   \
            return false;                                                                          \
        al_system_post(system_, AL_EMBEDDED(actor_, actor_tag, actor),                             \
                       AL_EMBEDDED(message_, message_tag, message),                                \
                       al_bounded_##actor_tag##_##message_tag);                                    \
        return true;                                                                               \
    }

/* Send, if there is room. False: there is none, and the message is still the sender's. Whoever may
 * use al_send. */
#define al_try_send(actor_tag, message_tag, actor, message)                                        \
    (al_try_send_##actor_tag##_##message_tag)(actor, message)
/* Send, if there is room within so many ns (UINT64_MAX: for ever), to an actor that lives. Any
 * thread but those that run behaviours: a worker that waits may be the one that would make room. */
#define al_system_try_send(system, actor_tag, message_tag, actor, message, ns)                     \
    (al_system_try_send_##actor_tag##_##message_tag)(system, actor, message, ns)

#endif
