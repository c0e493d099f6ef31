/* SPDX-License-Identifier: MIT */
#ifndef AL_ENVELOPE_H
#define AL_ENVELOPE_H

#include <stdint.h>

struct al_actor;
struct al_message;
struct al_worker;

/* What becomes of an actor or a message once a behaviour has returned (the chapter's "allocation").
 */
enum al_verdict {
    AL_NODELETE, /* nothing: it goes on being used */
    AL_DELETE,   /* run the destructor of its type, then free its storage */
    AL_DESTROY,  /* run the destructor of its type, keep the storage */
    AL_FINISHED, /* actor: has terminated, storage and destructor are its owner's; message: nothing
                  */
};

/* Where an actor is to run: advice of the workload, which a strategy may not know. */
enum al_placement {
    AL_PLACE_ANYWHERE,
    AL_PLACE_HUB,      /* long-lived, with many children it talks to: far from other hubs */
    AL_PLACE_DETACHED, /* blocks or computes for long: on a thread of its own */
    AL_PLACE_SPREAD,   /* busy by itself: apart from the others that its creator makes */
    AL_PLACE_WORKER,   /* on the worker that is named with it */
};

/* Values in place of a worker's number. The last three are for al_idle_wake: whom to wake. */
#define AL_NO_WORKER   UINT32_MAX
#define AL_ANYONE      (UINT32_MAX - 1) /* one worker of those in use, whichever */
#define AL_ANY_SLEEPER (UINT32_MAX - 2) /* likewise, or one that has retired */
#define AL_EVERYONE    (UINT32_MAX - 3)

typedef enum al_verdict al_behaviour(struct al_actor *actor, struct al_message *message);

/* A unit of work, from a send to its delivery. One message may be in any number of envelopes. */
struct al_envelope {
    struct al_actor *actor;
    struct al_message *message;
    al_behaviour *behaviour;
};

#endif
