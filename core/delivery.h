/* SPDX-License-Identifier: MIT */
#ifndef AL_DELIVERY_H
#define AL_DELIVERY_H

#include "core/actor.h"

/* Apply a verdict that is not AL_NODELETE. Owner only; behind al_deliver. */
void al_actor_terminate(struct al_worker *self, struct al_actor *actor, enum al_verdict verdict);
void al_message_dispose(struct al_worker *self, struct al_message *message);

/*
 * Deliver one message: run the behaviour, then apply the verdicts, the message's first (it may be
 * part of the actor). Owner only, who counts messages_received once for all that it delivers in a row.
 */
static inline void al_deliver(struct al_worker *self, struct al_actor *actor,
                              struct al_message *message, al_behaviour *behaviour)
{
    if (!AL_CHECK_RECEIVE(self, actor))
        return;
    enum al_verdict verdict = behaviour(actor, message);
    if (message->verdict != AL_NODELETE)
        al_message_dispose(self, message);
    if (verdict != AL_NODELETE)
        al_actor_terminate(self, actor, verdict);
}

#endif
