/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/cut.h"

#include "schedulers/custody/deliver.h"

#include <string.h>

/*
 * What to give to a worker that asks. Shards are in the order of their numbers, and neighbours in
 * number are neighbours in creation, which often talk to each other; so what is given is one end of
 * the own ones, that where the thief's are. Where to cut is decided by two things:
 *   - how many of the messages that wait are on each side, and
 *   - how many messages of one side go to the other, since these become dearer: while a request
 *     waits, the worker looks at what its behaviours send, for one quantum.
 * Where little waits and ever less is sent, the work is about to end, and no cut is worth it.
 * If no cut makes the two together much faster than this worker alone, none is made: then the
 * thief is refused.
 *
 * Of a long queue only a part of each chunk is looked at, and only so many chunks: more where
 * messages take much longer than looking, so that what waits for the next stage of a pipeline is
 * seen behind all that waits for the first.
 */

#define SAMPLE        512 /* messages, about */
#define SAMPLE_CHUNKS 64
#define CHUNK_CYCLES  400  /* to reach the next chunk of a queue, in memory */
#define LOOK_PARTS    16   /* more chunks if that takes one part of the time of what they hold */
#define MANY_CHUNKS   4096 /* then at most: a look takes half a millisecond, if all are in memory */
#define GAIN_PARTS    8    /* one part of the time must be gained */
#define DECLINE_PARTS 4    /* what is declining loses one part, or more, in a quantum */
#define CROSSINGS     2    /* of a message that was moved: it comes from others, and leads to one */
#define PART_CYCLES   32   /* for each message of a queue that is parted */
/* A message that crosses the cut is taken to cost one part of what consolidation takes it to cost:
 * that retires workers again if a cut was a mistake, and nothing mends one that is not made. */
#define CROSSING_PARTS 4

void al_custody_observe_begin(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    size_t n = al_custody_of(self)->n_shards;
    memset(mine->cut.crossings, 0, (n + 1) * sizeof *mine->cut.crossings);
    mine->cut.observed = mine->cut.observed_sent = 0;
    mine->cut.observes = true;
}

/* Count messages between the shard with the number `from` and the receivers of what has been sent
 * to this worker itself. A cut before shard p parts those whose numbers are below p from the
 * others; crossings[p] is by how many more messages cross it than the cut before p - 1. */
static void count_crossings(struct al_cut *cut, uintptr_t from, const struct al_envelope *sent,
                            const struct al_envelope *end)
{
    cut->observed_sent += (uint64_t)(end - sent);
    for (; sent < end; sent++) {
        uintptr_t to = sent->actor->route;
        cut->crossings[(from < to ? from : to) + 1]++;
        cut->crossings[(from < to ? to : from) + 1]--;
    }
}

/* Each message is a batch of its own: what its behaviour has sent may be looked at only in the
 * worker's own code, and only if it has not been seized. Else others may have run the receivers,
 * and these may be gone. */
uint64_t al_custody_deliver_observed(struct al_worker *self, const struct al_chunk *chunk,
                                     const struct al_envelope *envelope, uint64_t n,
                                     uint64_t waiting)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_route *own = &mine->routes.own;
    bool seized = false;
    uint64_t i = 0;
    for (; i < n && !seized; i++) {
        uintptr_t from = envelope[i].actor->route; /* it may be gone afterwards */
        const struct al_envelope *sent = own->tail, *limit = own->limit;
        (void)al_custody_deliver(self, mine, chunk, envelope + i, 1, waiting - i, al_deliver);
        seized = al_custody_come_back(self, mine);
        /* If the rest is in another chunk it is not worth following. */
        if (!seized && own->limit == limit)
            count_crossings(&mine->cut, from, sent, own->tail);
    }
    mine->cut.observed += i;
    return i;
}

uint64_t al_custody_sample(struct al_custodian *mine,
                           void (*one)(void *context, const struct al_envelope *envelope),
                           void *context)
{
    bool many = mine->pace.mean16 / 16 * AL_CHUNK_ENVELOPES >= LOOK_PARTS * CHUNK_CYCLES;
    uint32_t n_chunks = many ? MANY_CHUNKS : SAMPLE_CHUNKS;
    n_chunks = mine->n_chunks < n_chunks ? mine->n_chunks : n_chunks;
    ptrdiff_t most = n_chunks < SAMPLE ? SAMPLE / n_chunks : 1;
    mine->last->end = mine->routes.own.tail;
    const struct al_chunk *chunk = mine->first;
    uint64_t waiting = (uint64_t)(mine->n_chunks - n_chunks) * AL_CHUNK_ENVELOPES;
    for (uint32_t i = 0; i < n_chunks; i++, chunk = al_chunk_next(chunk)) {
        const struct al_envelope *e = chunk == mine->first ? mine->read : chunk->envelopes;
        const struct al_envelope *end = chunk->end - e < most ? chunk->end : e + most;
        waiting += (uint64_t)(chunk->end - e);
        for (; e < end; e++) {
            al_prefetch((e + AL_FETCH_AHEAD < end ? e + AL_FETCH_AHEAD : e)->actor);
            one(context, e);
        }
    }
    return waiting;
}

struct tally {
    uint32_t *counts; /* by shard */
    uint64_t total;
};

static void count_shard(void *context, const struct al_envelope *envelope)
{
    struct tally *tally = context;
    tally->counts[envelope->actor->route]++;
    tally->total++;
}

