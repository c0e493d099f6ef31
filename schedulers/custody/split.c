/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/split.h"

#include "schedulers/custody/custody.h"

/* Parting the actors of a shard; split.h has the protocol. */

#define HOT_PARTS   32 /* whoever gets one part of what waits, or more, is hot */
#define ALONE_PARTS 8  /* with less than one part for the others, nobody is worth being parted */

/* Derive a shard from this one. NULL: there have been enough. */
static struct al_shard *derive(struct al_worker *self, struct al_shard *parent)
{
    struct al_custodian *mine = self->scheduler;
    struct al_shard *derived = al_custody_open(self, true);
    if (derived == NULL)
        return NULL;
    /* relaxed: the routes publish it */
    al_u32_store_relaxed(&derived->parent, parent->number + 1);
    derived->split.next = parent->split.derived;
    parent->split.derived = derived;
    mine->routes.to[derived->number] = &mine->routes.own;
    return derived;
}

/* Give an actor a shard of its own. False: there have been enough. */
static bool part_from(struct al_worker *self, struct al_shard *parent, struct al_actor *actor)
{
    struct al_shard *derived = derive(self, parent);
    if (derived == NULL)
        return false;
    al_expose(actor->route, derived->number);
    return true;
}

/* Every second message that waits for one shard, and so about half of its actors, to another. */
struct halves {
    uint32_t from, to;
    bool second;
};

static void part_second(void *context, const struct al_envelope *envelope)
{
    struct halves *halves = context;
    if (envelope->actor->route != halves->from)
        return;
    if (halves->second)
        al_expose(envelope->actor->route, halves->to);
    halves->second = !halves->second;
}

/* Give about half of the actors that wait, of which there are many, another shard together. False:
 * there have been enough. */
static bool part_half(struct al_worker *self, struct al_shard *parent)
{
    struct al_shard *derived = derive(self, parent);
    if (derived == NULL)
        return false;
    struct halves halves = {.from = parent->number, .to = derived->number};
    al_custody_sample(self->scheduler, part_second, &halves);
    return true;
}

/* Let everybody acknowledge what was parted from this shard. */
static void announce(struct al_worker *self, struct al_shard *parent)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    const struct al_custodian *starter = self->system->workers[self->system->n_workers].scheduler;
    mine->own[parent->position].is_parent = true;
    mine->splitting.n_parents++;
    /* acq_rel: partner is the acquire in al_custody_acknowledge. Without the release a worker could
     * acknowledge and still read an old route. */
    parent->split.number = al_u32_add_acq_rel(&custody->n_splits, 1) + 1;
    al_membarrier(); /* partner: the light fence in al_custody_send_external */
    parent->split.outside = al_u64_load_acquire(&starter->turns); /* acquire: as in agreed */
    al_idle_wake(self->system, AL_EVERYONE);
}

/* Whether all have acknowledged this split. */
static bool agreed(const struct al_worker *self, const struct al_split *split)
{
    const struct al_runtime *system = self->system;
    const struct al_custodian *starter = system->workers[system->n_workers].scheduler;
    /* acquire: partner is the release in al_custody_send_external, publishes its message */
    if ((split->outside & 1) != 0 && al_u64_load_acquire(&starter->turns) == split->outside)
        return false;
    for (uint32_t w = 0; w < system->n_workers; w++) {
        const struct al_custodian *theirs = system->workers[w].scheduler;
        /* acquire: partner is the release in al_custody_acknowledge */
        if ((int32_t)(al_u32_load_acquire(&theirs->acknowledged) - split->number) < 0)
            return false;
    }
    return true;
}

void al_custody_settle(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    for (uint32_t i = 0; i < mine->n_own; i++) {
        struct al_shard *parent = mine->own[i].shard;
        if (!mine->own[i].is_parent || !agreed(self, &parent->split))
            continue;
        (void)al_custody_take_family(self, &mine->own[i]);
        mine->own[i].is_parent = false;
        mine->splitting.n_parents--;
        struct al_shard *derived = parent->split.derived, *next;
        parent->split.derived = NULL;
        for (; derived != NULL; derived = next) {
            next = derived->split.next;
            al_u32_store_relaxed(&derived->parent, 0); /* relaxed: all senders know the new route */
            al_custody_own(mine, derived);
        }
    }
}

