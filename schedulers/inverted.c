/* SPDX-License-Identifier: MIT */

/*
 * The inverted (message-centric) executor of the Cforall actors chapter, sections "Cforall
 * Executor" and "Work Stealing"; docs/inverted.md tells it at length.
 *
 * M mailboxes, N workers, M >= N. An actor belongs to one mailbox for life, so its messages are in
 * one queue. `owned` is an array of M mailbox pointers; worker i gulps from the mailboxes that the
 * slots [i*M/N, (i+1)*M/N) point to. Senders go to mailboxes, owners and thieves to slots: a steal
 * swaps two slots and disturbs neither a sender nor the victim.
 *
 * Invariants
 *   (1) owned is a permutation of the mailboxes (see qpcas.h for the moments inside a swap)
 *   (2) from the gulp that sets being_processed to the store that clears it, one worker alone
 * delivers messages of that mailbox; every message of an earlier gulp is delivered before (3)
 * messages[mailbox] are in the order of their sends
 *
 * Concurrency, per mailbox      send   gulp   peek   clear being_processed
 *   send                        lock   lock   yes    yes
 *   gulp                        lock   lock   yes    yes (it is then a missed gulp, or the next
 * one) peek (length, flag)         yes    yes    yes    yes Per slot: the owner's read, and QPCAS
 * by its owner or by thieves, in any combination.
 */

#include <errno.h>
#include <string.h>

#include "core/scheduler.h"
#include "schedulers/copy_queue.h"
#include "schedulers/list_queue.h"
#include "schedulers/qpcas.h"

enum option { SHARDS, MAILBOXES, QUEUE, CAPACITY, RECLAIM, STEAL_AFTER };
enum queue_kind { QUEUE_COPY, QUEUE_LIST };

static const char *const queue_choices[] = {"copy", "list", NULL};
static const char *const reclaim_choices[] = {"half", "naive", "off", NULL}; /* enum al_reclaim */

static const struct al_option options[] = {
    [SHARDS] = {"shards", AL_OPTION_UINT, "0", 0, 65536, NULL,
                "mailboxes per worker; 0: 16, or 1 if there is one worker (the chapter's rule)"},
    [MAILBOXES] = {"mailboxes", AL_OPTION_UINT, "0", 0, 1 << 24, NULL,
                   "mailboxes in all, instead of shards; 0: shards x workers"},
    [QUEUE] = {"queue", AL_OPTION_ENUM, "copy", 0, 0, queue_choices,
               "copy queue, or a list with an envelope allocated for each send"},
    [CAPACITY] = {"capacity", AL_OPTION_UINT, "10", 1, 1 << 30, NULL,
                  "initial capacity of a copy queue, messages; it never shrinks below"},
    [RECLAIM] = {"reclaim", AL_OPTION_ENUM, "half", 0, 0, reclaim_choices,
                 "give back one slot per gulp: if less than half was used, always, or never"},
    [STEAL_AFTER] = {"steal_after", AL_OPTION_UINT, "2", 1, 1 << 30, NULL,
                     "passes over its mailboxes without work before a worker tries to steal"},
    {0},
};

/* One per cache line: who sends to a mailbox disturbs no other mailbox. */
struct mailbox {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    struct al_atomic_u32 being_processed;
    union {
        struct al_copy_queue copy;
        struct al_list_queue list;
    };
};

struct inverted {
    struct mailbox *mailboxes;
    struct al_atomic_ptr *owned; /* n_mailboxes slots */
    uint32_t n_mailboxes;
    uint32_t capacity, steal_after;
    enum al_reclaim reclaim;
    enum queue_kind kind;
    bool steals;
};

/* A worker's own; begins a cache line. */
struct share {
    uint32_t first, end;        /* its slots: [first, end) */
    uint32_t ticket;            /* mailbox of the next actor that this worker creates */
    struct al_copy_queue local; /* what it gulped */
};

