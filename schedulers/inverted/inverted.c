/* SPDX-License-Identifier: MIT */

/*
 * The inverted (message-centric) executor of the Cforall actors chapter, sections "Cforall
 * Executor" and "Work Stealing"; docs/explanation/inverted.md describes it at length. A message
 * passes through these files: send.c, outbox.h (with batching), mailbox.h, run.c, and steal.c where
 * another worker takes its mailbox. This one has the options, the life cycle, and the operations
 * that no message passes.
 *
 * M mailboxes, N workers, M >= N. An actor belongs to one mailbox for life, so its messages are in
 * one queue. `owned` is an array of M mailbox pointers; worker i gulps from the mailboxes that the
 * slots [i*M/N, (i+1)*M/N) point to. Senders go to mailboxes, owners and thieves to slots: a steal
 * swaps two slots and disturbs neither a sender nor the victim.
 *
 * Invariant: owned is a permutation of the mailboxes (qpcas.h says what holds inside a swap). A
 * slot may be read by its owner and swapped by its owner and by thieves at any time; mailbox.h says
 * what may happen to a mailbox at once.
 */

#include "schedulers/inverted/inverted.h"

#include <errno.h>

#include "core/plugin/scheduler.h"
#include "schedulers/idle/idles.h"
#include "schedulers/inverted/outbox.h"
#include "schedulers/inverted/wake.h"
#include "schedulers/victims/victims.h"

enum tickets { TICKETS_GLOBAL, TICKETS_LOCAL };

enum option {
    PRESET,
    SHARDS,
    MAILBOXES,
    QUEUE,
    CAPACITY,
    RECLAIM,
    STEAL_AFTER,
    BATCHING,
    STEAL_LEAST,
    STEAL_PATIENCE,
    STEAL_BACKOFF,
    TICKETS,
    GROWTH,
    ENVELOPES,
    LOCK
};

static const char *const preset_choices[] = {"chapter", "tuned", "cforall", NULL};
static const char *const queue_choices[] = {"copy", "list", NULL}; /* enum al_queue_kind */
static const char *const reclaim_choices[] = {"half", "naive", "off", "quarter",
                                              NULL};                   /* enum al_reclaim */
static const char *const batching_choices[] = {"off", "on", NULL};     /* enum al_batching */
static const char *const ticket_choices[] = {"global", "local", NULL}; /* enum tickets */

/* In the order of preset_choices. The chapter's values are the defaults. */
static const struct al_preset presets[] = {
    {"chapter", ""},
    {"tuned", "batching=on reclaim=quarter steal_least=2 steal_patience=5000 steal_backoff=65536 "
              "tickets=local"},
    {"cforall", "shards=512 lock=cforall"},
};

static const struct al_option options[] = {
    [PRESET] =
        {AL_PRESET_OPTION, AL_OPTION_ENUM, "chapter", 0, 0, preset_choices,
         "sets the options that are not given: to the chapter's values, to faster ones, or to "
         "those of Cforall's test program executor"},
    [SHARDS] = {"shards", AL_OPTION_UINT, "16", 1, 65536, NULL,
                "mailboxes per worker; unless set, 1 if there is one worker, as in the chapter"},
    [MAILBOXES] = {"mailboxes", AL_OPTION_UINT, "0", 0, 1 << 24, NULL,
                   "mailboxes in all, instead of shards; 0: shards x workers"},
    [QUEUE] = {"queue", AL_OPTION_ENUM, "copy", 0, 0, queue_choices,
               "copy queue, or a list with an envelope allocated for each send"},
    [CAPACITY] = {"capacity", AL_OPTION_UINT, "10", 1, 1 << 30, NULL,
                  "initial capacity of a copy queue, messages; it never shrinks below"},
    [RECLAIM] = {"reclaim", AL_OPTION_ENUM, "half", 0, 0, reclaim_choices,
                 "per gulp give back one slot: if less than half was used, always, or never; or "
                 "half of all, if less than a quarter was used"},
    [STEAL_AFTER] = {"steal_after", AL_OPTION_UINT, "2", 1, 1 << 30, NULL,
                     "passes over its mailboxes without work before a worker tries to steal"},
    [BATCHING] =
        {"batching", AL_OPTION_ENUM, "off", 0, 0, batching_choices,
         "off: a lock for each send, as in the chapter; on: one for several (copy queues)"},
    [STEAL_LEAST] = {"steal_least", AL_OPTION_UINT, "0", 0, 1 << 30, NULL,
                     "a mailbox with fewer messages is stolen only from an owner that has left it "
                     "alone for steal_patience"},
    [STEAL_PATIENCE] = {"steal_patience", AL_OPTION_UINT, "20000", 0, 1e12, NULL,
                        "cycles; with steal_least"},
    [STEAL_BACKOFF] = AL_STEAL_BACKOFF_OPTION,
    [TICKETS] = {"tickets", AL_OPTION_ENUM, "global", 0, 0, ticket_choices,
                 "an actor that a worker creates goes to all mailboxes in turn, as in the chapter, "
                 "or to those that the worker owns"},
    [GROWTH] = {"growth", AL_OPTION_UINT, "2", 2, 64, NULL,
                "by what a full copy queue's capacity is multiplied; 2 in the chapter"},
    [ENVELOPES] = AL_ENVELOPES_OPTION, /* of queue=list; the copy queue allocates none */
    [LOCK] = {"lock", AL_OPTION_ENUM, "exchange", 0, 0, al_lock_names,
              "of a mailbox: exchanges first, looks first and backs off as Cforall's, or serves in "
              "the order of arrival"},
    {0},
};

