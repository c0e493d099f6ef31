/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/forward.h"

#include "schedulers/custody/custody.h"

/*
 * A queue that grows fast, since many messages are sent to few actors. In the order in which they
 * were sent, all of these would lie in memory until what waits before them has been delivered,
 * which may send as many again. So a worker brings them forward:
 *
 *     before   a b c R R d R R R R R       R: to one of the actors that got the last messages
 *     after    R R R R R R R a b c d       what is sent from now on comes last
 *
 * Invariant: messages to the same actor keep their order. That holds for any choice of actors.
 *
 * Nothing starves: before anything is brought forward again, what was so the last time has been
 * delivered, and the first of the others.
 */

#define FLOODED_MOST  4  /* actors */
#define OTHERS_PARTS  8  /* of the chunks one part may be for other actors */
#define PATIENCE_MOST 10 /* doublings of what a queue must grow by, each after that was in vain */

/* The actors that got the last messages. */
struct flooded {
    uint32_t n;
    const struct al_actor *actors[FLOODED_MOST];
};

static bool is_flooded(const struct flooded *flooded, const struct al_actor *actor)
{
    for (uint32_t i = 0; i < flooded->n; i++)
        if (flooded->actors[i] == actor)
            return true;
    return false;
}

/* Add the actors of some messages. False: there are too many. */
static bool add_flooded(struct flooded *flooded, const struct al_envelope *e,
                        const struct al_envelope *end)
{
    for (; e < end; e++) {
        if (is_flooded(flooded, e->actor))
            continue;
        if (flooded->n == FLOODED_MOST)
            return false;
        flooded->actors[flooded->n++] = e->actor;
    }
    return true;
}

/* True: all of these are for flooded actors, or none; *forward says which. */
static bool are_alike(const struct flooded *flooded, const struct al_envelope *e,
                      const struct al_envelope *end, bool *forward)
{
    const struct al_actor *known = e->actor;
    *forward = is_flooded(flooded, known);
    for (; e < end; e++) {
        if (e->actor == known)
            continue;
        known = e->actor;
        if (is_flooded(flooded, known) != *forward)
            return false;
    }
    return true;
}

/* Whether nearly all of the queue is for flooded actors, by the first message of each chunk. If it
 * is not, other workers could take the rest, which they find only while it is not behind the
 * flood. */
static bool is_flood(const struct al_custodian *mine, const struct flooded *flooded)
{
    uint32_t n_others = 0, most = mine->n_chunks / OTHERS_PARTS;
    for (const struct al_chunk *chunk = mine->first;; chunk = al_chunk_next(chunk)) {
        const struct al_envelope *first = chunk == mine->first ? mine->read : chunk->envelopes;
        const struct al_envelope *end = chunk == mine->last ? mine->routes.own.tail : chunk->end;
        n_others += first < end && !is_flooded(flooded, first->actor);
        if (n_others > most || chunk == mine->last)
            return n_others <= most;
    }
}

/* Take all out of the queue, what is for flooded actors into parcels[true], the rest into
 * parcels[false]; n: how many messages. Whole chunks are linked, only mixed ones are copied. */
static void sort(struct al_worker *self, const struct flooded *flooded, struct al_parcel parcels[2],
                 uint64_t n[2])
{
    struct al_custodian *mine = self->scheduler;
    struct al_chunk *chunk = mine->first, *last = mine->last;
    const struct al_envelope *read = mine->read;
    last->end = mine->routes.own.tail;
    al_custody_begin(self);
    for (bool more = true; more;) {
        struct al_chunk *next = al_chunk_next(chunk);
        more = chunk != last;
        bool whole = read == chunk->envelopes && read < chunk->end, forward;
        if (whole && are_alike(flooded, read, chunk->end, &forward)) {
            n[forward] += (uint64_t)(chunk->end - read);
            al_parcel_link(&parcels[forward], chunk);
        } else {
            for (; read < chunk->end; read++) {
                forward = is_flooded(flooded, read->actor);
                n[forward]++;
                al_parcel_pack(&parcels[forward], &mine->pool, *read);
            }
            al_pool_give(&mine->pool, chunk);
        }
        chunk = next;
        read = chunk != NULL ? chunk->envelopes : NULL;
    }
}

/* Bring forward what is for the actors of the last messages, if these are few. False: there is
 * nothing to be gained. */
static bool bring_forward(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    struct al_parcel parcels[2] = {{NULL, NULL}, {NULL, NULL}};
    uint64_t n[2] = {0, 0};
    struct flooded flooded = {0, {NULL}};
    const struct al_chunk *before = mine->last_but_one;
    /* what has been delivered is for actors that may be gone */
    const struct al_envelope *waiting = before == mine->first ? mine->read : before->envelopes;
    if (!add_flooded(&flooded, waiting, before->end) ||
        !add_flooded(&flooded, mine->last->envelopes, mine->routes.own.tail) ||
        !is_flood(mine, &flooded))
        return false;
    sort(self, &flooded, parcels, n);
    al_custody_append(self, parcels[true]);
    uint32_t n_chunks = mine->n_chunks;
    al_custody_append(self, parcels[false]);
    mine->flood.settled = mine->n_chunks - n_chunks;
    mine->flood.patience = 0;
    mine->flood.old_due = n[false] != 0 ? mine->n_delivered + n[true] + 1 : 0;
    return n[false] != 0;
}

/* At how many chunks the queue has grown too fast. */
static uint32_t limit(const struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    uint64_t least = al_custody_of(self)->grown_chunks << mine->flood.patience,
             half = mine->flood.settled / 2;
    uint64_t most = mine->flood.settled + (least > half ? least : half);
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void al_custody_watch_growth(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    mine->flood.at = UINT32_MAX;
    if (al_custody_of(self)->grown_chunks == 0)
        return;
    if (mine->n_chunks < mine->flood.settled)
        mine->flood.settled = mine->n_chunks;
    if (mine->flood.settled <= 1)
        mine->flood.patience = 0;
    if (mine->n_delivered >= mine->flood.old_due && mine->n_chunks >= limit(self) &&
        !bring_forward(self)) {
        mine->flood.settled = mine->n_chunks;
        mine->flood.patience += mine->flood.patience < PATIENCE_MOST;
    }
    if (mine->n_delivered >= mine->flood.old_due)
        mine->flood.at = limit(self);
}
