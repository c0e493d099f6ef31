/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_H
#define AL_CUSTODY_H

/*
 * What the parts of the strategy custody share; start reading in custody.c. What only one part
 * needs is in a struct of that part's header. The parts, in the order in which a message, and then
 * a shard, meets them:
 *
 *   deal           which shard a new actor gets
 *   send           the queue and the outboxes; chunk.h: what they consist of; arrivals.h and
 *                  post.h: how messages come from other workers, and from the starter
 *   run, deliver   the loop; pace.h: how many messages there are between two looks around
 *   forward        floods of the queue
 *   steal, cut     a worker without work asks for some; what it gets
 *   move           how shards change their owner
 *   split          shards of their own for hot actors
 *   consolidate    how many workers are in use
 *   watch, seize   what waits behind a long behaviour is taken
 */

#include "core/plugin/scheduler.h"
#include "schedulers/custody/arrivals.h"
#include "schedulers/custody/consolidate.h"
#include "schedulers/custody/cut.h"
#include "schedulers/custody/deal.h"
#include "schedulers/custody/forward.h"
#include "schedulers/custody/pace.h"
#include "schedulers/custody/post.h"
#include "schedulers/custody/seize.h"
#include "schedulers/custody/split.h"
#include "schedulers/custody/steal.h"
#include "schedulers/custody/watch.h"

/* Where the messages of others to a shard arrive. Written by senders, and emptied by the owner. */
struct al_input {
    _Alignas(32) struct al_atomic_ptr arrivals;
    struct al_post post;
};

/* Some of the actors: the unit of ownership. An actor's shard is for life, unless it is split. */
struct al_shard {
    /* read by senders, rarely written */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_input *input;
    /* The worker to wake after a message has arrived. Written by whoever gives the shard away; who
     * owns it is the private knowledge of that worker. */
    struct al_atomic_u32 owner;
    /* The number + 1 of the shard that it is derived from, until all have acknowledged that; or
     * 0. */
    struct al_atomic_u32 parent;

    /* the owner's, and handed over with the shard */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_shard *next; /* given together with it; or NULL */
    struct al_shard *lead;                                   /* the first of these */
    struct al_parcel parcel; /* of the lead: the messages that go with all of them */
    struct al_post_reader reader;
    uint32_t number;
    uint32_t position; /* among the owner's */
    uint32_t lent_by;  /* the worker that had it before it retired, + 1; 0: none */
    struct al_split split;
};

/* A shard among those of its owner, which looks at the inputs of all of them again and again. */
struct al_own {
    struct al_input *input;
    struct al_shard *shard;
    uint64_t taken; /* as in the reader */
    uint32_t number;
    bool is_parent; /* shards are derived from it; it stays here */
};

struct al_taken {
    uint32_t shards;
    uint64_t messages;
};

/* Envelopes lie in an array, so the next actors are known: fetch one while another runs. This many
 * envelopes ahead, since a cache miss takes as long as a few short behaviours. */
#define AL_FETCH_AHEAD 8

/* Shards of a worker, where nobody says how many: at most. */
#define AL_SHARDS_MOST 16

/* Shards that a worker opens at most for actors that it creates; and so many more if it parts
 * actors from others. */
#define AL_OPENED_MOST 64
#define AL_PARTED_MOST 16

/* The answer to a request that is refused, in place of shards. */
#define AL_REFUSED ((void *)1)

/* Per-worker state. The external worker has no shards, no queue and no outboxes. */
struct al_custodian {
    /* written by the worker that asks: its number + 1; and by the owner, who answers: 0 */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 request;

    /* written by the worker that was asked: shards, or AL_REFUSED */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_ptr grant;

    /* shards that nobody asked for, linked; written by whoever gives them */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_ptr gift;

    /* written by the owner, read by those without work: about how many messages it could give away,
     * or 0 if it would refuse */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 load;
    /* likewise, for who considers: cycles without work, until the last time, and those before its
     * thread began; since when it is without, or 0 */
    struct al_atomic_u64 idle_total, idle_since;
    struct al_lately lately;           /* when it last asked */
    struct al_atomic_u32 had;          /* shards, likewise */
    struct al_atomic_u32 acknowledged; /* the last split that it has seen; before it sent again */
    struct al_atomic_u64 turns;        /* of the starter: odd while it sends; if shards are split */
    struct al_traffic sent;            /* to all others together */
    struct al_traffic *traffic;        /* by receiver; its own lines; or NULL */

