/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/consolidate.h"

#include "schedulers/custody/custody.h"

#include <errno.h>

/*
 * Consolidation: where workers spend their time on exchanging messages, fewer of them are faster. A
 * message that crosses cores costs more than one that is delivered where it was sent, however well
 * messages are batched, so two workers that talk to each other all the time can be slower than one.
 *
 * Every epoch a worker looks at how long each one was busy, and how many messages and chunks it
 * sent to others; the first one without messages that sees the deadline, or later anybody, since
 * the look takes some microseconds. If one worker alone, or half of those in use, could do the same
 * work in less time, because they would no longer exchange it, the others retire: worker w gives
 * all its shards to worker w modulo the number of those that stay.
 *
 * Whether that is faster is a guess, so it is checked after some epochs, and all are used again if
 * it was a mistake; also when a message has become much dearer, which means that there is work to
 * share out; and otherwise after a time that doubles each time it was in vain. Then each worker
 * gets back what it had, so that a trial in vain costs little; and if all prove to be faster, they
 * stay in use for a longer time, whatever the guess says.
 *
 * The workers in use are those below `active`. A retired worker owns nothing, asks nobody, refuses
 * requests, and passes on what it is given, to a smaller number. A shard is handed back once, to
 * who had it first. So shards do not go round in a circle.
 */

#define STREAK  2  /* epochs in a row that must say the same */
#define SETTLED 32 /* epochs without a change, after which looks are rarer */
#define RARER   4
/* Epochs after a change: until EARLY nothing is known; before SURE all workers, used again, may be
 * slower than they will be, and after TRIAL they are believed to be faster; from LATE on messages
 * are taken to pass no faster than before. */
#define EARLY          2
#define SURE           4
#define LATE           8
#define TRIAL          8
#define RISE_PARTS     4 /* faster by a part: this is no steady state yet */
#define MOST_DOUBLINGS 5
#define EVIDENCE       4 /* what was measured is believed so many times as long as a guess */
#define RATE_CYCLES    (1 << 20)
#define FIRST_EPOCH    250000 /* cycles; how long they are is not known yet */
#define PATIENCE_PARTS 2      /* of an epoch: how much later a worker with messages looks */
#define CHANCE         8      /* one look in so many changes something, with `scatter` */
/* Parts of the sums below, which forget half in each epoch: what exchange must at least take of the
 * time, how busy those must be that would retire, and what must be gained. */
#define EXCHANGE_LEAST(elapsed) ((elapsed) / 8)
#define BUSY_LEAST(elapsed)     ((elapsed) / 10 * 9)
#define GAIN_LEAST(elapsed)     ((elapsed) / 10 * 9)
/* ... and how busy one worker may be instead of all if these have little to do. */
#define LONELY_MOST(elapsed) ((elapsed) / 2)
/* What workers do besides exchange is taken to be one part, at least. */
#define REST_PARTS 16

