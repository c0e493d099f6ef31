/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_DELIVER_H
#define AL_CUSTODY_DELIVER_H

/* How a worker delivers a chunk, whether it watches (cut.c) or not (run.c). */

#include "schedulers/custody/custody.h"

/* Deliver n of the messages that wait in a chunk of the queue, each by `one`, or fewer if one of
 * them floods the queue, or if what waits is seized. Returns how many. waiting: in the chunk, n or
 * more. The same place in the next chunk is fetched meanwhile, since a long queue is in no near
 * cache; so the last few of a chunk are a batch of their own. Owner only. */
static inline __attribute__((always_inline)) uint64_t
al_custody_deliver(struct al_worker *self, struct al_custodian *mine, const struct al_chunk *chunk,
                   const struct al_envelope *envelope, uint64_t n, uint64_t waiting,
                   void (*one)(struct al_worker *self, const struct al_envelope *envelope))
{
    const struct al_envelope *first = envelope, *stop = envelope + n;
    const struct al_chunk *next = chunk == mine->last ? NULL : al_chunk_next(chunk);
    struct al_seizure *seizure = &mine->seizure;
    al_seizure_at(seizure, envelope);
    if (waiting > AL_FETCH_AHEAD) {
        uint64_t n_near = waiting - AL_FETCH_AHEAD;
        const struct al_envelope *end = envelope + (n_near < n ? n_near : n);
        uintptr_t later = next != NULL ? (uintptr_t)next - (uintptr_t)chunk : 0;
        do {
            al_prefetch((const void *)((uintptr_t)envelope + later));
            al_prefetch(envelope[AL_FETCH_AHEAD].actor);
            al_prefetch(envelope[AL_FETCH_AHEAD].message);
            one(self, envelope++);
            if (envelope == stop || !al_seizure_goes_on(seizure, envelope))
                return (uint64_t)(envelope - first);
        } while (envelope < end);
    }
    uintptr_t from_here = next != NULL ? (uintptr_t)next->envelopes - (uintptr_t)envelope : 0;
    do {
        const struct al_envelope *ahead = (const void *)((uintptr_t)envelope + from_here);
        al_prefetch(ahead->actor);
        al_prefetch(ahead->message);
        one(self, envelope++);
    } while (envelope < stop && al_seizure_goes_on(seizure, envelope));
    return (uint64_t)(envelope - first);
}

#endif