    /* the owner's */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_chunk *first, *last; /* its queue */
    struct al_envelope *read;      /* the next message, in first */
    uint32_t n_chunks;             /* of the queue */
    struct al_chunk *last_but_one; /* of the queue, if it has two chunks or more */
    struct al_flood flood;
    struct al_pace pace;
    uint64_t n_delivered; /* exposed */
    struct al_pool pool;
    struct al_route *outboxes; /* by shard */
    uint32_t *filled;          /* the shards whose outbox has a chunk */
    uint32_t n_filled;
    uint64_t flushed, flush_took; /* cycles: when it last handed over all outboxes; for how long */
    struct al_own *own;
    uint32_t n_own, take_next; /* take_next: the one whose input is the next to look at */
    uint32_t seen_active;      /* workers in use, at its last look */
    uint32_t looked;           /* around, since it last scattered */
    struct al_offer offer;
    struct al_asking asking;
    struct al_cut cut;
    struct al_dealing deal;
    struct al_splitting splitting;
    struct al_seizure seizure;
    struct al_post_writer *writers; /* by shard: of the external worker */
    struct al_routes routes; /* by shard: `own`, to its queue, if it is its own, else its outbox */
};

struct al_custody {
    struct al_shard *shards;
    /* By shard; those that begin with the same worker are in lines of their own. Who sends to one
     * of them often sends to the others, too, and the owner looks at few lines. */
    struct al_input *inputs;
    uint32_t n_dealt, shards_each; /* shards that workers begin with: in all, and each */
    uint32_t n_entered;            /* with those that workers open for actors that they create */
    uint32_t n_shards;             /* with those that they part from others, too: all */
    uint32_t block;
    uint64_t quantum_cycles, flush_cycles, worth_cycles, grown_chunks, scatter;
    uint64_t epoch_us, hold_us, message_cycles, chunk_cycles; /* epoch_us 0: no consolidation */
    uint64_t began, began_ns;
    bool steals; /* there are victims */
    bool splits;
    struct al_depot depot;
    /* read by all, rarely written: the workers below it are in use; when to consider that again,
     * cycles */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 active;
    struct al_atomic_u64 deadline, patience;
    struct al_atomic_u32 n_used; /* shards; those from it on have not been opened */
    struct al_atomic_u32 n_splits;
    struct al_look look;
    struct al_watch watch;
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_nursery nursery;
};

static inline struct al_custody *al_custody_of(const struct al_worker *worker)
{
    return worker->system->scheduler_state;
}

/* So many shards or fewer: a power of two, so that groups of actors, of which there are often round
 * numbers, are not parted. 0: none. */
static inline uint32_t al_custody_round(uint32_t n)
{
    uint32_t round = n < AL_SHARDS_MOST ? n : AL_SHARDS_MOST;
    while ((round & (round - 1)) != 0)
        round &= round - 1;
    return round;
}

/* Places for the inputs of so many shards, in whole pairs of lines. */
static inline size_t al_custody_inputs(size_t n_shards)
{
    size_t n = 2 * AL_CACHE_LINE_BYTES / sizeof(struct al_input);
    return (n_shards + n - 1) / n * n;
}

static inline bool al_custody_empty(const struct al_custodian *mine)
{
    return mine->first == mine->last && mine->read == mine->routes.own.tail;
}

/* send.c */

/* The operation `send`, of a worker whose route has no room, and of the external worker. */
al_sender al_custody_send, al_custody_send_external;
/* Put an envelope into the worker's own queue. Owner only. */
void al_custody_keep(struct al_worker *self, struct al_envelope envelope);
/* Hand over what the outboxes hold. Owner only. */
void al_custody_flush(struct al_worker *self);
/* Begin an empty queue. Owner only. */
void al_custody_begin(struct al_worker *self);
/* Link chunks with messages to the end of a queue. Owner only. */
void al_custody_link(struct al_custodian *mine, struct al_parcel parcel);
/* Add a chunk that is full to the arrivals of a shard. Any worker. */
void al_custody_hand_over(struct al_worker *self, uint32_t number, struct al_chunk *chunk);
/* Append chunks with messages to the queue. Owner only. */
void al_custody_append(struct al_worker *self, struct al_parcel parcel);
/* Take what has arrived for all of its shards. True: there was something. Owner only. */
bool al_custody_take_in(struct al_worker *self);
/* Take what has arrived for some of its shards; all have their turn. Owner only. */
void al_custody_take_some(struct al_worker *self);
/* The same for one of them and those derived from it, these first. Owner only. */
bool al_custody_take_family(struct al_worker *self, struct al_own *own);

