/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/custody.h"

/*
 * Sending. al_post writes the envelope itself as long as the route has room (core/worker.h), so
 * what is here runs once for a chunk: it finds a chunk to go on with, and hands over a full one.
 */

/* Shards whose inputs a worker looks at while it has other work, in turn. */
#define TAKE_MOST 32

/* Wake whoever owns the shard. After a message has become visible. Any thread. */
static void wake_owner(struct al_runtime *system, const struct al_shard *shard)
{
    if (system->wake == NULL)
        return;
    /* Partner: the fence of the idle policy between the announcement of a sleep and its last look.
     * Without it this could read an owner from before the message was visible: one that has given
     * the shard to a worker which then saw no message, and sleeps. */
    al_fence_wake(system);
    al_idle_wake(system, al_u32_load_relaxed(&shard->owner)); /* relaxed: the fence orders it */
}

/* One more chunk of n messages. */
static void count_chunk(struct al_traffic *traffic, uint64_t n)
{
    /* relaxed: counts with one writer, of which others take samples */
    al_u64_store_relaxed(&traffic->messages, al_u64_load_relaxed(&traffic->messages) + n);
    al_u64_store_relaxed(&traffic->chunks, al_u64_load_relaxed(&traffic->chunks) + 1);
}

void al_custody_hand_over(struct al_worker *self, uint32_t number, struct al_chunk *chunk)
{
    struct al_shard *shard = &al_custody_of(self)->shards[number];
    /* If there was a chunk already, whoever added that one wakes the owner. */
    if (al_arrivals_add(&shard->input->arrivals, chunk))
        wake_owner(self->system, shard);
}

/* Hand over what the outbox of a shard holds. */
static void publish(struct al_worker *self, uint32_t number);

/* The outbox of a shard's parent comes before its own. Out of line: rare. */
static __attribute__((noinline)) void publish_parent(struct al_worker *self, uint32_t number)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->outboxes[number].limit == NULL)
        return;
    uint32_t i = 0;
    while (mine->filled[i] != number)
        i++;
    mine->filled[i] = mine->filled[--mine->n_filled];
    publish(self, number);
}

static void publish(struct al_worker *self, uint32_t number)
{
    struct al_custodian *mine = self->scheduler;
    struct al_shard *shard = &al_custody_of(self)->shards[number];
    uint32_t parent = al_u32_load_relaxed(&shard->parent); /* relaxed: known before its route */
    if (__builtin_expect(parent != 0, 0))
        publish_parent(self, parent - 1);
    struct al_route *outbox = &mine->outboxes[number];
    struct al_chunk *chunk = al_chunk_of(outbox->limit);
    uint64_t n = (uint64_t)(outbox->tail - chunk->envelopes);
    chunk->end = outbox->tail;
    outbox->tail = outbox->limit = NULL;
    al_custody_hand_over(self, number, chunk);
    /* relaxed: a guess */
    if (mine->traffic != NULL) {
        count_chunk(&mine->traffic[al_u32_load_relaxed(&shard->owner)], n);
        count_chunk(&mine->sent, n);
    }
}

void al_custody_flush(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    while (mine->n_filled != 0) {
        uint32_t number = mine->filled[--mine->n_filled];
        publish(self, number);
    }
}

static void begin_chunk(struct al_worker *self, struct al_route *route)
{
    struct al_custodian *mine = self->scheduler;
    struct al_chunk *chunk = al_chunk_new(&mine->pool);
    route->tail = chunk->envelopes;
    route->limit = al_chunk_limit(chunk);
}

void al_custody_begin(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    begin_chunk(self, &mine->routes.own);
    mine->first = mine->last = al_chunk_of(mine->routes.own.limit);
    mine->read = mine->routes.own.tail;
    mine->n_chunks = 1;
}

/* Go on with another chunk at the end of the queue. */
static void extend(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_chunk *full = mine->last;
    full->end = mine->routes.own.tail;
    begin_chunk(self, &mine->routes.own);
    mine->last = al_chunk_of(mine->routes.own.limit);
    mine->last_but_one = full;
    al_chunk_link(full, mine->last);
    if (__builtin_expect(++mine->n_chunks >= mine->flood.at, 0))
        al_seizure_end_batch(&mine->seizure);
}

void al_custody_keep(struct al_worker *self, struct al_envelope envelope)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->routes.own.tail == mine->routes.own.limit)
        extend(self);
    *mine->routes.own.tail++ = envelope;
}

/* Go on at the end of these chunks, which the last one of the queue leads to. */
static void append(struct al_custodian *mine, struct al_parcel parcel)
{
    for (struct al_chunk *chunk = parcel.first;; chunk = al_chunk_next(chunk)) {
        mine->n_chunks++;
        if (chunk == parcel.last)
            break;
        mine->last_but_one = chunk;
    }
    mine->last = parcel.last;
    mine->routes.own.tail = parcel.last->end;
    mine->routes.own.limit = al_chunk_limit(parcel.last);
}

void al_custody_link(struct al_custodian *mine, struct al_parcel parcel)
{
    if (parcel.first == NULL)
        return;
    mine->last->end = mine->routes.own.tail;
    al_chunk_link(mine->last, parcel.first);
    mine->last_but_one = mine->last;
    append(mine, parcel);
}