uint64_t al_custody_count_waiting(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct tally tally = {mine->cut.counts, 0};
    /* relaxed: it has been told of each of its own shards by who opened it */
    memset(mine->cut.counts, 0,
           al_u32_load_relaxed(&al_custody_of(self)->n_used) * sizeof *mine->cut.counts);
    mine->cut.waiting = al_custody_sample(mine, count_shard, &tally);
    return tally.total;
}

/* Whether a shard of this owner must not move, for the sake of a split. */
static bool stays(const struct al_custodian *mine, const struct al_shard *shard)
{
    /* relaxed: its own */
    return mine->splitting.n_parents != 0 &&
           (shard->split.derived != NULL || al_u32_load_relaxed(&shard->parent) != 0);
}

/* Whether a message gains more elsewhere than it and what it leads to can cost to get there. */
static bool is_worth_moving(const struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    return mine->pace.mean16 / 16 >= CROSSINGS * al_custody_of(self)->message_cycles;
}

double al_custody_message(const struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    /* The least that short messages have cost: with cold caches all cost more, and those that cross
     * are dear for good. */
    return (double)(is_worth_moving(self) ? mine->pace.mean16 : mine->pace.least16) / 16;
}

/* What a cut must gain, of the time that a sample of so many messages takes alone; in cycles. */
static double least_gain(const struct al_worker *self, double alone, uint64_t total)
{
    const struct al_custodian *mine = self->scheduler;
    double part = alone / GAIN_PARTS;
    if (!is_worth_moving(self))
        return part;
    uint64_t waiting = mine->cut.waiting;
    double move = (double)(al_custody_of(self)->worth_cycles + waiting * PART_CYCLES) *
                  (double)total / (double)waiting;
    return move < part ? move : part;
}

/* How many of those n_cut shards for which nothing waits a worker may give to a thief: so many that
 * it keeps no fewer than the thief will have. Else the work of a lull would decide who has how many
 * afterwards. */
static int64_t empty_to_give(const struct al_worker *self, uint32_t thief, const uint32_t *counts,
                             uint32_t n_cut)
{
    const struct al_custodian *mine = self->scheduler,
                              *theirs = self->system->workers[thief].scheduler;
    /* relaxed: its request published it */
    int64_t n = ((int64_t)mine->n_own - al_u32_load_relaxed(&theirs->had)) / 2;
    for (uint32_t i = 0; i < n_cut; i++)
        n -= counts[i] != 0;
    return n;
}

/* How many messages of a sample may go to this thief. One that has had work of its own until a
 * moment ago will get more, and what it is given now decides who has how much afterwards. So where
 * less waits than it has done lately, it gets no greater part than that of the time that it has
 * been without. */
static uint64_t most_to_give(const struct al_worker *self, uint32_t thief, uint64_t total)
{
    const struct al_custodian *mine = self->scheduler;
    const struct al_lately *lately =
        &((const struct al_custodian *)self->system->workers[thief].scheduler)->lately;
    /* relaxed: its request published them */
    double busy = al_u32_load_relaxed(&lately->busy), idle = al_u32_load_relaxed(&lately->idle);
    if ((double)mine->cut.waiting * al_custody_message(self) >= busy)
        return total;
    return (uint64_t)((double)total * idle / (busy + idle));
}

struct al_shard *al_custody_cut(struct al_worker *self, uint32_t thief, uint64_t total)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    uint32_t n = al_u32_load_relaxed(&custody->n_used), best = n; /* relaxed: as above */
    bool upwards = thief < self->id;
    uint64_t moved = 0;
    double message = al_custody_message(self), alone = (double)total * message;
    /* of one of the observed messages, in all that wait: half for each side */
    double exchange = (double)(custody->message_cycles + custody->chunk_cycles / AL_CHUNK_FEW);
    double crossing = exchange / CROSSING_PARTS / 2 * (double)total /
                      (mine->cut.observed != 0 ? (double)mine->cut.observed : 1);
    double least = alone - least_gain(self, alone, total);
    uint64_t most = most_to_give(self, thief, total);
    /* What waits is little, and the messages of the last quantum have led to fewer. */
    if (mine->cut.observes && alone < (double)custody->worth_cycles &&
        mine->cut.observed_sent < mine->cut.observed - mine->cut.observed / DECLINE_PARTS)
        return NULL;
    for (uint32_t p = 1; p <= n && mine->cut.observes; p++)
        mine->cut.crossings[p] += mine->cut.crossings[p - 1];
    if (!mine->cut.observes)
        crossing = 0; /* messages are so long that it does not matter */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = upwards ? i : n - 1 - i;
        if (best != n && moved + mine->cut.counts[number] > most)
            break;
        moved += mine->cut.counts[number];
        if (moved == 0 || moved == total)
            continue;
        double larger = (double)(moved > total - moved ? moved : total - moved) * message;
        double together = larger + mine->cut.crossings[upwards ? number + 1 : number] * crossing;
        if (together < least) {
            least = together;
            best = i;
        }
    }
    if (best == n)
        return NULL;
    struct al_shard *given = NULL;
    al_custody_flush(self);
    uint32_t first = upwards ? 0 : n - 1 - best;
    int64_t n_empty = empty_to_give(self, thief, mine->cut.counts + first, best + 1);
    for (uint32_t i = 0; i <= best; i++) {
        uint32_t number = upwards ? i : n - 1 - i;
        if (mine->routes.to[number] != &mine->routes.own)
            continue; /* somebody may be opening it */
        if (mine->cut.counts[number] == 0 && n_empty-- <= 0)
            continue;
        struct al_shard *shard = &custody->shards[number];
        if (stays(mine, shard))
            continue;
        given = al_custody_disown(self, shard, thief, given);
        shard->lent_by = 0;
    }
    return given;
}
