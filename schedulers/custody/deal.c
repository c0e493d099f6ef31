/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/deal.h"

#include <string.h>

#include "schedulers/custody/custody.h"

/*
 * Dealing: which shard a new actor belongs to.
 *
 * Actors that were created one after the other often talk to each other, and so do the k-th of two
 * types that the starter creates in turn. So the starter's actors are not dealt one by one: until
 * its first message, nobody can know an actor but the starter, and all of them wait. Then the k-th
 * of n actors of a type goes to shard k * shards / n. Each worker has about the same number of each
 * type, neighbours are together, and so are those with the same place in their types; but types of
 * few actors go to different shards of the same workers, unless they have equally many.
 *
 * What the starter creates later is dealt in blocks, which grow with the number of actors. What a
 * worker creates stays with it, the first ones each in a shard of its own: if their messages turn
 * out to be long, others can take them one by one.
 */

#define BLOCK_MOST  1024 /* actors */
#define BLOCK_PARTS 4    /* in what a shard has when the block is dealt */
/* Actors in a row that a worker gives to one of its own shards: so many at most, and one part of
 * what it has created. */
#define OWN_BLOCK_MOST  64
#define OWN_BLOCK_PARTS 256

/* Actors that wait, in the order of their creation, each with the next one as its route; those that
 * are to be near another one behind it. */
struct al_cohort {
    const struct al_actor_type *type; /* of all; NULL: of any, placed on a worker */
    struct al_actor *first, *last;    /* last: or one of those behind it */
    uint64_t n;                       /* without those that are to be near others */
};

#define NEAR ((uintptr_t)1) /* added to the route that leads to an actor near this one */

static struct al_actor *next_of(const struct al_actor *actor)
{
    return (struct al_actor *)(actor->route & ~NEAR);
}