/* Mailboxes are dealt round-robin: all of them, whoever creates the actor. Exceptions: actors that
 * are placed on a worker share the mailboxes that it had at the start, and with tickets=local those
 * that a worker creates share the mailboxes that it has now. */
static uint32_t inverted_enter(struct al_worker *self, struct al_actor *actor,
                               enum al_placement placement, uint32_t worker)
{
    struct al_runtime *system = self->system;
    struct al_inverted *inverted = system->scheduler_state;
    uint32_t first = 0, n = inverted->n_dealt;
    if (n == 0 && placement != AL_PLACE_WORKER) {
        if (self->id < system->n_workers) {
            struct al_share *share = self->scheduler;
            uint64_t turn = share->created++ % (share->end - share->first);
            /* relaxed: any of them will do; never NULL, as in run.c */
            actor->home = al_ptr_load_relaxed(&inverted->owned[share->first + turn]);
            return self->id;
        }
        n = inverted->n_mailboxes;
    }
    struct al_atomic_u64 *tickets = &inverted->ticket;
    if (placement == AL_PLACE_WORKER) {
        struct al_share *share = system->workers[worker].scheduler;
        first = share->first;
        n = share->end - share->first;
        tickets = &share->placed;
    }
    /* relaxed: a counter that publishes nothing. Not counted where there is no choice. */
    uint64_t ticket = n > 1 ? al_u64_add_relaxed(tickets, 1) : 0;
    struct al_mailbox *mailbox = &inverted->mailboxes[first + ticket % n];
    actor->home = mailbox;
    return (uint32_t)al_u64_load_relaxed(
        &mailbox->owner); /* relaxed: as it was dealt at the start */
}

/* Two that share a mailbox are always run by the same worker. */
static void inverted_enter_near(struct al_worker *self, struct al_actor *actor,
                                struct al_actor *other)
{
    (void)self;
    actor->home = other->home;
}

/* The first slot of worker i; that of worker N would be M. */
static uint32_t first_slot(uint32_t i, uint32_t n_mailboxes, uint32_t n_workers)
{
    return (uint32_t)((uint64_t)i * n_mailboxes / n_workers);
}

static int make_share(struct al_worker *worker)
{
    const struct al_inverted *inverted = worker->system->scheduler_state;
    uint32_t n_workers = worker->system->n_workers;
    struct al_share *share = al_aligned_alloc(_Alignof(struct al_share), sizeof *share);
    struct al_outbox *outbox = inverted->batching == AL_BATCHING_ON
                                   ? al_outbox_new(worker->system, inverted->growth)
                                   : NULL;
    if (share == NULL || (inverted->batching == AL_BATCHING_ON && outbox == NULL)) {
        al_free(share);
        al_free(outbox);
        return -ENOMEM;
    }
    *share = (struct al_share){
        .first = first_slot(worker->id, inverted->n_mailboxes, n_workers),
        .end = first_slot(worker->id + 1, inverted->n_mailboxes, n_workers),
        .outbox = outbox,
    };
    al_copy_queue_init(&share->local, inverted->capacity);
    al_copy_queue_init(&share->kept, inverted->capacity);
    worker->scheduler = share;
    return 0;
}

/* On the worker's own thread, so that its mailboxes and queues are first touched on its node. */
static int inverted_worker_init(struct al_worker *self)
{
    const struct al_inverted *inverted = self->system->scheduler_state;
    int code = make_share(self);
    if (code != 0)
        return code;
    const struct al_share *share = self->scheduler;
    for (uint32_t i = share->first; i < share->end; i++) {
        struct al_mailbox *mailbox = &inverted->mailboxes[i];
        al_mailbox_init(mailbox, inverted->kind, inverted->capacity);
        al_u64_store_relaxed(&mailbox->owner, self->id);
        /* relaxed: the start of the system publishes it before any worker runs */
        al_ptr_store_relaxed(&inverted->owned[i], mailbox);
    }
    return 0;
}

