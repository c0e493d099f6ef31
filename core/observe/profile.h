/* SPDX-License-Identifier: MIT */
#ifndef AL_PROFILE_H
#define AL_PROFILE_H

/*
 * What the actors and messages of a workload look like, whatever strategy runs them. The scheduler
 * al_profiler (schedulers/profiler.c) looks at each message and fills this in; all others and core
 * know nothing of it, so it costs them nothing.
 */

#include "core/observe/histogram.h"

/* The most distinct senders of an actor that are told apart: 512 ln 512. */
#define AL_PROFILE_SENDERS 3194

struct al_profile {
    struct al_histogram work;     /* cycles of each delivery, sends and creations left out */
    struct al_histogram fan_out;  /* messages sent by each behaviour */
    struct al_histogram bytes;    /* of each message */
    struct al_histogram received; /* messages of each actor that received any */
    struct al_histogram senders;  /* distinct senders of each of these */
    uint64_t senders_of_messages; /* the sum over all messages: distinct senders of the receiver */
    uint64_t sent_inside;         /* messages sent by behaviours */
    uint64_t local;               /* those of them that stayed on the sender's worker */
    uint64_t created_inside;      /* actors created by behaviours */
    uint64_t most_actors;         /* that lived at once */
};

#endif