static void append(struct al_cohort *cohort, struct al_actor *actor)
{
    actor->route = 0;
    if (cohort->n++ == 0) {
        cohort->first = actor;
    } else {
        while (next_of(cohort->last) != NULL)
            cohort->last = next_of(cohort->last);
        cohort->last->route |= (uintptr_t)actor;
    }
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

/* Spread a cohort over `width` shards from `shard` on, evenly and in order; but of the `each`
 * shards of a worker take that which is so many turns further on. */
static void spread(struct al_cohort *cohort, uint32_t shard, uint32_t width, uint32_t each,
                   uint32_t turns)
{
    uint64_t part = 0; /* of the next step to another shard, in n-ths */
    struct al_actor *next;
    for (struct al_actor *actor = cohort->first; actor != NULL; actor = next) {
        bool near = (actor->route & NEAR) != 0;
        next = next_of(actor);
        actor->route = shard - shard % each + (shard + turns) % each;
        if (near)
            continue;
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

/* Reserve the numbers of n shards below `end`, so many that nobody has used. Returns the first, or
 * `end` if there are not so many. */
static uint32_t reserve(struct al_custody *custody, uint32_t n, uint32_t end)
{
    /* relaxed: whoever must know a shard gets a message to it, or the shard itself */
    uint32_t number = al_u32_load_relaxed(&custody->n_used);
    do
        if (number + n > end)
            return end;
    while (!al_u32_cas_acq_rel(&custody->n_used, &number, number + n)); /* no order needed */
    return number;
}

/* Have room for the inputs of n more shards. Returns for how many there is: n or 0. */
static uint32_t make_room(struct al_custodian *mine, uint32_t n)
{
    if (mine->deal.opened == NULL && n != 0)
        mine->deal.opened = al_aligned_alloc(2 * AL_CACHE_LINE_BYTES,
                                             al_custody_inputs(n) * sizeof *mine->deal.opened);
    mine->deal.opened_room = mine->deal.opened != NULL ? n : 0;
    return mine->deal.opened_room;
}

/* Deal those placed on worker w to n new shards, and give these to it. False: there are none. */
static bool spread_wider(struct al_worker *starter, struct al_cohort *placed, uint32_t w,
                         uint32_t n)
{
    struct al_custody *custody = al_custody_of(starter);
    struct al_custodian *mine = starter->scheduler;
    uint32_t first = reserve(custody, n, custody->n_entered);
    if (first == custody->n_entered)
        return false;
    spread(placed, first, n, 1, 0);
    struct al_shard *given = NULL;
    for (uint32_t number = first + n; number-- > first;) {
        struct al_shard *shard = al_custody_make(custody, number,
                                                 &mine->deal.opened[mine->deal.n_opened++], w);
        shard->next = given;
        given = shard;
    }
    al_custody_donate(starter, given, w);
    return true;
}

/* Deal those that are placed on workers. If they are on few, each of these gets more shards, by how
 * many of the actors it has. So whoever has all the work can give part of it to many. */
static void deal_placed(struct al_worker *starter)
{
    struct al_custody *custody = al_custody_of(starter);
    struct al_custodian *mine = starter->scheduler;
    struct al_cohort *placed = custody->nursery.placed;
    uint32_t n_workers = starter->system->n_workers, each = custody->shards_each;
    uint64_t n = 0;
    for (uint32_t w = 0; w < n_workers; w++)
        n += placed[w].n;
    uint32_t n_more = custody->n_entered - custody->n_dealt;
    n_more = make_room(mine, n_more < custody->n_dealt ? n_more : custody->n_dealt);
    for (uint32_t w = 0; w < n_workers; w++) {
        uint32_t part = al_custody_round((uint32_t)(n_more * placed[w].n / n));
        if (part <= each || !spread_wider(starter, &placed[w], w, part))
            spread(&placed[w], w * each, each, 1, 0);
    }
}

/* Where a type has fewer actors than there are shards, how many turns it is from those before it of
 * which there are other numbers: the k-th of them do not belong together, and an actor that shares
 * no shard waits for nobody's behaviour. */
static uint32_t turns_of(const struct al_nursery *nursery, uint32_t type, uint32_t n_shards)
{
    const struct al_cohort *cohorts = nursery->cohorts;
    uint32_t turns = 0;
    for (uint32_t i = 0; i < type && cohorts[i].n != cohorts[type].n; i++) {
        uint32_t k = 0; /* the first of as many */
        while (cohorts[k].n != cohorts[i].n)
            k++;
        turns += k == i && cohorts[i].n < n_shards;
    }
    return cohorts[type].n < n_shards ? turns : 0;
}

void al_custody_deal(struct al_worker *starter)
{
    struct al_custody *custody = al_custody_of(starter);
    struct al_custodian *mine = starter->scheduler;
    struct al_nursery *nursery = &custody->nursery;
    for (uint32_t i = 0; i < nursery->n_cohorts; i++) {
        spread(&nursery->cohorts[i], 0, custody->n_dealt, custody->shards_each,
               turns_of(nursery, i, custody->n_dealt));
        mine->deal.dealt += nursery->cohorts[i].n;
    }
    if (nursery->placed != NULL)
        deal_placed(starter);
    al_custody_nursery_fini(nursery);
    nursery->closed = true;
    al_custody_look_begin(starter->system);
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
    if (mine->deal.left == 0) {
        uint32_t each = custody->shards_each, n_workers = custody->n_dealt / each;
        uint64_t size = mine->deal.dealt / BLOCK_PARTS / custody->n_dealt;
        size = size == 0 ? 1 : size < BLOCK_MOST ? size : BLOCK_MOST;
        mine->deal.left = custody->block != 0 ? custody->block : (uint32_t)size;
        mine->deal.next = (uint32_t)(mine->deal.n_blocks % n_workers * each +
                                     mine->deal.n_blocks / n_workers % each);
        mine->deal.n_blocks++;
    }
    mine->deal.left--;
    mine->deal.dealt++;
    return mine->deal.next;
}

/* Reserve numbers for shards that a worker will open: as many as it has opened already, so that
 * workers which all begin to create actors seldom meet here. False: there are none. */
static bool reserve_some(struct al_custody *custody, struct al_custodian *mine, uint32_t most,
                         uint32_t end)
{
    uint32_t n = mine->deal.n_opened != 0 ? mine->deal.n_opened : 1,
             left = most - mine->deal.n_opened;
    uint32_t first;
    n = n < left ? n : left;
    while ((first = reserve(custody, n, end)) == end) {
        n /= 2;
        if (n == 0)
            return false;
    }
    mine->deal.next_reserved = first;
    mine->deal.n_reserved = n;
    for (uint32_t i = 0; i < n; i++)
        custody->shards[first + i].input = NULL; /* not opened yet */
    return true;
}

struct al_shard *al_custody_open(struct al_worker *self, bool parts)
{
    struct al_custody *custody = al_custody_of(self);
    struct al_custodian *mine = self->scheduler;
    uint32_t most = parts ? AL_OPENED_MOST + AL_PARTED_MOST : AL_OPENED_MOST;
    if (mine->deal.n_opened >= most || make_room(mine, AL_OPENED_MOST + AL_PARTED_MOST) == 0)
        return NULL;
    if (mine->deal.n_reserved == 0 &&
        !reserve_some(custody, mine, most, parts ? custody->n_shards : custody->n_entered))
        return NULL;
    mine->deal.n_reserved--;
    return al_custody_make(custody, mine->deal.next_reserved++,
                           &mine->deal.opened[mine->deal.n_opened++], self->id);
}

/* Another of its shards for the next actors that a worker creates: they stay with it. The first
 * ones get shards of their own, so that a thief finds something to take. */
static void begin_own(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t block = mine->deal.dealt / OWN_BLOCK_PARTS + 1;
    mine->deal.left = block < OWN_BLOCK_MOST ? (uint32_t)block : OWN_BLOCK_MOST;
    mine->deal.dealt += mine->deal.left;
    struct al_shard *opened = al_custody_open(self, false);
    if (opened != NULL)
        al_custody_own(mine, opened);
    mine->deal.own_next = opened != NULL                          ? mine->n_own - 1
                          : mine->deal.own_next + 1 < mine->n_own ? mine->deal.own_next + 1
                                                                  : 0;
    mine->deal.next = mine->own[mine->deal.own_next].shard->number;
}

/* One of all shards, of another worker and another shard each time. */
static uint32_t next_apart(const struct al_worker *self)
{
    const struct al_custody *custody = al_custody_of(self);
    struct al_custodian *mine = self->scheduler;
    uint32_t n_workers = self->system->n_workers, each = custody->shards_each;
    uint64_t turn = mine->deal.apart++;
    return (uint32_t)((self->id + 1 + turn) % n_workers * each + turn / n_workers % each);
}

/* The rest of the operation: actors of the starter, those to be elsewhere, and those of a worker
 * that owns nothing. Out of line: rare while workers run. */
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
        number = placement == AL_PLACE_WORKER   ? worker * each + mine->deal.placed++ % each
                 : placement == AL_PLACE_SPREAD ? next_apart(self)
                                                : next_shard(custody, mine);
        actor->route = number;
    }
    /* relaxed: a guess, but for actors from outside: as at the start */
    return al_u32_load_relaxed(&custody->shards[number].owner);
}

/* Let an actor enter where this worker's next ones do. */
static inline uint32_t enter_next(struct al_worker *self, struct al_actor *actor)
{
    struct al_custodian *mine = self->scheduler;
    mine->deal.left--;
    actor->route = mine->deal.next;
    return self->id;
}

/* The first one of a block. Out of line, so that the others need no registers for it. */
static __attribute__((noinline)) uint32_t enter_first(struct al_worker *self,
                                                      struct al_actor *actor)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_envelope *at = al_custody_interrupt(self, mine);
    begin_own(self);
    al_custody_go_on(mine, at);
    return enter_next(self, actor);
}

uint32_t al_custody_enter(struct al_worker *self, struct al_actor *actor,
                          enum al_placement placement, uint32_t worker)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->n_own == 0 || placement == AL_PLACE_SPREAD || placement == AL_PLACE_WORKER)
        return enter_elsewhere(self, actor, placement, worker);
    if (mine->deal.left == 0 || mine->routes.to[mine->deal.next] != &mine->routes.own)
        return enter_first(self, actor);
    return enter_next(self, actor);
}

void al_custody_enter_near(struct al_worker *self, struct al_actor *actor, struct al_actor *other)
{
    struct al_custody *custody = al_custody_of(self);
    actor->route = al_glimpse(other->route); /* its owner may split that one's shard */
    if (self->id == self->system->n_workers && !custody->nursery.closed)
        other->route = (uintptr_t)actor | NEAR;
}