/* Of these options: those of all workers. */
static uint64_t inverted_mailboxes(const struct al_selection *choice, uint32_t n_workers)
{
    bool one = n_workers == 1 && (choice->given >> SHARDS & 1) == 0;
    uint64_t n = one ? 1 : choice->values[SHARDS].uint * n_workers;
    return choice->values[MAILBOXES].uint != 0 ? choice->values[MAILBOXES].uint : n;
}

/* Write `shards` and `mailboxes` back as they are in force. */
static int count_mailboxes(struct al_runtime *system, uint32_t *result, struct al_error *error)
{
    union al_value *values = system->scheduler.values;
    uint32_t n_workers = system->n_workers;
    bool given = (system->scheduler.given >> SHARDS & 1) != 0;
    if (given && values[MAILBOXES].uint != 0)
        return al_error_set(
            error, -EINVAL,
            "shards=%llu and mailboxes=%llu contradict or repeat each other: set one of them",
            (unsigned long long)values[SHARDS].uint, (unsigned long long)values[MAILBOXES].uint);
    uint64_t n = inverted_mailboxes(&system->scheduler, n_workers);
    values[MAILBOXES].uint = n;
    values[SHARDS].uint = n / n_workers;
    if (n < n_workers)
        return al_error_set(error, -EINVAL,
                            "mailboxes=%llu is fewer than %u workers: each needs at least one",
                            (unsigned long long)n, n_workers);
    if (n > 1 << 24)
        return al_error_set(error, -EINVAL, "%llu mailboxes are too many; valid: up to %u",
                            (unsigned long long)n, 1u << 24);
    /* With one mailbox each, a swap would leave the victim with nothing but an empty one. */
    if (n_workers > 1 && n < 2 * (uint64_t)n_workers && system->victim_ops->pick != NULL)
        return al_error_set(error, -EINVAL,
                            "stealing needs at least 2 mailboxes per worker, %llu mailboxes for %u "
                            "workers are too few; valid: shards=2 or more, or victim none",
                            (unsigned long long)n, n_workers);
    *result = (uint32_t)n;
    return 0;
}

static int check_lock(const union al_value *values, struct al_error *error)
{
    if (values[BATCHING].uint == AL_BATCHING_ON && values[LOCK].uint != AL_LOCK_EXCHANGE)
        return al_error_set(error, -EINVAL, "batching=on needs lock=exchange, not lock=%s",
                            al_lock_names[values[LOCK].uint]);
    return 0;
}

static void free_all(struct al_inverted *inverted, uint32_t n_workers)
{
    al_thrift_free(inverted->thrift, n_workers);
    al_free(inverted->relief);
    al_lock_choice_free(&inverted->lock);
    al_free(inverted->mailboxes);
    al_free(inverted->owned);
    al_free(inverted);
}

/* The options that are not in the chapter. Uncharged: core/system.c. */
static int read_extras(struct al_inverted *inverted, const struct al_runtime *system)
{
    const union al_value *values = system->scheduler.values;
    bool thrifty = inverted->steals &&
                   (values[STEAL_LEAST].uint > 1 || values[STEAL_BACKOFF].uint > 0);
    inverted->loop = values[LOCK].uint != AL_LOCK_EXCHANGE  ? AL_LOOP_CHOSEN
                     : thrifty                              ? AL_LOOP_THRIFTY
                     : inverted->batching == AL_BATCHING_ON ? AL_LOOP_BATCHED
                                                            : AL_LOOP_PLAIN;
    inverted->n_dealt = values[TICKETS].uint == TICKETS_LOCAL ? 0 : inverted->n_mailboxes;
    inverted->growth = (uint32_t)values[GROWTH].uint;
    inverted->steal_least = (uint32_t)values[STEAL_LEAST].uint;
    inverted->steal_patience = values[STEAL_PATIENCE].uint;
    inverted->steal_backoff = values[STEAL_BACKOFF].uint;
    if (al_lock_choose(&inverted->lock, (enum al_lock_kind)values[LOCK].uint,
                       system->n_workers + 1) != 0)
        return -ENOMEM;
    if (inverted->batching == AL_BATCHING_ON)
        inverted->relief = al_relief_new(system);
    if (!thrifty)
        return 0;
    inverted->thrift = al_thrift_new(system->n_workers);
    return inverted->thrift != NULL ? 0 : -ENOMEM;
}

