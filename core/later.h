/* SPDX-License-Identifier: MIT */
#ifndef AL_LATER_H
#define AL_LATER_H

/* Messages that a behaviour sends later. */

#include "core/actor.h"

/* Monotonic time in nanoseconds. */
uint64_t al_clock_ns(void);

/* Send without types, at a time or after so many ns; behind al_send_at and al_send_after. */
void al_post_at(struct al_actor *actor, struct al_message *message, al_behaviour *behaviour,
                uint64_t due);
void al_post_after(struct al_actor *actor, struct al_message *message, al_behaviour *behaviour,
                   uint64_t ns);

/*
 * In a behaviour: send a message when al_clock_ns() is `due`, or in `ns` nanoseconds (36 years at
 * most). The worker that runs the behaviour now will send it, between two of those that it runs
 * then. So it is late by as much as these take (64 of them if they suddenly take longer than
 * before) or by the time that a worker takes to wake up. Until then the receiver must not end, and
 * the message not change. The order among timers is that of their times, and of two with the same
 * time that in which they were asked for.
 */
#define al_send_at(actor_tag, message_tag, receiver, sent, due)                                    \
    al_post_at(AL_EMBEDDED(receiver, actor_tag, actor), AL_EMBEDDED(sent, message_tag, message),   \
               al_thunk_##actor_tag##_##message_tag, due)
#define al_send_after(actor_tag, message_tag, receiver, sent, ns)                                  \
    al_post_after(AL_EMBEDDED(receiver, actor_tag, actor),                                         \
                  AL_EMBEDDED(sent, message_tag, message), al_thunk_##actor_tag##_##message_tag,   \
                  ns)

/* What al_latency_now() was, or will be, when al_clock_ns() is `ns`: for the latency of a message
 * since it was due. In a behaviour, soon after that time. Reads both clocks. */
uint64_t al_latency_at(uint64_t ns);

#endif