/* split.c */

/* Acknowledge the last split. Owner only, between two messages. */
static inline void al_custody_acknowledge(struct al_worker *self, struct al_custodian *mine)
{
    /* acquire: partner is the acq_rel in announce */
    uint32_t n = al_u32_load_acquire(&al_custody_of(self)->n_splits);
    if (__builtin_expect(n == al_u32_load_relaxed(&mine->acknowledged), 1))
        return;
    al_custody_flush(self);
    al_u32_store_release(&mine->acknowledged, n); /* partner: the acquire in agreed */
}

/* The shard that stays where this one does: its parent, or itself. */
static inline uint32_t al_custody_family(const struct al_custody *custody, uintptr_t number)
{
    /* relaxed: asked by its owner, or by who has seized it */
    uint32_t parent = al_u32_load_relaxed(&custody->shards[number].parent);
    return parent != 0 ? parent - 1 : (uint32_t)number;
}

/* custody.c */

/* Make a shard of this owner, whose messages arrive there: with no actor and no message. The number
 * is the caller's alone. */
struct al_shard *al_custody_make(struct al_custody *custody, uint32_t number,
                                 struct al_input *input, uint32_t owner);

/* move.c; docs/explanation/custody.md has the rules. All are the owner's, between two messages. */

/* No longer own a shard, which goes to that worker, together with what is given already, or NULL.
 * Returns the first of all of these. */
struct al_shard *al_custody_disown(struct al_worker *self, struct al_shard *shard, uint32_t to,
                                   struct al_shard *given);
/* Own a shard from now on. */
void al_custody_own(struct al_custodian *mine, struct al_shard *shard);
/* Give these shards, disowned and linked, to a worker that has asked; or to one that has not. The
 * second also by the starter, which gives shards that it has made. */
void al_custody_grant(struct al_worker *self, struct al_shard *given, uint32_t to);
void al_custody_donate(struct al_worker *self, struct al_shard *given, uint32_t to);
/* Take over shards, with the messages that come with them. */
struct al_taken al_custody_take(struct al_worker *self, struct al_shard *given);
/* Give back what has come from workers that retired and are in use again, and refuse what they have
 * asked for meanwhile: they would get more than they had. */
void al_custody_hand_back(struct al_worker *self);
/* Take over what others have donated. True: there was something. */
bool al_custody_receive(struct al_worker *self);

/* seize.c */

/* Wait for whoever has seized what this worker has, and go on with what is left. Owner only, in its
 * own code. */
void al_custody_repair(struct al_worker *self);
/* Take what waits at that worker, if it is inside a behaviour. True: that is so, and now this one
 * has work. By a worker in its own code. */
bool al_custody_seize(struct al_worker *self, uint32_t victim);
/* This worker comes to its own code. True: it has been seized, and may have lost shards. Owner
 * only. */
static inline bool al_custody_come_back(struct al_worker *self, struct al_custodian *mine)
{
    /* relaxed: who reads NULL reads nothing else */
    al_ptr_store_relaxed(&mine->seizure.at, NULL);
    al_fence_light(); /* partner: the membarrier in halt */
    if (__builtin_expect(al_u32_load_relaxed(&mine->seizure.seized) == 0, 1))
        return false;
    al_custody_repair(self);
    return true;
}

/* The same inside a behaviour, or between two batches. Returns what al_custody_go_on takes, which
 * ends that. Owner only. */
static inline const struct al_envelope *al_custody_interrupt(struct al_worker *self,
                                                             struct al_custodian *mine)
{
    const struct al_envelope *at = al_ptr_load_relaxed(&mine->seizure.at); /* its own */
    if (at != NULL && al_custody_come_back(self, mine))
        al_seizure_end_batch(&mine->seizure); /* what was the rest of it is elsewhere */
    return at;
}

static inline void al_custody_go_on(struct al_custodian *mine, const struct al_envelope *at)
{
    if (at != NULL)
        al_seizure_at(&mine->seizure, at);
}

/* run.c: the operations `run` and `length`. */
void al_custody_run(struct al_worker *self);
uint64_t al_custody_length(const struct al_worker *worker);

#endif