void al_custody_append(struct al_worker *self, struct al_parcel parcel)
{
    struct al_custodian *mine = self->scheduler;
    if (parcel.first == NULL || !al_custody_empty(mine)) {
        al_custody_link(mine, parcel);
        return;
    }
    al_pool_give(&mine->pool, mine->last);
    mine->first = parcel.first;
    mine->read = parcel.first->envelopes;
    mine->n_chunks = 0;
    append(mine, parcel);
}

void al_custody_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                     al_behaviour *behaviour)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_envelope *at = al_custody_interrupt(self, mine);
    uint32_t number = (uint32_t)al_glimpse(actor->route);
    struct al_route *route = mine->routes.to[number];
    if (route->tail < route->limit) {
        ; /* now there is room */
    } else if (route == &mine->routes.own) {
        extend(self);
    } else {
        if (route->limit != NULL)
            publish(self, number);
        else
            mine->filled[mine->n_filled++] = number;
        begin_chunk(self, route);
    }
    *route->tail++ = (struct al_envelope){actor, message, behaviour};
    al_custody_go_on(mine, at);
}

void al_custody_send_external(struct al_worker *self, struct al_actor *actor,
                              struct al_message *message, al_behaviour *behaviour)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    if (__builtin_expect(!custody->nursery.closed, 0))
        al_custody_deal(self);
    uint64_t turns = al_u64_load_relaxed(&mine->turns); /* its own */
    if (custody->splits) {
        /* release: who has waited for the send before to end may read this instead of its end */
        al_u64_store_release(&mine->turns, turns + 1);
        al_fence_light(); /* partner: the membarrier in announce */
    }
    uint32_t number = (uint32_t)al_glimpse(actor->route);
    al_post_add(&custody->shards[number].input->post, &mine->writers[number], &mine->pool,
                (struct al_envelope){actor, message, behaviour});
    if (custody->splits)
        al_u64_store_release(&mine->turns, turns + 2); /* partner: the acquire in agreed */
    wake_owner(self->system, &custody->shards[number]);
}

/* Take what the starter has posted to a shard. Out of line: rare. */
static __attribute__((noinline)) void take_posts(struct al_worker *self, struct al_shard *shard,
                                                 uint64_t n)
{
    struct al_custodian *mine = self->scheduler;
    for (; n > 0; n--)
        al_custody_keep(self, al_post_take(&shard->input->post, &shard->reader, &mine->pool));
}

/* Take what has arrived for one of its shards. */
static inline __attribute__((always_inline)) bool take_one(struct al_worker *self,
                                                           struct al_own *own)
{
    struct al_input *input = own->input;
    bool found = false;
    /* relaxed: a guess, which saves the exchange; the next look sees what this one missed */
    if (al_ptr_load_relaxed(&input->arrivals) != NULL) {
        al_custody_append(self, al_arrivals_take(&input->arrivals));
        found = true;
    }
    uint64_t posted = al_post_waiting(&input->post, own->taken);
    if (__builtin_expect(posted != 0, 0)) {
        take_posts(self, own->shard, posted);
        own->taken = own->shard->reader.taken;
        found = true;
    }
    return found;
}

__attribute__((noinline)) bool al_custody_take_family(struct al_worker *self, struct al_own *own)
{
    struct al_parcel parcels[AL_SPLIT_MOST];
    uint64_t posted[AL_SPLIT_MOST];
    uint32_t n = 0;
    for (struct al_shard *d = own->shard->split.derived; d != NULL; d = d->split.next, n++) {
        parcels[n] = al_arrivals_take(&d->input->arrivals);
        posted[n] = al_post_waiting(&d->input->post, d->reader.taken);
    }
    bool found = take_one(self, own);
    n = 0;
    for (struct al_shard *d = own->shard->split.derived; d != NULL; d = d->split.next, n++) {
        found |= parcels[n].first != NULL || posted[n] != 0;
        al_custody_append(self, parcels[n]);
        take_posts(self, d, posted[n]);
    }
    return found;
}

/* The same as take_from, if some are parents. Out of line: rare. */
static __attribute__((noinline)) bool take_families(struct al_worker *self, struct al_own *own,
                                                    const struct al_own *stop)
{
    bool found = false;
    for (; own < stop; own++)
        found |= own->is_parent ? al_custody_take_family(self, own) : take_one(self, own);
    return found;
}

/* Take what has arrived for these of its shards. */
static bool take_from(struct al_worker *self, struct al_own *own, const struct al_own *stop)
{
    const struct al_custodian *mine = self->scheduler;
    bool found = false;
    if (__builtin_expect(mine->splitting.n_parents != 0, 0))
        return take_families(self, own, stop);
    for (; own < stop; own++)
        found |= take_one(self, own);
    return found;
}

bool al_custody_take_in(struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    return take_from(self, mine->own, mine->own + mine->n_own);
}

void al_custody_take_some(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint32_t from = mine->take_next < mine->n_own ? mine->take_next : 0;
    uint32_t to = mine->n_own - from < TAKE_MOST ? mine->n_own : from + TAKE_MOST;
    take_from(self, mine->own + from, mine->own + to);
    mine->take_next = to;
}
