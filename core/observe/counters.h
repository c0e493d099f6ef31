/* SPDX-License-Identifier: MIT */
#ifndef AL_COUNTERS_H
#define AL_COUNTERS_H

/*
 * What each worker counts. A counter is written by its own worker alone and read after the system
 * has stopped. The average gulp is messages_received / gulps, the average steal messages_stolen /
 * queues_stolen. Source: the statistics of the Cforall actors chapter, section "Safety and
 * Productivity", but for steals, queues_stolen, lock_waits and wake_ups.
 */

#include <stdint.h>

#include "core/config.h"

#define AL_COUNTERS_LIST(X)                                                                        \
    X(messages_sent, "messages sent by this worker")                                               \
    X(messages_received, "messages delivered by this worker")                                      \
    X(gulps, "batches taken from a mailbox")                                                       \
    X(missed_gulps, "mailboxes skipped because another worker was processing them")                \
    X(steal_attempts, "attempts to steal")                                                         \
    X(steals_no_candidate, "attempts without a victim, a queue to take, or one to give")           \
    X(steals_lost_swap, "attempts that lost the swap to another thief")                            \
    X(steals, "attempts that took something")                                                      \
    X(queues_stolen, "queues stolen: mailboxes of the strategy inverted, else actors")             \
    X(messages_stolen, "messages in the stolen queues at that moment")                             \
    X(lock_waits, "locks that another worker held when this one wanted them")                      \
    X(wake_ups, "sleeping workers that this worker woke")

struct al_counters {
#define AL_COUNTER_FIELD(name, help) uint64_t name;
    AL_COUNTERS_LIST(AL_COUNTER_FIELD)
#undef AL_COUNTER_FIELD
};

/* Add n to a counter of the calling worker; compiles to nothing in a build without counters. */
#if AL_COUNTERS
#define AL_COUNT(worker, counter, n) ((worker)->counters.counter += (n))
#else
#define AL_COUNT(worker, counter, n) ((void)sizeof((worker)->counters.counter += (n)))
#endif

#endif
