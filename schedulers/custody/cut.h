/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_CUT_H
#define AL_CUSTODY_CUT_H

/* What a worker finds out to answer a request (cut.c). */

#include "schedulers/custody/chunk.h"

struct al_custodian;
struct al_shard;

/* The owner's. */
struct al_cut {
    uint32_t *counts;       /* by shard: messages that wait, in a sample */
    int32_t *crossings;     /* likewise: messages that cross a cut before it, or one shard more */
    uint64_t waiting;       /* messages in all, about */
    uint64_t observed;      /* messages */
    uint64_t observed_sent; /* messages that these have led to, within the worker */
    bool observes;          /* ... the next ones, too */
};

/* Look at a sample of the messages that wait; something does. Returns how many wait, about. Owner
 * only. */
uint64_t al_custody_sample(struct al_custodian *mine,
                           void (*one)(void *context, const struct al_envelope *envelope),
                           void *context);
/* Count such a sample by shard, in `counts`. Returns how many messages it has. Owner only. */
uint64_t al_custody_count_waiting(struct al_worker *self);

/* Begin to watch what messages to which shards the behaviours send, to answer a request. Owner
 * only. */
void al_custody_observe_begin(struct al_worker *self);
/* Deliver n of the messages that wait in a chunk, and watch; else as al_custody_deliver
 * (deliver.h). */
uint64_t al_custody_deliver_observed(struct al_worker *self, const struct al_chunk *chunk,
                                     const struct al_envelope *envelope, uint64_t n,
                                     uint64_t waiting);
/* What a message takes by itself, in cycles. Owner only. */
double al_custody_message(const struct al_worker *self);
/* Choose shards for a thief and disown them; `total` messages have been counted. NULL: it would not
 * be worth it. Owner only. */
struct al_shard *al_custody_cut(struct al_worker *self, uint32_t thief, uint64_t total);

#endif
