/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/deliver.h"

/*
 * A worker's loop: deliver what is in its queue, chunk by chunk, and look around after so many
 * messages as take some microseconds. Between two looks it reads and writes nothing that another
 * worker reads or writes, but for what the behaviours do, and for the message that it is at, which
 * others look up now and then (seize.h).
 */

#define QUANTUM_MOST   256 /* messages */
#define QUANTUM_FIRST  16  /* after a time without work: it may be over again soon */
#define FORGET_PARTS   64  /* quanta after which the least cost of a message is forgotten */
#define COLD_QUANTA    16
#define CONSIDER_LOOKS 64 /* looks without work between two looks at the clock */
#define WATCH_LOOKS    32 /* likewise, at workers that may be inside long behaviours */
/* An outbox waits for at least so many times the duration of the last hand-over, so that handing
 * over takes at most a ninth of the time. */
#define FLUSH_REST 8

/* Whether messages wait where so many of the starter's have been taken. A guess. */
static bool has_arrived(const struct al_input *input, uint64_t taken)
{
    return al_ptr_load_relaxed(&input->arrivals) != NULL ||
           al_post_waiting(&input->post, taken) != 0;
}

uint64_t al_custody_length(const struct al_worker *worker)
{
    const struct al_custodian *theirs = worker->scheduler;
    const struct al_custody *custody = al_custody_of(worker);
    /* relaxed, here and below: guesses */
    uint64_t length = al_u32_load_relaxed(&theirs->load);
    const struct al_worker *self = al_self();
    if (worker != self) /* what others could get, unless they have retired */
        return self != NULL && self->id >= al_u32_load_relaxed(&custody->active) ? 0 : length;
    length += al_u32_load_relaxed(&theirs->request) != 0;
    length += al_ptr_load_relaxed(&theirs->grant) != NULL;
    length += al_ptr_load_relaxed(&theirs->gift) != NULL;
    for (uint32_t i = 0; i < theirs->n_own; i++) {
        const struct al_own *own = &theirs->own[i];
        length += has_arrived(own->input, own->taken);
        const struct al_shard *derived = own->is_parent ? own->shard->split.derived : NULL;
        for (; derived != NULL; derived = derived->split.next)
            length += has_arrived(derived->input, derived->reader.taken);
    }
    length += al_u32_load_relaxed(&theirs->acknowledged) != al_u32_load_relaxed(&custody->n_splits);
    return length;
}

/* Hand over the outboxes if they have waited for long. Returns the time after that, cycles. */
static uint64_t flush_old(struct al_worker *self, uint64_t now)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t rest = FLUSH_REST * mine->flush_took, least = al_custody_of(self)->flush_cycles;
    if (mine->n_filled == 0 || now - mine->flushed < (rest > least ? rest : least))
        return now;
    al_custody_flush(self);
    mine->flushed = al_cycles();
    mine->flush_took = mine->flushed - now;
    return mine->flushed;
}

/* Begin a quantum of as many messages as take the right time, but at most so many. */
static void begin_quantum(struct al_worker *self, uint64_t now, uint32_t most)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t n = al_custody_of(self)->quantum_cycles * 16 / (mine->pace.cost16 + 1);
    n = n < most ? n : most;
    if (mine->n_delivered < mine->flood.old_due && mine->flood.old_due - mine->n_delivered < n)
        n = mine->flood.old_due - mine->n_delivered;
    mine->pace.quantum = mine->pace.credit = n == 0 ? 1 : (uint32_t)n;
    mine->pace.since = now;
}

/* For tests: give one of its shards to any other worker, whether that one is idle or not. */
static void scatter(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t every = al_custody_of(self)->scatter;
    if (every == 0 || ++mine->looked < every || mine->n_own == 0)
        return;
    mine->looked = 0;
    uint32_t to = al_random_below(&self->random, self->system->n_workers);
    struct al_shard *shard = mine->own[al_random_below(&self->random, mine->n_own)].shard;
    if (al_custody_of(self)->splits && al_random_below(&self->random, 4) == 0) {
        al_custody_split_any(self, al_random_below(&self->random, 2) == 0);
        return;
    }
    if (to == self->id || mine->own[shard->position].is_parent)
        return;
    if (al_custody_of(self)->watch.workers != NULL && al_random_below(&self->random, 2) == 0) {
        (void)al_custody_seize(self, to);
        return;
    }
    al_custody_flush(self);
    al_custody_donate(self, al_custody_disown(self, shard, to, NULL), to);
}

