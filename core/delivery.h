/* SPDX-License-Identifier: MIT */
#ifndef AL_DELIVERY_H
#define AL_DELIVERY_H

#include "core/actor.h"
#include "core/worker.h"

/* Apply a verdict that is not AL_NODELETE. Owner only; behind al_deliver. */
void al_actor_terminate(struct al_worker *self, struct al_actor *actor, enum al_verdict verdict);
void al_message_dispose(struct al_worker *self, struct al_message *message);

/*
 * Deliver one message: run the behaviour, then apply the verdicts, the message's first (it may be
 * part of the actor). The envelope outlives the call. Owner only, who counts messages_received once
 * for all that it delivers in a row.
 */
static inline void al_deliver(struct al_worker *self, const struct al_envelope *envelope)
{
    /* Read from the envelope again after the behaviour: loads are cheaper than saved registers. */
    if (!AL_CHECK_RECEIVE(self, envelope->actor))
        return;
    enum al_verdict verdict = envelope->behaviour(envelope->actor, envelope->message);
    if (envelope->message->verdict != AL_NODELETE)
        al_message_dispose(self, envelope->message);
    if (verdict != AL_NODELETE)
        al_actor_terminate(self, envelope->actor, verdict);
}

#endif