static uint32_t mailbox_length(const struct mailbox *mailbox, enum queue_kind kind)
{
    return kind == QUEUE_COPY ? al_copy_queue_length(&mailbox->copy)
                              : al_list_queue_length(&mailbox->list);
}

static void send_copy(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                      al_behaviour *behaviour)
{
    (void)self;
    struct mailbox *mailbox = actor->home;
    al_spinlock_lock(&mailbox->lock);
    al_copy_queue_push(&mailbox->copy, actor, message, behaviour);
    al_spinlock_unlock(&mailbox->lock);
}

static void send_list(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                      al_behaviour *behaviour)
{
    (void)self;
    struct mailbox *mailbox = actor->home;
    struct al_list_node *node = al_list_node(actor, message, behaviour);
    al_spinlock_lock(&mailbox->lock);
    al_list_queue_push(&mailbox->list, node);
    al_spinlock_unlock(&mailbox->lock);
}

/*
 * Enter the mailbox for a gulp. False: another worker is still delivering what it gulped from it.
 * The test is what keeps an actor on one worker when a mailbox is stolen between its owner's read
 * of the slot and the gulp.
 */
static bool begin_gulp(struct al_worker *self, struct mailbox *mailbox)
{
    al_spinlock_lock(&mailbox->lock);
    /* acquire: partner is the release in end_gulp; hands over the actors of this mailbox as their
     * last worker left them */
    if (al_u32_load_acquire(&mailbox->being_processed) != 0) {
        al_spinlock_unlock(&mailbox->lock);
        AL_COUNT(self, missed_gulps, 1);
        return false;
    }
    /* relaxed: under the lock, and the lock publishes it */
    al_u32_store_relaxed(&mailbox->being_processed, 1);
    return true;
}

static void end_gulp(struct mailbox *mailbox)
{
    /* release: partner is the acquire in begin_gulp */
    al_u32_store_release(&mailbox->being_processed, 0);
}

/* How far ahead of the delivery to fetch actors: envelopes lie in an array, so we know who is next.
 */
#define PREFETCH_DISTANCE 4

static bool gulp_copy(struct al_worker *self, const struct inverted *inverted,
                      struct mailbox *mailbox)
{
    struct al_copy_queue *local = &((struct share *)self->scheduler)->local;
    if (!begin_gulp(self, mailbox))
        return false;
    al_copy_queue_swap(local, &mailbox->copy);
    al_spinlock_unlock(&mailbox->lock);

    const struct al_envelope *slots = local->slots;
    uint32_t length = al_copy_queue_length(local);
    AL_COUNT(self, gulps, 1);
    AL_COUNT(self, messages_gulped, length);
    for (uint32_t i = 0; i < length; i++) {
        if (i + PREFETCH_DISTANCE < length)
            al_prefetch(slots[i + PREFETCH_DISTANCE].actor);
        al_deliver(self, slots[i].actor, slots[i].message, slots[i].behaviour);
    }
    end_gulp(mailbox);
    al_copy_queue_reset(local, inverted->reclaim, inverted->capacity);
    return length != 0;
}

static bool gulp_list(struct al_worker *self, struct mailbox *mailbox)
{
    if (!begin_gulp(self, mailbox))
        return false;
    uint32_t length = al_list_queue_length(&mailbox->list);
    struct al_list_node *node = al_list_queue_take(&mailbox->list);
    al_spinlock_unlock(&mailbox->lock);

    AL_COUNT(self, gulps, 1);
    AL_COUNT(self, messages_gulped, length);
    for (struct al_list_node *next; node != NULL; node = next) {
        next = node->next;
        struct al_envelope envelope = node->envelope;
        free(node);
        al_deliver(self, envelope.actor, envelope.message, envelope.behaviour);
    }
    end_gulp(mailbox);
    return length != 0;
}

/* One of the thief's own empty mailboxes, from the end: stolen work comes last in the scan. */
static struct al_atomic_ptr *find_empty(const struct inverted *inverted, const struct share *share)
{
    for (uint32_t i = share->end; i-- > share->first;) {
        /* relaxed, here and in steal: guesses, which QPCAS checks */
        const struct mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (mailbox_length(mailbox, inverted->kind) == 0)
            return &inverted->owned[i];
    }
    return NULL;
}

