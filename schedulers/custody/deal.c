/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/custody.h"

#include <string.h>

/*
 * Dealing: which shard a new actor belongs to.
 *
 * Actors that were created one after the other often talk to each other, and so do the k-th of two
 * types that the starter creates in turn. So the starter's actors are not dealt one by one: until
 * its first message, nobody can know an actor but the starter, and all of them wait. Then the k-th
 * of n actors of a type goes to shard k * shards / n. Each worker has about the same number of each
 * type, neighbours are together, and so are those with the same place in their types.
 *
 * What the starter creates later is dealt in blocks, which grow with the number of actors. What a
 * worker creates stays with it.
 */

#define BLOCK_MOST  1024 /* actors */
#define BLOCK_PARTS 4    /* in what a shard has when the block is dealt */
#define OWN_BLOCK   64   /* actors in a row that a worker gives to one of its own shards */

/* Actors that wait, in the order of their creation, each with the next one as its route. */
struct al_cohort {
    const struct al_actor_type *type; /* of all; NULL: of any, placed on a worker */
    struct al_actor *first, *last;
    uint64_t n;
};

static void append(struct al_cohort *cohort, struct al_actor *actor)
{
    actor->route = 0;
    if (cohort->n++ == 0)
        cohort->first = actor;
    else
        cohort->last->route = (uintptr_t)actor;
    cohort->last = actor;
}

/* The cohort of a type; the last one that was asked for is found at once. */
static struct al_cohort *cohort_of(struct al_nursery *nursery, const struct al_actor_type *type)
{
    uint32_t n = nursery->n_cohorts;
    for (uint32_t i = nursery->latest; i < n + nursery->latest; i++) {
        uint32_t place = i < n ? i : i - n;
        if (nursery->cohorts[place].type == type) {
            nursery->latest = place;
            return &nursery->cohorts[place];
        }
    }
    if (n == nursery->room) {
        uint32_t room = 2 * n + 4;
        struct al_cohort *cohorts = al_calloc(room, sizeof *cohorts);
        if (cohorts == NULL)
            al_out_of_memory("types of actors", room * sizeof *cohorts);
        if (n != 0)
            memcpy(cohorts, nursery->cohorts, n * sizeof *cohorts);
        al_free(nursery->cohorts);
        nursery->cohorts = cohorts;
        nursery->room = room;
    }
    nursery->cohorts[n] = (struct al_cohort){.type = type};
    nursery->latest = n;
    nursery->n_cohorts++;
    return &nursery->cohorts[n];
}

/* Spread a cohort over `width` shards from `shard` on, evenly and in order. */
static void spread(struct al_cohort *cohort, uint32_t shard, uint32_t width)
{
    uint64_t part = 0; /* of the next step to another shard, in n-ths */
    struct al_actor *next;
    for (struct al_actor *actor = cohort->first; actor != NULL; actor = next) {
        next = (struct al_actor *)actor->route;
        actor->route = shard;
        for (part += width; part >= cohort->n; part -= cohort->n)
            shard++;
    }
}

/* Let an actor wait that is to be on a worker, or AL_NO_WORKER for anywhere. */
static void wait(struct al_worker *self, struct al_actor *actor, uint32_t worker)
{
    struct al_nursery *nursery = &al_custody_of(self)->nursery;
    if (worker == AL_NO_WORKER) {
        append(cohort_of(nursery, actor->type), actor);
        return;
    }
    size_t n = self->system->n_workers;
    if (nursery->placed == NULL)
        nursery->placed = al_calloc(n, sizeof *nursery->placed);
    if (nursery->placed == NULL)
        al_out_of_memory("actors placed on workers", n * sizeof *nursery->placed);
    append(&nursery->placed[worker], actor);
}

void al_custody_deal(struct al_worker *starter)
{
    struct al_custody *custody = al_custody_of(starter);
    struct al_custodian *mine = starter->scheduler;
    struct al_nursery *nursery = &custody->nursery;
    for (uint32_t i = 0; i < nursery->n_cohorts; i++) {
        spread(&nursery->cohorts[i], 0, custody->n_shards);
        mine->dealt += nursery->cohorts[i].n;
    }
    for (uint32_t w = 0; nursery->placed != NULL && w < starter->system->n_workers; w++)
        spread(&nursery->placed[w], w * custody->shards_each, custody->shards_each);
    al_custody_nursery_fini(nursery);
    nursery->closed = true;
}

void al_custody_nursery_fini(struct al_nursery *nursery)
{
    al_free(nursery->cohorts);
    al_free(nursery->placed);
    *nursery = (struct al_nursery){0};
}

/* The starter's actors, once it has sent: blocks in turn to all workers, and to each of its shards
 * in turn. So no worker is ahead by more than a block, which is a small part of what it has. */
static uint32_t next_shard(struct al_custody *custody, struct al_custodian *mine)
{
    if (mine->deal_left == 0) {
        uint32_t each = custody->shards_each, n_workers = custody->n_shards / each;
        uint64_t size = mine->dealt / BLOCK_PARTS / custody->n_shards;
        size = size == 0 ? 1 : size < BLOCK_MOST ? size : BLOCK_MOST;
        mine->deal_left = custody->block != 0 ? custody->block : (uint32_t)size;
        mine->deal_next = (uint32_t)(mine->n_blocks % n_workers * each +
                                     mine->n_blocks / n_workers % each);
        mine->n_blocks++;
    }
    mine->deal_left--;
    mine->dealt++;
    return mine->deal_next;
}

/* Another of its shards for the next actors that a worker creates: they stay with it. */
static void begin_own(struct al_custodian *mine)
{
    mine->deal_left = OWN_BLOCK;
    mine->own_next = mine->own_next + 1 < mine->n_own ? mine->own_next + 1 : 0;
    mine->deal_next = mine->own[mine->own_next].shard->number;
}

/* The rest of the operation: actors of the starter, and of a worker that owns nothing. Out of line:
 * rare while workers run. */
static __attribute__((noinline)) uint32_t enter_elsewhere(struct al_worker *self,
                                                          struct al_actor *actor,
                                                          enum al_placement placement,
                                                          uint32_t worker)
{
    struct al_custody *custody = al_custody_of(self);
    struct al_custodian *mine = self->scheduler;
    uint32_t each = custody->shards_each, number;
    if (self->id == self->system->n_workers && !custody->nursery.closed) {
        wait(self, actor, worker);
        if (placement != AL_PLACE_WORKER)
            return AL_NO_WORKER;
        number = worker * each;
    } else {
        number = placement == AL_PLACE_WORKER ? worker * each + mine->placed++ % each
                                              : next_shard(custody, mine);
        actor->route = number;
    }
    /* relaxed: a guess, but for actors from outside: as at the start */
    return al_u32_load_relaxed(&custody->shards[number].owner);
}

uint32_t al_custody_enter(struct al_worker *self, struct al_actor *actor,
                          enum al_placement placement, uint32_t worker)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->n_own == 0 || placement == AL_PLACE_WORKER)
        return enter_elsewhere(self, actor, placement, worker);
    if (mine->deal_left == 0 || mine->routes[mine->deal_next] != &mine->local)
        begin_own(mine);
    mine->deal_left--;
    actor->route = mine->deal_next;
    return self->id;
}