static uint64_t now_less(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

uint64_t al_custody_cycles(const struct al_custody *custody, uint64_t now, uint64_t us)
{
    uint64_t ns = al_clock_ns() - custody->began_ns;
    return (uint64_t)((double)now_less(now, custody->began) / (double)(ns + 1) * 1000 * (double)us);
}

static uint64_t hold_cycles(const struct al_custody *custody, uint64_t now)
{
    return al_custody_cycles(custody, now, custody->hold_us << custody->look.doublings);
}

/* How long a worker was busy since the last look. */
static uint64_t busy_time(struct al_custody *custody, const struct al_custodian *theirs,
                          uint32_t worker, uint64_t now, uint64_t elapsed)
{
    struct al_look *look = &custody->look;
    /* relaxed, here and below: a sample of what changes all the time */
    uint64_t idle_since = al_u64_load_relaxed(&theirs->idle_since);
    uint64_t end = idle_since != 0 && idle_since < now ? idle_since : now;
    uint64_t total = now_less(end, al_u64_load_relaxed(&theirs->idle_total));
    uint64_t busy = now_less(total, look->busy[worker]);
    look->busy[worker] = total;
    return busy < elapsed ? busy : elapsed;
}

/* What exchange has cost since the last look, cycles, by what is known of it then and now. */
static uint64_t exchange_cost(const struct al_custody *custody, const struct al_traffic *traffic,
                              struct al_sent *before)
{
    struct al_sent sent = {al_u64_load_relaxed(&traffic->messages),
                           al_u64_load_relaxed(&traffic->chunks)};
    uint64_t cost = (sent.messages - before->messages) * custody->message_cycles +
                    (sent.chunks - before->chunks) * custody->chunk_cycles;
    *before = sent;
    return cost;
}

/* ... between two workers; one way. */
static uint64_t exchange_between(struct al_runtime *system, uint32_t from, uint32_t to)
{
    struct al_custody *custody = system->scheduler_state;
    const struct al_custodian *theirs = system->workers[from].scheduler;
    return exchange_cost(custody, &theirs->traffic[to],
                         &custody->look.sent[(size_t)from * system->n_workers + to]);
}

/* ... from one worker to all others. */
static uint64_t exchange_of(struct al_runtime *system, uint32_t from)
{
    struct al_custody *custody = system->scheduler_state;
    const struct al_custodian *theirs = system->workers[from].scheduler;
    size_t n = system->n_workers;
    return exchange_cost(custody, &theirs->sent, &custody->look.sent[n * n + from]);
}

/* Workers that were busy for `load` would become one that exchanges `saved` less. What exchange
 * costs is a guess, which may be more than all the time that they had. */
static void expect(struct al_fewer *fewer, uint64_t load, uint64_t saved)
{
    uint64_t rest = now_less(load, saved);
    rest = rest > load / REST_PARTS ? rest : load / REST_PARTS;
    fewer->load += load;
    fewer->saved += saved;
    fewer->worst = rest > fewer->worst ? rest : fewer->worst;
}

static void add(struct al_fewer *sum, const struct al_fewer *latest)
{
    sum->load = sum->load / 2 + latest->load;
    sum->saved = sum->saved / 2 + latest->saved;
    sum->worst = sum->worst / 2 + latest->worst;
}

/* True: so many fewer workers would be faster. */
static bool worth(const struct al_fewer *fewer, uint64_t elapsed, uint32_t groups)
{
    return fewer->saved > EXCHANGE_LEAST(elapsed) && fewer->load > BUSY_LEAST(elapsed) * groups &&
           fewer->worst < GAIN_LEAST(elapsed);
}

/* True: one worker would have little to do, and nobody would wait for exchange any more: there are
 * one or a few messages, each of which leads to the next. */
static bool lonely(const struct al_fewer *one, uint64_t elapsed)
{
    return one->saved > EXCHANGE_LEAST(elapsed) && one->worst < LONELY_MOST(elapsed);
}

/* True: messages pass more slowly than with all workers: by a third at first, since the
 * change itself takes some time; then by ever less. */
static bool mistaken(const struct al_look *look)
{
    return look->epochs > EARLY && look->epochs <= SETTLED &&
           look->fastest_few < look->slowest_all - look->slowest_all / look->epochs;
}

/* How fast messages pass in the slowest epoch with all workers, and in the fastest one with fewer:
 * one epoch differs from the next, and only what is true of each of them is believed. After a
 * change they pass ever faster for some epochs, because caches fill; until then nothing is known.
 */
static void note_rate(struct al_look *look, bool all, uint64_t rate)
{
    bool first = look->epochs < (!all ? 1 : look->on_trial ? SURE : EARLY);
    look->rising = look->epochs < LATE && rate > look->rate + look->rate / RISE_PARTS;
    look->rate = rate;
    if (all)
        look->slowest_all = first || look->rising || rate < look->slowest_all ? rate
                                                                              : look->slowest_all;
    else
        look->fastest_few = first || rate > look->fastest_few ? rate : look->fastest_few;
}

/* True: all workers are tried again, and but for the first epochs, in which only half as fast would
 * be too slow, none was as slow as the fastest one with fewer. If that is so for long enough, all
 * workers stay in use for some time. */
static bool proves_worth(struct al_custody *custody, uint64_t now)
{
    struct al_look *look = &custody->look;
    uint64_t least = look->epochs < SURE ? look->fastest_few / 2 : look->fastest_few;
    if (!look->on_trial || look->slowest_all <= least)
        return false;
    if (look->epochs >= TRIAL) {
        look->on_trial = false;
        look->settled = now + EVIDENCE * hold_cycles(custody, now);
    }
    return true;
}

static void change(struct al_runtime *system, uint32_t active)
{
    struct al_custody *custody = system->scheduler_state;
    struct al_look *look = &custody->look;
    look->epochs = look->working = 0;
    look->elapsed = 0;
    look->half = look->one = (struct al_fewer){0};
    /* What the next pairs have exchanged until now does not count. */
    for (uint32_t half = (active + 1) / 2, w = half; w < active; w++) {
        (void)exchange_between(system, w, w - half);
        (void)exchange_between(system, w - half, w);
    }
    al_u32_store_relaxed(&custody->active, active); /* relaxed: each worker acts on it some time */
    al_idle_wake(system, AL_EVERYONE);
}

/* All workers again. in_vain: not because there is work. */
static void expand(struct al_runtime *system, bool in_vain)
{
    struct al_custody *custody = system->scheduler_state;
    struct al_look *look = &custody->look;
    look->doublings = in_vain ? look->doublings + (look->doublings < MOST_DOUBLINGS) : 0;
    change(system, system->n_workers);
}

void al_custody_use_all(struct al_worker *self)
{
    struct al_custody *custody = al_custody_of(self);
    /* relaxed: a guess; who has just retired is used again some time later */
    if (al_u32_load_relaxed(&custody->active) > self->id || !al_spinlock_try(&custody->look.lock))
        return;
    expand(self->system, false);
    al_spinlock_unlock(&custody->look.lock);
}

/* Messages delivered since the last time that there were any. */
static uint64_t delivered_since(struct al_runtime *system)
{
    struct al_look *look = &al_custody_of(system->workers)->look;
    uint64_t messages = 0;
    for (uint32_t w = 0; w < system->n_workers; w++) {
        const struct al_custodian *theirs = system->workers[w].scheduler;
        uint64_t delivered = al_glimpse(theirs->n_delivered);
        messages += delivered - look->delivered[w];
        look->delivered[w] = delivered;
    }
    return messages;
}

/* Consider using fewer workers, or all again. An epoch lasts until a message has been delivered:
 * while somebody sends thousands in one behaviour, nothing can be known of how fast they pass. */
static void consider(struct al_runtime *system, uint64_t now)
{
    struct al_custody *custody = system->scheduler_state;
    struct al_look *look = &custody->look;
    uint32_t active = al_u32_load_relaxed(&custody->active), half = (active + 1) / 2;
    uint64_t elapsed = now - look->since, most = 0, all = 0, exchanged = 0;
    uint64_t messages = delivered_since(system);
    if (messages == 0)
        return;
    struct al_fewer by_half = {0}, by_one = {0};
    look->since = now;
    for (uint32_t w = 0; w < system->n_workers; w++) {
        const struct al_custodian *theirs = system->workers[w].scheduler;
        look->now_busy[w] = busy_time(custody, theirs, w, now, elapsed);
        most = look->now_busy[w] > most ? look->now_busy[w] : most;
        all += look->now_busy[w];
        exchanged += exchange_of(system, w);
    }
    expect(&by_one, all, exchanged);
    for (uint32_t w = half; w < active; w++)
        expect(&by_half, look->now_busy[w] + look->now_busy[w - half],
               exchange_between(system, w, w - half) + exchange_between(system, w - half, w));
    note_rate(look, active == system->n_workers, messages * RATE_CYCLES / (elapsed + 1));
    look->epochs++;
    look->elapsed = look->elapsed / 2 + elapsed;
    add(&look->half, &by_half);
    add(&look->one, &by_one);
    bool may_retire = active > 1 && look->epochs >= STREAK && now > look->settled &&
                      !look->rising && !(active == system->n_workers && proves_worth(custody, now));
    bool one = may_retire &&
               (worth(&look->one, look->elapsed, 1) || lonely(&look->one, look->elapsed));
    if (one || (may_retire && worth(&look->half, look->elapsed, active - half))) {
        uint64_t saved = one ? by_one.saved : by_half.saved;
        look->exchange16 = messages != 0 ? saved * 16 / messages : 0;
        look->retry = now + hold_cycles(custody, now);
        change(system, one ? 1 : half);
    } else if (active < system->n_workers) {
        /* Real work: what the others could take off is more than exchange would cost, for sure. */
        bool work = most > BUSY_LEAST(elapsed) && most * 16 / (messages + 1) > 3 * look->exchange16;
        look->working = work ? look->working + 1 : 0;
        bool mistake = mistaken(look);
        if (look->working >= STREAK || now > look->retry || mistake) {
            look->settled = mistake ? now + EVIDENCE * hold_cycles(custody, now) : 0;
            look->on_trial = look->working < STREAK && !mistake;
            expand(system, look->working < STREAK);
        }
    }
}

/* Give all that this worker owns to one that is in use. */
static void retire(struct al_worker *self, uint32_t active)
{
    struct al_custodian *mine = self->scheduler;
    struct al_shard *given = NULL;
    uint32_t to = self->id % active;
    if (mine->n_own == 0 || mine->splitting.n_parents != 0) /* parents stay; later */
        return;
    al_custody_flush(self);
    while (mine->n_own != 0) {
        struct al_shard *shard = mine->own[mine->n_own - 1].shard;
        if (shard->lent_by == 0)
            shard->lent_by = self->id + 1;
        given = al_custody_disown(self, shard, to, given);
    }
    al_custody_donate(self, given, to);
}

/* Look again after so many cycles. Others read the two at any time: guesses, so relaxed. */
static void look_after(struct al_custody *custody, uint64_t now, uint64_t cycles)
{
    al_u64_store_relaxed(&custody->deadline, now + cycles);
    al_u64_store_relaxed(&custody->patience, cycles / PATIENCE_PARTS);
}

void al_custody_consolidate(struct al_worker *self, uint64_t now, bool busy)
{
    struct al_custodian *mine = self->scheduler;
    struct al_custody *custody = al_custody_of(self);
    if (custody->epoch_us == 0)
        return;
    /* relaxed: guesses; the lock decides */
    uint64_t deadline = al_u64_load_relaxed(&custody->deadline);
    uint64_t patience = busy ? al_u64_load_relaxed(&custody->patience) : 0;
    if ((int64_t)(now - deadline - patience) > 0 && al_spinlock_try(&custody->look.lock)) {
        if (al_u64_load_relaxed(&custody->deadline) == deadline) {
            uint64_t epoch = 0;
            if (custody->scatter == 0) {
                consider(self->system, now);
                epoch = al_custody_cycles(custody, now, custody->epoch_us);
            } else if (al_random_below(&self->random, CHANCE) == 0) { /* for tests */
                change(self->system, 1 + al_random_below(&self->random, self->system->n_workers));
            }
            look_after(custody, now, custody->look.epochs < SETTLED ? epoch : RARER * epoch);
        }
        al_spinlock_unlock(&custody->look.lock);
    }
    uint32_t active = al_u32_load_relaxed(&custody->active);
    if (__builtin_expect(self->id >= active, 0))
        retire(self, active);
    else if (__builtin_expect(active > mine->seen_active, 0))
        al_custody_hand_back(self);
    mine->seen_active = active;
}

void al_custody_look_begin(struct al_runtime *system)
{
    struct al_custody *custody = system->scheduler_state;
    struct al_look *look = &custody->look;
    if (custody->epoch_us == 0 || custody->scatter != 0)
        return;
    al_spinlock_lock(&look->lock);
    uint64_t now = al_cycles();
    look->since = now;
    look->epochs = look->elapsed = 0;
    look->half = look->one = (struct al_fewer){0};
    for (uint32_t w = 0; w < system->n_workers; w++)
        (void)busy_time(custody, system->workers[w].scheduler, w, now, 0);
    look_after(custody, now, FIRST_EPOCH);
    al_spinlock_unlock(&look->lock);
}

int al_custody_look_init(struct al_runtime *system)
{
    struct al_custody *custody = system->scheduler_state;
    struct al_look *look = &custody->look;
    size_t n = system->n_workers;
    al_clock_pair(&custody->began_ns, &custody->began);
    look->since = custody->began;
    al_u32_store_relaxed(&custody->active, system->n_workers); /* relaxed: no worker runs yet */
    look_after(custody, custody->began, custody->scatter == 0 ? FIRST_EPOCH : 0);
    if (custody->epoch_us == 0)
        return 0;
    look->busy = al_calloc(n, sizeof *look->busy);
    look->now_busy = al_calloc(n, sizeof *look->now_busy);
    look->delivered = al_calloc(n, sizeof *look->delivered);
    look->sent = al_calloc(n * n + n, sizeof *look->sent);
    bool complete = look->busy != NULL && look->now_busy != NULL && look->delivered != NULL &&
                    look->sent != NULL;
    return complete ? 0 : -ENOMEM;
}

void al_custody_look_fini(struct al_custody *custody)
{
    al_free(custody->look.busy);
    al_free(custody->look.now_busy);
    al_free(custody->look.delivered);
    al_free(custody->look.sent);
}