/*
 * One attempt: scan one victim once, from a random place, and swap for the first mailbox that is
 * neither empty nor being processed. Whatever comes of it, the thief goes back to its own
 * mailboxes.
 */
static void steal(struct al_worker *self, const struct inverted *inverted)
{
    struct al_system *system = self->system;
    uint32_t id = al_victim_pick(system->victim_ops, self);
    if (id == AL_NO_VICTIM)
        return;
    const struct share *mine = self->scheduler, *theirs = system->workers[id].scheduler;
    uint32_t n = theirs->end - theirs->first;
    uint32_t start = al_random_below(&self->random, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t offset = start + k < n ? start + k : start + k - n;
        struct al_atomic_ptr *slot = &inverted->owned[theirs->first + offset];
        struct mailbox *mailbox = al_ptr_load_relaxed(slot);
        if (mailbox == NULL) /* its owner is swapping it right now */
            continue;
        uint32_t length = mailbox_length(mailbox, inverted->kind);
        if (length == 0 || al_u32_load_relaxed(&mailbox->being_processed) != 0)
            continue;
        struct al_atomic_ptr *empty = find_empty(inverted, mine);
        if (empty == NULL) /* work has come meanwhile */
            return;
        if (al_qpcas(empty, slot) != AL_SWAP_DONE) {
            AL_COUNT(self, steals_lost_swap, 1);
            return;
        }
        AL_COUNT(self, queues_stolen, 1);
        AL_COUNT(self, messages_stolen, length);
        return;
    }
    AL_COUNT(self, steals_no_candidate, 1);
}

/* kind is a constant in each caller, so that the loop is compiled for each. */
static inline __attribute__((always_inline)) void run(struct al_worker *self, enum queue_kind kind)
{
    const struct inverted *inverted = self->system->scheduler_state;
    const struct share *share = self->scheduler;
    const struct al_idle_ops *idle = self->system->idle_ops;
    uint64_t misses = 0; /* passes without work in a row */
    uint32_t lazy = 0;   /* the same, since the last attempt to steal */
    for (;;) {
        bool found = false;
        for (uint32_t i = share->first; i < share->end; i++) {
            /* relaxed: QPCAS needs no more, and the mailbox's lock protects what is in it. Never
             * NULL outside the own steal (qpcas.h, (3)). */
            struct mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
            /* test-and-gulp: an unlocked look; what it misses is found in the next pass */
            if (mailbox_length(mailbox, kind) != 0)
                found |= kind == QUEUE_COPY ? gulp_copy(self, inverted, mailbox)
                                            : gulp_list(self, mailbox);
        }
        if (found) {
            misses = 0;
            lazy = 0;
            continue;
        }
        if (al_worker_done(self))
            return;
        if (inverted->steals && ++lazy == inverted->steal_after) {
            lazy = 0;
            steal(self, inverted);
        }
        idle->wait(self, ++misses);
    }
}

static void inverted_run(struct al_worker *self)
{
    const struct inverted *inverted = self->system->scheduler_state;
    if (inverted->kind == QUEUE_COPY)
        run(self, QUEUE_COPY);
    else
        run(self, QUEUE_LIST);
}

/*
 * Tickets are dealt round-robin over all mailboxes by each creating thread on its own: the
 * chapter's one counter would be a contended line in a program that creates an actor per message.
 * The starting thread, which places the actors of every benchmark, deals exactly the chapter's
 * order.
 */
static void inverted_enter(struct al_worker *self, struct al_actor *actor)
{
    const struct inverted *inverted = self->system->scheduler_state;
    struct share *share = self->scheduler;
    actor->home = &inverted->mailboxes[share->ticket];
    share->ticket = share->ticket + 1 == inverted->n_mailboxes ? 0 : share->ticket + 1;
}

