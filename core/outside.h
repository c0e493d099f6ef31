/* SPDX-License-Identifier: MIT */
#ifndef AL_OUTSIDE_H
#define AL_OUTSIDE_H

/*
 * Threads of a program that are no workers. They send to actors, and take from a port what actors
 * have put there:
 *
 *     struct question { struct al_message message; struct al_port *asker; int answer; };
 *     AL_MESSAGE_WITH_DESTRUCTOR(question, answered)
 *
 *     static void answered(struct question *question)    // the behaviour has returned
 *     {
 *         al_port_put(question->asker, &question->message);
 *     }
 *
 *     al_message_init(question, &question, AL_DESTROY);
 *     al_system_send(system, oracle, question, oracle, &question);
 *     if (al_port_wait(port, 1000000000))
 *         use(al_port_take_as(question, port)->answer);
 *
 * The destructor is the moment from which on nobody but the asker touches the question. A behaviour
 * that cannot answer yet sets its verdict to AL_NODELETE, keeps it, and puts it to the port later.
 */

#include "core/actor.h"

/*
 * Send to an actor that lives, from any thread. The system's configuration is `shared`, which it is
 * after al_system_open. What a thread sends to an actor arrives in the order in which it was sent.
 * Takes a lock, as then do the sends of the thread that opened the system; in behaviours, which may
 * use al_send as well, it takes none.
 */
void al_system_post(struct al_system *system, struct al_actor *actor, struct al_message *message,
                    al_behaviour *behaviour);
#define al_system_send(system, actor_tag, message_tag, receiver, sent)                             \
    al_system_post(system, AL_EMBEDDED(receiver, actor_tag, actor),                                \
                   AL_EMBEDDED(sent, message_tag, message), al_thunk_##actor_tag##_##message_tag)

/* Messages for a thread that is no worker, in the order in which they were put. All functions below
 * may be called by any thread, also in behaviours, unless it says otherwise. */
struct al_port;

/* 0, or -ENOMEM with a line in error. Free it by al_port_close. */
__attribute__((warn_unused_result)) int al_port_open(struct al_port **port, struct al_error *error);
/* When nobody uses it any more. What was not taken is still its sender's. */
void al_port_close(struct al_port *port);

/* Put a message there; it is whoever's takes it. One that a behaviour is receiving is better put by
 * its destructor: the runtime reads its verdict when the behaviour has returned, so until then
 * nobody may free it, or change that. 0 or -ENOMEM. */
int al_port_put(struct al_port *port, struct al_message *message);
/* The oldest message, or NULL. */
struct al_message *al_port_take(struct al_port *port);
/* The same as a struct of the type that all messages of this port have. */
#define al_port_take_as(message_tag, port) al_message_of_##message_tag(al_port_take(port))
/* Wait for a message for at most so many ns. Whether there is one. Not in a behaviour, which would
 * hold up its worker. */
bool al_port_wait(struct al_port *port, uint64_t ns);
/* A descriptor that can be read while there are messages, for poll and its like; the port reads and
 * closes it. Or a negative errno. */
int al_port_descriptor(struct al_port *port);

#endif