/* Actors, and about how many messages wait for each. */
struct hot {
    struct al_actor *actors[AL_SPLIT_MOST];
    uint32_t counts[AL_SPLIT_MOST];
    uint32_t shard;
};

/* Whoever gets more than one part in AL_SPLIT_MOST + 1 of the messages is there in the end. Source:
 * Misra, Gries: Finding repeated elements (Science of Computer Programming 2, 1982). */
static void count_actor(void *context, const struct al_envelope *envelope)
{
    struct hot *hot = context;
    uint32_t unused = AL_SPLIT_MOST;
    if (envelope->actor->route != hot->shard)
        return;
    for (uint32_t i = 0; i < AL_SPLIT_MOST; i++) {
        if (hot->counts[i] != 0 && hot->actors[i] == envelope->actor) {
            hot->counts[i]++;
            return;
        }
        if (hot->counts[i] == 0)
            unused = i;
    }
    if (unused < AL_SPLIT_MOST) {
        hot->actors[unused] = envelope->actor;
        hot->counts[unused] = 1;
        return;
    }
    for (uint32_t i = 0; i < AL_SPLIT_MOST; i++)
        hot->counts[i]--;
}

static bool is_hot(const struct hot *hot, uint32_t i, uint64_t total)
{
    return (uint64_t)hot->counts[i] * HOT_PARTS >= total;
}

/* The shard for which most messages wait, if it is more than half of them and it can be split. */
static struct al_shard *heaviest(struct al_custodian *mine, uint64_t total)
{
    for (uint32_t i = 0; i < mine->n_own; i++) {
        if (2 * (uint64_t)mine->cut.counts[mine->own[i].number] > total)
            return mine->own[i].is_parent ? NULL : mine->own[i].shard;
    }
    return NULL;
}

/* Whether a split is due. It makes each worker hand over a chunk more, and is made when so much has
 * been missed without it that it would have paid: like who rents until he has paid the price, and
 * buys then, this loses at most as much again as a worker that knows what comes. */
static bool is_due(struct al_worker *self, double missed)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_custody *custody = al_custody_of(self);
    mine->splitting.missed += (uint64_t)missed;
    return mine->splitting.missed >=
           custody->worth_cycles + self->system->n_workers * custody->chunk_cycles;
}

void al_custody_split(struct al_worker *self, uint64_t total)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_custody *custody = al_custody_of(self);
    double message = al_custody_message(self);
    if (!custody->splits || message < (double)custody->message_cycles ||
        (double)total * message < (double)custody->worth_cycles)
        return;
    struct al_shard *shard = heaviest(mine, total);
    if (shard == NULL)
        return;
    struct hot hot = {.shard = shard->number};
    al_custody_sample(mine, count_actor, &hot);
    uint32_t hottest = 0;
    for (uint32_t i = 1; i < AL_SPLIT_MOST; i++)
        hottest = hot.counts[i] > hot.counts[hottest] ? i : hottest;
    uint32_t rest = mine->cut.counts[shard->number] - hot.counts[hottest];
    if (rest * ALONE_PARTS < mine->cut.counts[shard->number] || !is_due(self, rest * message))
        return;
    mine->splitting.missed = 0;
    uint32_t parted = 0;
    for (uint32_t i = 0; i < AL_SPLIT_MOST; i++) {
        if (i != hottest && is_hot(&hot, i, total))
            parted += part_from(self, shard, hot.actors[i]);
    }
    if (parted == 0)
        parted += is_hot(&hot, hottest, total) ? part_from(self, shard, hot.actors[hottest])
                                               : part_half(self, shard);
    if (parted != 0)
        announce(self, shard);
}

void al_custody_split_any(struct al_worker *self, bool half)
{
    struct al_custodian *mine = self->scheduler;
    if (al_custody_empty(mine) || (mine->first != mine->last && mine->read == mine->first->end))
        return;
    struct al_actor *actor = mine->read->actor;
    struct al_shard *shard = &al_custody_of(self)->shards[actor->route];
    /* relaxed: its own */
    if (al_u32_load_relaxed(&shard->parent) != 0 || shard->split.derived != NULL)
        return;
    if (half ? part_half(self, shard) : part_from(self, shard, actor))
        announce(self, shard);
}
