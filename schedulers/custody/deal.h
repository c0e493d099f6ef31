/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_DEAL_H
#define AL_CUSTODY_DEAL_H

/* Which shard a new actor gets (deal.c). */

#include "core/plugin/scheduler.h"

struct al_cohort;
struct al_input;
struct al_shard;

/* Actors that wait to be dealt (deal.c): in cohorts by type; those placed on a worker by worker.
 * The starter's. */
struct al_nursery {
    struct al_cohort *cohorts, *placed; /* or NULL */
    uint32_t n_cohorts, room, latest;
    bool closed; /* actors wait no more */
};

/* What a worker, or the starter, keeps about the actors that it creates. Its own. */
struct al_dealing {
    uint32_t next, left;                /* the shard that the next new actors get; how many do */
    uint32_t own_next;                  /* the place of that among its own */
    uint32_t n_opened, opened_room;     /* shards; inputs of such */
    uint32_t next_reserved, n_reserved; /* numbers of those that it will open next */
    struct al_input *opened;            /* these; or NULL. The starter has some, too */
    uint64_t dealt, n_blocks;           /* actors, their blocks */
    uint64_t placed, apart; /* actors placed on a worker; those to be apart from others */
};

/* The operation `enter`. */
uint32_t al_custody_enter(struct al_worker *self, struct al_actor *actor,
                          enum al_placement placement, uint32_t worker);
/* The operation `enter_near`. */
void al_custody_enter_near(struct al_worker *self, struct al_actor *actor, struct al_actor *other);
/* Deal the actors that wait; before the first message. Starter only. */
void al_custody_deal(struct al_worker *starter);
/* Open another shard, which is this worker's, but not yet in its list: for actors that it creates,
 * or that it parts from others. NULL: there have been enough. Owner only. */
struct al_shard *al_custody_open(struct al_worker *self, bool parts);
/* Release what the nursery holds. Starter only. */
void al_custody_nursery_fini(struct al_nursery *nursery);

#endif
