/* SPDX-License-Identifier: MIT */
#ifndef AL_ACTOR_H
#define AL_ACTOR_H

/*
 * The interface of core/actor.h over the ring of ring.h, for the files of benchmarks/workloads that
 * meson.build compiles a second time with this header in place of that one: it has the guards of
 * core/actor.h, core/later.h and core/observe/histogram.h, and the compiler reads it first
 * (-include). So the work is the workloads' own, down to the check of the answer, and what is left
 * out is a runtime: here a send writes an envelope into the ring, and nothing is counted, locked or
 * looked up.
 *
 * It has what the message workloads use of that interface. There are no types at run time and no
 * destructors, the embedded struct comes first, and latencies are not recorded. There are no timers
 * either, so peer.c refuses a rate.
 */

#define AL_HISTOGRAM_H
#define AL_LATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "benchmarks/peers/ring/ring.h"
#include "core/error.h"
#include "core/option.h"
#include "core/report.h"
#include "core/sync/sync.h"

/* The bytes are those of the struct that embeds it, which a verdict of AL_DELETE frees. */
struct al_actor {
    uint32_t bytes;
};

struct al_message {
    uint32_t bytes;
    enum al_verdict verdict;
};

struct al_pill {
    struct al_message message;
    enum al_verdict verdict;
};

extern struct al_pill al_finished_msg;

al_behaviour al_receive_pill;

#define AL_UNUSED __attribute__((unused))

#define AL_ACTOR(tag) _Static_assert(offsetof(struct tag, actor) == 0, "the actor comes first");
#define AL_MESSAGE(tag)                                                                            \
    _Static_assert(offsetof(struct tag, message) == 0, "the message comes first");

/* A struct from the free lists, which a verdict of AL_DELETE gives back. */
static inline void *al_peer_ring_new(size_t bytes)
{
    void *memory = al_peer_ring_take(bytes);
    if (memory == NULL)
        al_out_of_memory("an actor or a message", bytes);
    return memory;
}

#define AL_RECYCLE(tag) enum { al_recycles_##tag = 1 };
#define al_new(tag)     ((struct tag *)al_peer_ring_new(sizeof(struct tag) * al_recycles_##tag))

#define al_actor_init(tag, pointer)                                                                \
    ({                                                                                             \
        struct tag *al_actor_ = (pointer);                                                         \
        al_actor_->actor.bytes = sizeof *al_actor_;                                                \
        al_actor_;                                                                                 \
    })
#define al_actor_init_at(tag, pointer, placement) al_actor_init(tag, pointer)
#define al_actor_init_on(tag, pointer, worker)                                                     \
    ((void)(worker), (void)al_actor_init(tag, pointer), AL_NO_WORKER)

#define al_message_init(tag, pointer, the_verdict)                                                 \
    ({                                                                                             \
        struct tag *al_message_ = (pointer);                                                       \
        al_message_->message = (struct al_message){sizeof *al_message_, the_verdict};              \
        al_message_;                                                                               \
    })

#define AL_BEHAVIOUR_DECLARE(actor_tag, message_tag)                                               \
    static enum al_verdict al_receive_##actor_tag##_##message_tag(struct actor_tag *,              \
                                                                  struct message_tag *);           \
    AL_UNUSED static enum al_verdict al_thunk_##actor_tag##_##message_tag(                         \
        struct al_actor *actor_, struct al_message *message_)                                      \
    {                                                                                              \
        return al_receive_##actor_tag##_##message_tag((struct actor_tag *)actor_,                  \
                                                      (struct message_tag *)message_);             \
    }                                                                                              \
    AL_UNUSED static inline struct actor_tag *al_send_##actor_tag##_##message_tag(                 \
        struct actor_tag *actor_, struct message_tag *message_)                                    \
    {                                                                                              \
        al_peer_ring_put(&actor_->actor, &message_->message,                                       \
                         al_thunk_##actor_tag##_##message_tag);                                    \
        return actor_;                                                                             \
    }

#define AL_BEHAVIOUR_DEFINE(actor_tag, message_tag, self, msg)                                     \
    static enum al_verdict al_receive_##actor_tag##_##message_tag(                                 \
        AL_UNUSED struct actor_tag *self, AL_UNUSED struct message_tag *msg)

#define AL_BEHAVIOUR(actor_tag, message_tag, self, msg)                                            \
    AL_BEHAVIOUR_DECLARE(actor_tag, message_tag)                                                   \
    AL_BEHAVIOUR_DEFINE(actor_tag, message_tag, self, msg)

#define al_send(actor_tag, message_tag, actor, message)                                            \
    (al_send_##actor_tag##_##message_tag)(actor, message)

#define al_send_at(actor_tag, message_tag, actor, message, due)                                    \
    ((void)(due), (void)al_send(actor_tag, message_tag, actor, message))

static inline void al_send_pill(struct al_actor *actor, struct al_pill *pill)
{
    al_peer_ring_put(actor, &pill->message, al_receive_pill);
}

/* Delivers everything; then the word has at least that value, or never will. */
void al_await(const struct al_atomic_u64 *word, uint64_t least);

static inline uint32_t al_workers(void)
{
    return 1;
}

static inline uint32_t al_worker_number(void)
{
    return 0;
}

static inline uint64_t al_latency_now(void)
{
    return 0;
}

static inline uint64_t al_latency_at(uint64_t ns)
{
    (void)ns;
    return 0;
}

static inline void al_latency_record(uint64_t since)
{
    (void)since;
}

#endif
