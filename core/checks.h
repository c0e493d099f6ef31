/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECKS_H
#define AL_CHECKS_H

/*
 * The safety features of the checks build (-Dchecks=true), after the section "Safety and
 * Productivity" of the Cforall actors chapter. In other builds every macro here is empty.
 *
 * A mistake in the program ends it with one line. What may be intended, such as freeing a message
 * that was never sent, is a warning. al_system_stop reports messages that were never received.
 */

#include <stdbool.h>

#include "core/config.h"
#include "core/sync/words.h"

struct al_actor;
struct al_actor_type;
struct al_message;
struct al_system;
struct al_worker;

#if AL_CHECKS

struct al_actor_checks {
    struct al_atomic_u32 state;   /* enum actor_state in checks.c */
    struct al_atomic_u32 pending; /* messages sent to the actor and not yet delivered */
    /* Derived from the actor's address while it lives, so that neither a copy of an actor nor
     * uninitialised storage looks alive. Not atomic: the virtual engine logs what atomics read, and
     * uninitialised storage differs from run to run. */
    uintptr_t life;
};

/* Unlikely values for uninitialised storage: any other value means that al_message_init was not
 * called. */
enum al_message_state { AL_MESSAGE_UNSENT = 0x5e4d0a1e, AL_MESSAGE_SENT, AL_MESSAGE_TERMINATED };

struct al_message_checks {
    struct al_atomic_u32 state; /* enum al_message_state */
};

/* A constant message counts as sent from the start, so that no send writes to it. */
#define AL_CHECKS_CONSTANT .checks = {.state = {AL_MESSAGE_SENT}}

void al_check_enter(struct al_worker *self, struct al_actor *actor,
                    const struct al_actor_type *type);
void al_check_near(const struct al_actor *actor, const struct al_actor *other);
void al_check_send(struct al_worker *self, struct al_actor *actor, struct al_message *message);
void al_check_message_begin(struct al_message *message);
void al_check_message_fini(struct al_message *message);
/* False if the actor has terminated; the message is then counted as never received. */
bool al_check_receive(struct al_worker *self, struct al_actor *actor);
void al_check_terminated(struct al_actor *actor);
void al_check_message_terminated(struct al_message *message);
/*
 * Free the storage of a deleted actor or message (actor is NULL then) later: it stays readable for
 * a while, so that a send to it is recognised.
 */
void al_quarantine_add(struct al_worker *self, void *storage, struct al_actor *actor);
/* Empty all quarantines, and report and return the number of messages that were never received.
 * Call it after the threads have ended. */
uint64_t al_check_stop(struct al_system *system);

#define AL_CHECK_ENTER(self, actor, type)    al_check_enter(self, actor, type)
#define AL_CHECK_NEAR(actor, other)          al_check_near(actor, other)
#define AL_CHECK_SEND(self, actor, message)  al_check_send(self, actor, message)
#define AL_CHECK_MESSAGE_BEGIN(message)      al_check_message_begin(message)
#define AL_CHECK_MESSAGE_FINI(message)       al_check_message_fini(message)
#define AL_CHECK_RECEIVE(self, actor)        al_check_receive(self, actor)
#define AL_CHECK_TERMINATED(actor)           al_check_terminated(actor)
#define AL_CHECK_MESSAGE_TERMINATED(message) al_check_message_terminated(message)
#define AL_CHECK_FREE(self, storage, actor)  al_quarantine_add(self, storage, actor)
#define AL_CHECK_STOP(system)                al_check_stop(system)

#else

#define AL_CHECKS_CONSTANT

#define AL_CHECK_ENTER(self, actor, type)    ((void)0)
#define AL_CHECK_NEAR(actor, other)          ((void)0)
#define AL_CHECK_SEND(self, actor, message)  ((void)0)
#define AL_CHECK_MESSAGE_BEGIN(message)      ((void)(message))
#define AL_CHECK_MESSAGE_FINI(message)       ((void)(message))
#define AL_CHECK_RECEIVE(self, actor)        true
#define AL_CHECK_TERMINATED(actor)           ((void)0)
#define AL_CHECK_MESSAGE_TERMINATED(message) ((void)0)
#define AL_CHECK_FREE(self, storage, actor)  al_free(storage)
#define AL_CHECK_STOP(system)                ((void)(system), 0)

#endif

#endif