/* Look around, after a quantum of messages. Out of line: rare. */
static __attribute__((noinline)) void look_around(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t now = al_cycles();
    /* What a message costs leaves out all that is done here, or the quanta would become ever
     * shorter. */
    uint64_t cost16 = (now - mine->pace.since) * 16 / (mine->pace.quantum - mine->pace.credit);
    mine->pace.cost16 = (3 * mine->pace.cost16 + cost16) / 4;
    mine->pace.n_quanta++;
    mine->pace.least16 = cost16 < mine->pace.least16 || mine->pace.n_quanta <= 2
                             ? cost16
                             : mine->pace.least16 + (cost16 - mine->pace.least16) / FORGET_PARTS;
    /* The first ones, with cold caches, count no more than the least, and one that was interrupted
     * as twice the mean. */
    uint64_t at_most = cost16 < 2 * mine->pace.mean16 ? cost16 : 2 * mine->pace.mean16;
    mine->pace.mean16 = mine->pace.n_quanta <= COLD_QUANTA ? mine->pace.least16
                                                           : (7 * mine->pace.mean16 + at_most) / 8;
    (void)al_timers_look(self);
    al_custody_acknowledge(self, mine);
    al_custody_take_some(self);
    al_custody_receive(self);
    if (__builtin_expect(mine->splitting.n_parents != 0, 0))
        al_custody_settle(self);
    al_custody_answered(self);
    al_custody_consolidate(self, now, !al_custody_empty(mine));
    scatter(self);
    al_custody_answer(self);
    al_custody_watch_growth(self);
    now = flush_old(self, al_cycles()); /* what came before is not its duration */
    al_custody_publish(self, now);
    begin_quantum(self, now, QUANTUM_MOST);
}

/* Whether something waits in the last chunk from this envelope on, but so little that there is
 * nothing to fetch ahead. */
static inline bool few_wait(const struct al_custodian *mine, const struct al_envelope *envelope)
{
    return (uintptr_t)mine->routes.own.tail - (uintptr_t)envelope - 1 <
           AL_FETCH_AHEAD * sizeof *envelope;
}

/* Deliver what waits in the last chunk, and what these messages add to it, as long as few wait: at
 * most `most` messages, or fewer if one of them floods the queue. Returns how many. A conversation
 * of few actors consists of messages that are sent and delivered at once, so nothing is computed
 * between two of them. */
static inline __attribute__((always_inline)) uint64_t
deliver_last(struct al_worker *self, struct al_custodian *mine, const struct al_envelope *envelope,
             uint64_t most)
{
    const struct al_envelope *first = envelope;
    uint64_t room = (uint64_t)(mine->routes.own.limit - envelope);
    const struct al_envelope *stop = envelope + (most < room ? most : room);
    al_seizure_at(&mine->seizure, envelope);
    do {
        al_deliver(self, envelope++);
        /* If the chunk is full and another is the last now, the tail is in that one. */
    } while (envelope < stop && few_wait(mine, envelope) &&
             al_seizure_goes_on(&mine->seizure, envelope));
    return (uint64_t)(envelope - first);
}

/* Deliver all that is in the queue. */
static inline __attribute__((always_inline)) void empty_queue(struct al_worker *self, bool traced)
{
    struct al_custodian *mine = self->scheduler;
    struct al_chunk *chunk = mine->first;
    struct al_envelope *read = mine->read;
    for (;;) {
        bool last = chunk == mine->last;
        struct al_envelope *end = last ? mine->routes.own.tail : chunk->end;
        uint64_t waiting = (uint64_t)(end - read), n;
        if (waiting == 0) {
            if (last)
                break;
            struct al_chunk *empty = chunk;
            chunk = al_chunk_next(chunk);
            al_pool_give(&mine->pool, empty);
            mine->n_chunks--;
            mine->first = chunk;
            read = chunk->envelopes;
            continue;
        }
        n = waiting < mine->pace.credit ? waiting : mine->pace.credit;
        if (traced)
            al_trace_between(self, n);
        if (__builtin_expect(mine->cut.observes, 0))
            n = al_custody_deliver_observed(self, chunk, read, n, waiting);
        else if (last && waiting <= AL_FETCH_AHEAD)
            n = deliver_last(self, mine, read, mine->pace.credit);
        else
            n = al_custody_deliver(self, mine, chunk, read, n, waiting, al_deliver);
        (void)al_custody_come_back(self, mine);
        read += n;
        AL_COUNT(self, messages_received, n);
        al_expose(mine->n_delivered, mine->n_delivered + n);
        mine->pace.credit -= (uint32_t)n;
        if (mine->pace.credit == 0 || mine->n_chunks >= mine->flood.at) {
            mine->read = read;
            look_around(self);
            chunk = mine->first;
            read = mine->read;
        }
    }
    mine->read = mine->routes.own.tail = chunk->envelopes; /* begin again at the beginning */
    mine->routes.own.limit = al_chunk_limit(chunk);
}

