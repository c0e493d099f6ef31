/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_SPLIT_H
#define AL_CUSTODY_SPLIT_H

/*
 * Splitting: the owner O of a shard S gives hot actors of it shards of their own, or, if none is
 * hot, half of them another shard together, so that thieves can take them. A new shard D is derived
 * from S, its parent, until everybody who sends has acknowledged the split.
 *
 * O stores the actor's new route between two messages. A sender reads the route before each
 * message, and has an outbox for each shard, so of two messages to the actor the earlier may travel
 * by S, and the later by D. Therefore
 *
 *     senders   hand over the outbox of a parent before that of a shard derived from it; and
 *               acknowledge: a worker hands over all its outboxes and stores the number of the last
 *               split that it has seen. The starter hands over each message at once; O waits until
 *               it has seen it between two messages since a membarrier
 *     O         takes in derived shards before their parent, and appends what came by the parent
 *               first; gives neither away (they stay together if they are seized); and once all
 *               have acknowledged, takes in both once more, and then owns D like any other shard
 *
 * tests/models/split.py looks at every interleaving, and shows what goes wrong without each step.
 *
 * Invariants
 *   (1) a shard with `parent` is among the `derived` of that one, and is not in its owner's list;
 *       its owner is its parent's, whose route to it is its own queue
 *   (2) what a sender that has acknowledged sends to the actors of D travels by D
 *
 * Memory order: the release of the route (al_expose) publishes D to whoever reads it (al_glimpse).
 * The acknowledgement's release publishes what was handed over before it, to O's acquire. Without
 * it O could miss messages in S, and later ones would overtake them.
 */

#include "core/plugin/scheduler.h"

/* Actors of one shard that are parted from it at once: at most. */
#define AL_SPLIT_MOST 16

struct al_shard;

/* What a shard has to do with splits. */
struct al_split {
    struct al_shard *derived; /* that wait for acknowledgements; or NULL */
    struct al_shard *next;    /* derived from the same one */
    uint64_t outside;         /* of a parent: the starter's turns, after the split */
    uint32_t number;          /* likewise: of the split, which is to be acknowledged */
};

/* What an owner keeps about splits. Its own. */
struct al_splitting {
    uint32_t n_parents; /* shards from which others are derived */
    uint64_t missed;    /* cycles: what a split would have spared since it last gave something */
};

/* Part the actors of a shard, if most of what waits is for that one; `total` messages have been
 * counted. Owner only. */
void al_custody_split(struct al_worker *self, uint64_t total);
/* For tests: part the actor that gets the next message, or half of its shard. Owner only. */
void al_custody_split_any(struct al_worker *self, bool half);
/* Own those derived shards that all have acknowledged like others. Owner only. */
void al_custody_settle(struct al_worker *self);

#endif