static uint64_t inverted_length(const struct al_worker *worker)
{
    const struct inverted *inverted = worker->system->scheduler_state;
    const struct share *share = worker->scheduler;
    uint64_t length = 0;
    for (uint32_t i = share->first; i < share->end; i++) {
        const struct mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (mailbox != NULL)
            length += mailbox_length(mailbox, inverted->kind);
    }
    return length;
}

static void free_share(struct share *share)
{
    if (share != NULL)
        al_copy_queue_fini(&share->local);
    free(share);
}

/* The slots of worker i begin at i*M/N; those of worker N would begin at M. */
static uint32_t first_slot(uint32_t i, uint32_t n_mailboxes, uint32_t n_workers)
{
    return (uint32_t)((uint64_t)i * n_mailboxes / n_workers);
}

static int make_share(struct al_worker *worker)
{
    const struct inverted *inverted = worker->system->scheduler_state;
    uint32_t n_workers = worker->system->n_workers;
    struct share *share = aligned_alloc(AL_CACHE_LINE_BYTES, AL_CACHE_LINE_BYTES);
    _Static_assert(sizeof(struct share) <= AL_CACHE_LINE_BYTES, "a share is one cache line");
    if (share == NULL)
        return -ENOMEM;
    memset(share, 0, sizeof *share);
    if (worker->id < n_workers) {
        share->first = first_slot(worker->id, inverted->n_mailboxes, n_workers);
        share->end = first_slot(worker->id + 1, inverted->n_mailboxes, n_workers);
        share->ticket = share->first; /* workers begin at different places */
        al_copy_queue_init(&share->local, inverted->capacity);
    }
    worker->scheduler = share;
    return 0;
}

/* On the worker's own thread, so that its mailboxes and queues are first touched on its own node.
 */
static int inverted_worker_init(struct al_worker *self)
{
    const struct inverted *inverted = self->system->scheduler_state;
    int code = make_share(self);
    if (code != 0)
        return code;
    const struct share *share = self->scheduler;
    for (uint32_t i = share->first; i < share->end; i++) {
        struct mailbox *mailbox = &inverted->mailboxes[i];
        memset(mailbox, 0, sizeof *mailbox);
        if (inverted->kind == QUEUE_COPY)
            al_copy_queue_init(&mailbox->copy, inverted->capacity);
        else
            al_list_queue_init(&mailbox->list);
        /* relaxed: the start of the system publishes it before any worker runs */
        al_ptr_store_relaxed(&inverted->owned[i], mailbox);
    }
    return 0;
}

/* How many mailboxes, from `shards` and `mailboxes`; writes back what is in force. */
static int count_mailboxes(struct al_system *system, uint32_t *result, struct al_error *error)
{
    union al_value *values = system->scheduler.values;
    uint32_t n_workers = system->n_workers;
    if (values[SHARDS].uint == 0)
        values[SHARDS].uint = n_workers > 1 ? 16 : 1;
    if (values[MAILBOXES].uint == 0)
        values[MAILBOXES].uint = values[SHARDS].uint * n_workers;
    uint64_t n = values[MAILBOXES].uint;
    values[SHARDS].uint = n / n_workers;
    if (n < n_workers)
        return al_error_set(error, -EINVAL,
                            "mailboxes=%llu is fewer than %u workers: each needs at least one",
                            (unsigned long long)n, n_workers);
    if (n > 1 << 24)
        return al_error_set(error, -EINVAL, "%llu mailboxes are too many; valid: up to %u",
                            (unsigned long long)n, 1u << 24);
    /* With one mailbox each, a swap leaves the victim with the thief's empty one and nothing else.
     */
    if (n_workers > 1 && n < 2 * (uint64_t)n_workers && system->victim_ops->pick != NULL)
        return al_error_set(error, -EINVAL,
                            "stealing needs at least 2 mailboxes per worker, %llu mailboxes for %u "
                            "workers are too few; valid: shards=2 or more, or victim none",
                            (unsigned long long)n, n_workers);
    *result = (uint32_t)n;
    return 0;
}

