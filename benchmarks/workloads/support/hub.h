/* SPDX-License-Identifier: MIT */
#ifndef AL_HUB_H
#define AL_HUB_H

/*
 * Common parts of workloads in which one actor, the hub, serves or directs many others: the first
 * message, the farewell, and counting down to the last message.
 */

#include "benchmarks/workloads/benchmark.h"

/* The first message of an actor. One object may be on the queues of all actors at once. */
struct al_go {
    struct al_message message;
};

/* The last message of a worker to its hub. One object serves all workers. */
struct al_done {
    struct al_message message;
};

AL_MESSAGE(al_go)
AL_MESSAGE(al_done)

/* For an actor that knows how many messages are left to receive: it ends with the last. */
static inline enum al_verdict al_count_down(uint64_t *left)
{
    return --*left == 0 ? AL_FINISHED : AL_NODELETE;
}

/* A hub that ends when all its workers have said farewell. Derive the workload's own from it
 * (AL_ACTOR_DERIVED) and inherit its behaviour for al_done (AL_INHERIT). */
struct al_hub {
    struct al_actor actor;
    uint64_t working; /* workers that have not said farewell */
};

AL_ACTOR(al_hub)

AL_BEHAVIOUR(al_hub, al_done, self, msg)
{
    return al_count_down(&self->working);
}

/*
 * A hub and `actors` clients. Each client asks the hub `requests` times, one request at a time,
 * each request is answered, and then the client says farewell. Read-only while the actors run.
 */
struct al_service {
    struct al_go go;
    struct al_done done;
    uint64_t actors, requests, seed;
};

/* One to the hub; to each client one to begin with and the answers; from each the requests and a
 * farewell. */
static inline uint64_t al_service_messages(const struct al_service *service)
{
    return 1 + service->actors * (2 * service->requests + 2);
}

/* The random choices of a client; seeded again to check its answers. */
static inline void al_service_seed(const struct al_service *service, uint64_t client,
                                   struct al_random *random)
{
    al_random_seed(random, service->seed, client);
}

/* Prepare the messages that all clients share. */
static inline void al_service_init(struct al_service *service)
{
    al_message_init(al_go, &service->go, AL_NODELETE);
    al_message_init(al_done, &service->done, AL_NODELETE);
}

#endif