static int inverted_init(struct al_runtime *system, struct al_error *error)
{
    uint32_t n_mailboxes = 0;
    bool charged = al_charge(false); /* as the options are read: core/system.c */
    int code = check_lock(system->scheduler.values, error);
    if (code == 0)
        code = count_mailboxes(system, &n_mailboxes, error);
    (void)al_charge(charged);
    if (code != 0)
        return code;
    const union al_value *values = system->scheduler.values;
    if (values[BATCHING].uint == AL_BATCHING_ON && values[QUEUE].uint == AL_QUEUE_LIST)
        return al_error_set(error, -EINVAL, "batching=on needs queue=copy, not queue=list");
    struct al_inverted *inverted = al_aligned_alloc(_Alignof(struct al_inverted), sizeof *inverted);
    struct al_mailbox *mailboxes = al_aligned_alloc(_Alignof(struct al_mailbox),
                                                    n_mailboxes * sizeof *mailboxes);
    struct al_atomic_ptr *owned = al_calloc(n_mailboxes, sizeof *owned);
    if (inverted == NULL || mailboxes == NULL || owned == NULL) {
        al_free(inverted);
        al_free(mailboxes);
        al_free(owned);
        return al_error_set(error, -ENOMEM, "no memory for %u mailboxes", n_mailboxes);
    }
    *inverted = (struct al_inverted){
        .mailboxes = mailboxes,
        .owned = owned,
        .n_mailboxes = n_mailboxes,
        .capacity = (uint32_t)values[CAPACITY].uint,
        .steal_after = (uint32_t)values[STEAL_AFTER].uint,
        .reclaim = (enum al_reclaim)values[RECLAIM].uint,
        .kind = (enum al_queue_kind)values[QUEUE].uint,
        .batching = (enum al_batching)values[BATCHING].uint,
        .steals = system->victim_ops->pick != NULL && system->n_workers > 1,
    };
    charged = al_charge(false);
    code = read_extras(inverted, system);
    (void)al_charge(charged);
    if (code != 0) {
        free_all(inverted, system->n_workers);
        return al_error_set(error, code, "no memory for %u workers", system->n_workers);
    }
    system->scheduler_state = inverted;
    return 0;
}

/* Check the invariant. The threads have ended, so being_processed can mark what was seen. */
static void check_permutation(const struct al_inverted *inverted)
{
    for (uint32_t i = 0; i < inverted->n_mailboxes; i++) {
        struct al_mailbox *mailbox = al_ptr_load_relaxed(&inverted->owned[i]);
        if (mailbox == NULL || al_u32_load_relaxed(&mailbox->being_processed) == AL_MAILBOX_HELD)
            al_fatal("inverted: slot %u of the ownership array is broken: a swap lost a mailbox",
                     i);
        al_u32_store_relaxed(&mailbox->being_processed, AL_MAILBOX_HELD);
    }
}

static void inverted_fini(struct al_runtime *system)
{
    struct al_inverted *inverted = system->scheduler_state;
    /* A start that failed may have left slots empty, but then no worker has swapped any. */
    bool complete = true;
    for (uint32_t i = 0; i < system->n_workers; i++)
        complete &= system->workers[i].scheduler != NULL;
    if (complete)
        check_permutation(inverted);
    for (uint32_t i = 0; i < system->n_workers; i++) {
        struct al_share *share = system->workers[i].scheduler;
        if (share == NULL)
            continue;
        /* By the array, not by the slots: each worker made the mailboxes of its first range. */
        for (uint32_t k = share->first; k < share->end; k++)
            al_mailbox_fini(&inverted->mailboxes[k], inverted->kind, system);
        al_copy_queue_fini(&share->local, al_undelivered, system);
        al_copy_queue_fini(&share->kept, al_undelivered, system);
        al_free(share->outbox);
        al_free(share);
    }
    free_all(inverted, system->n_workers);
}

static uint64_t inverted_held(const struct al_runtime *system)
{
    const struct al_inverted *inverted = system->scheduler_state;
    uint64_t bytes = inverted->n_mailboxes * sizeof *inverted->mailboxes, slots = 0;
    if (inverted->kind == AL_QUEUE_LIST)
        return bytes;
    for (uint32_t i = 0; i < inverted->n_mailboxes; i++)
        slots += inverted->mailboxes[i].copy.capacity + inverted->mailboxes[i].kept.capacity;
    for (uint32_t i = 0; i < system->n_workers; i++) {
        const struct al_share *share = system->workers[i].scheduler;
        slots += share->local.capacity + share->kept.capacity;
    }
    return bytes + slots * sizeof(struct al_envelope);
}

const struct al_scheduler_ops al_scheduler_inverted = {
    .plugin = {"inverted", "message-centric: sharded copy queues, gulping, queue stealing",
               options},
    .victim = &al_victim_longest,
    .idle = &al_idle_spin,
    .steals = true,
    .presets = presets,
    .init = inverted_init,
    .fini = inverted_fini,
    .worker_init = inverted_worker_init,
    .run = al_inverted_run,
    .enter = inverted_enter,
    .enter_near = inverted_enter_near,
    .send = al_inverted_send_copy,
    .choose_send = al_inverted_choose_send,
    .settle = al_inverted_settle,
    .held = inverted_held,
    .length = al_inverted_length,
    .mailboxes = inverted_mailboxes,
};