static int inverted_init(struct al_system *system, struct al_error *error)
{
    uint32_t n_mailboxes = 0;
    int code = count_mailboxes(system, &n_mailboxes, error);
    if (code != 0)
        return code;
    const union al_value *values = system->scheduler.values;
    struct inverted *inverted = malloc(sizeof *inverted);
    struct mailbox *mailboxes = aligned_alloc(_Alignof(struct mailbox),
                                              n_mailboxes * sizeof *mailboxes);
    struct al_atomic_ptr *owned = calloc(n_mailboxes, sizeof *owned);
    if (inverted == NULL || mailboxes == NULL || owned == NULL) {
        free(inverted);
        free(mailboxes);
        free(owned);
        return al_error_set(error, -ENOMEM, "no memory for %u mailboxes", n_mailboxes);
    }
    *inverted = (struct inverted){
        .mailboxes = mailboxes,
        .owned = owned,
        .n_mailboxes = n_mailboxes,
        .capacity = (uint32_t)values[CAPACITY].uint,
        .steal_after = (uint32_t)values[STEAL_AFTER].uint,
        .reclaim = (enum al_reclaim)values[RECLAIM].uint,
        .kind = (enum queue_kind)values[QUEUE].uint,
        .steals = system->victim_ops->pick != NULL && system->n_workers > 1,
    };
    system->scheduler_state = inverted;
    if (inverted->kind == QUEUE_LIST) {
        for (uint32_t i = 0; i <= system->n_workers; i++)
            system->workers[i].send = send_list;
    }
    return make_share(&system->workers[system->n_workers]); /* the starter deals tickets too */
}

static void fini_mailbox(struct al_system *system, struct mailbox *mailbox, enum queue_kind kind)
{
    if (kind == QUEUE_LIST) {
        al_list_queue_discard(al_list_queue_take(&mailbox->list), system);
        return;
    }
    uint32_t length = al_copy_queue_length(&mailbox->copy);
    for (uint32_t i = 0; i < length; i++)
        al_undelivered(system, &mailbox->copy.slots[i]);
    al_copy_queue_fini(&mailbox->copy);
}

/* Invariant (1). The threads have ended, so being_processed is free to mark what was seen. */
static void check_permutation(const struct inverted *inverted)
{
    for (uint32_t i = 0; i < inverted->n_mailboxes; i++) {
        struct mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (mailbox == NULL || al_u32_load_relaxed(&mailbox->being_processed) != 0)
            al_fatal("inverted: slot %u of the ownership array is broken: a swap lost a mailbox", i);
        al_u32_store_relaxed(&mailbox->being_processed, 1);
    }
}

static void inverted_fini(struct al_system *system)
{
    struct inverted *inverted = system->scheduler_state;
    /* A start that failed may have left slots empty; then nobody has swapped any. */
    if (al_u32_load_relaxed(&system->failed) == 0)
        check_permutation(inverted);
    for (uint32_t i = 0; i <= system->n_workers; i++) {
        struct share *share = system->workers[i].scheduler;
        /* In the order of the array, not of the slots: a permutation has each mailbox once. */
        for (uint32_t k = share != NULL ? share->first : 0; share != NULL && k < share->end; k++)
            fini_mailbox(system, &inverted->mailboxes[k], inverted->kind);
        free_share(share);
    }
    free(inverted->mailboxes);
    free(inverted->owned);
    free(inverted);
}

const struct al_scheduler_ops al_scheduler_inverted = {
    .plugin = {"inverted", "message-centric: sharded copy queues, gulping, queue stealing",
               options},
    .victim = "longest",
    .idle = "spin",
    .steals = true,
    .init = inverted_init,
    .fini = inverted_fini,
    .worker_init = inverted_worker_init,
    .run = inverted_run,
    .enter = inverted_enter,
    .send = send_copy,
    .length = inverted_length,
};