static bool is_watcher(const struct al_worker *self)
{
    /* relaxed: only this worker becomes it and ceases to be */
    return al_u32_load_relaxed(&al_custody_of(self)->watch.watcher) == self->id + 1;
}

/* There is work, and it has said so; before its first message. */
static void get_work(struct al_worker *self)
{
    const struct al_watch *watch = &al_custody_of(self)->watch;
    if (watch->workers == NULL)
        return;
    al_fence_light(); /* partner: the membarrier in al_custody_nap */
    uint32_t watcher = al_u32_load_relaxed(&watch->watcher);
    if (watcher == 0 ? self->system->wake != NULL
                     : watcher == self->id + 1 || al_u32_load_relaxed(&watch->quiet) != 0)
        al_custody_pass_watch(self, watcher);
}

/* A look without work, the misses-th in a row. Returns how many there have been after it, or 0 to
 * leave the loop. Out of line, to keep the loop in registers. */
static __attribute__((noinline)) uint64_t idle(struct al_worker *self, uint64_t misses)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_custody *custody = al_custody_of(self);
    if (al_worker_done(self)) {
        al_custody_give_up(self);
        return 0;
    }
    if (misses == 1) /* relaxed: a sample */
        al_u64_store_relaxed(&mine->idle_since, al_cycles());
    al_custody_close(mine);
    al_custody_acknowledge(self, mine);
    if (mine->splitting.n_parents != 0)
        al_custody_settle(self);
    al_custody_answer(self);
    if (al_timers_look(self)) {
        al_custody_flush(self);
        return misses;
    }
    if (al_custody_receive(self) || al_custody_answered(self) || !al_custody_empty(mine))
        return misses;
    /* A worker that was woken because more or fewer are to be used looks only once before it sleeps
     * again. relaxed: a hint */
    if (misses == 1 || misses % CONSIDER_LOOKS == 0 ||
        al_u32_load_relaxed(&custody->active) != mine->seen_active)
        al_custody_consolidate(self, al_cycles(), false);
    bool watches = custody->watch.workers != NULL;
    if (watches && (misses % WATCH_LOOKS == 0 || is_watcher(self)) && al_custody_watch(self))
        return misses;
    uint64_t alike = al_custody_ask(self, misses);
    if (watches) {
        uint64_t left = WATCH_LOOKS - misses % WATCH_LOOKS - 1;
        alike = alike < left ? alike : left;
    }
    if (custody->epoch_us != 0) {
        uint64_t left = CONSIDER_LOOKS - misses % CONSIDER_LOOKS - 1;
        alike = alike < left ? alike : left;
    }
    return misses + al_idle_wait(self, misses, alike);
}

/* There is work again, after looks without any. */
static void end_idle(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t now = al_cycles();
    al_victim_rest(self->system->victim_ops, self);
    /* relaxed: samples with one writer */
    uint64_t since = al_u64_load_relaxed(&mine->idle_since), idle = now - since;
    al_custody_remember(mine, since - mine->offer.busy_since, idle);
    al_u64_store_relaxed(&mine->idle_total, al_u64_load_relaxed(&mine->idle_total) + idle);
    al_u64_store_relaxed(&mine->idle_since, 0);
    get_work(self);
    mine->offer.busy_since = now;
    mine->offer.called.factor = 0;
    begin_quantum(self, now, QUANTUM_FIRST);
}

static inline __attribute__((always_inline)) void run(struct al_worker *self, bool traced)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t misses = 0; /* looks without work in a row */
    mine->offer.busy_since = al_cycles();
    /* relaxed: samples */
    al_u64_store_relaxed(&mine->idle_total, mine->offer.busy_since);
    al_u64_store_relaxed(&mine->idle_since, 0);
    /* Others may be asleep before its thread begins. */
    get_work(self);
    begin_quantum(self, mine->offer.busy_since, 1); /* the messages may be long ones */
    for (;;) {
        if (al_custody_empty(mine)) {
            if (al_custody_take_in(self))
                continue;
            al_custody_flush(self);
            misses = idle(self, misses + 1);
            if (misses == 0)
                return;
            continue;
        }
        if (misses != 0) {
            end_idle(self);
            misses = 0;
        }
        empty_queue(self, traced);
        AL_COUNT(self, gulps, 1);
    }
}

static __attribute__((noinline)) void run_traced(struct al_worker *self)
{
    run(self, true);
}

void al_custody_run(struct al_worker *self)
{
    if (self->trace != NULL)
        run_traced(self);
    else
        run(self, false);
}
