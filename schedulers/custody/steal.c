/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/steal.h"

#include "schedulers/custody/custody.h"

/*
 * Stealing by request. A worker without work asks a victim and goes on looking; the victim answers
 * when it next looks around, with shards that have about half of what waits in its queue, or with a
 * refusal. So nothing of a queue is shared, and a victim that has something to give pays a few
 * cycles for each question.
 *
 * A refusal doubles the time until the thief asks again; a request that is granted, and work that
 * comes by itself, make it short again.
 */

#define ASK_FIRST 2   /* looks without work before the first request */
#define ASK_LAST  512 /* looks between two requests at most */
/* After it has looked at its queue in vain a worker lets nobody ask for so many times as long as
 * that took, and likewise it wakes nobody after a wake-up in vain; twice as many each time, but at
 * most so many. */
#define REST_FIRST  4
#define CLOSED_LAST 32
#define CALLED_LAST 128
/* A worker that has had work all the time is likely to go on so, however few messages wait at a
 * moment: what was uninterrupted for so long is taken to be worth one part of this. */
#define STREAK_PARTS 8
/* Cycles of which a thief remembers how many it had work. */
#define LATELY 2000000
/* If a message takes so many times as long as its exchange, nobody observes who sends to whom. */
#define LONG_MESSAGES 16
#define KNOWN_QUANTA  16
/* ... but for the others so many messages at least are observed. */
#define OBSERVED_LEAST 64

/* True: messages are very long, or have been long for some quanta, so that it does not matter who
 * sends to whom. The first ones take more time in any case, with cold caches. */
static bool has_long_messages(const struct al_worker *self)
{
    const struct al_custodian *mine = self->scheduler;
    uint64_t n = mine->pace.n_quanta - (mine->pace.n_quanta != 0);
    n = n < KNOWN_QUANTA ? n : KNOWN_QUANTA;
    return mine->pace.least16 / 16 * n >=
           KNOWN_QUANTA * LONG_MESSAGES * al_custody_of(self)->message_cycles;
}

/* The fewest shards of a worker that can give something away, at once or after a split. */
static uint32_t least_own(const struct al_worker *self)
{
    return al_custody_of(self)->splits ? 1 : 2;
}

/* End a request: with shards that are given, or NULL for a refusal. */
static void reply(struct al_worker *self, uint32_t thief, struct al_shard *given)
{
    struct al_custodian *mine = self->scheduler, *theirs = self->system->workers[thief].scheduler;
    mine->cut.observes = false;
    if (given != NULL)
        al_custody_grant(self, given, thief);
    else
        /* release: as for shards */
        al_ptr_store_release(&theirs->grant, AL_REFUSED);
    /* release: partner is the CAS of the next thief */
    al_u32_store_release(&mine->request, 0);
    al_idle_wake(self->system, thief);
}

void al_custody_refuse(struct al_worker *self, uint32_t thief)
{
    struct al_custodian *mine = self->scheduler;
    /* acquire: as in al_custody_answer */
    if (al_u32_load_acquire(&mine->request) == thief + 1)
        reply(self, thief, NULL);
}

/* What has taken the time since then was in vain. If that was longer than `most`, it was
 * interrupted. */
static void rest(struct al_rest *rest, uint64_t last, uint64_t began, uint64_t most)
{
    uint64_t now = al_cycles(), took = now - began;
    rest->factor = rest->factor == 0 ? REST_FIRST : 2 * rest->factor;
    rest->factor = rest->factor < last ? rest->factor : last;
    rest->until = now + rest->factor * (took < most ? took : most);
}

/* Look at the queue for what to give; now or, after a split, once all have acknowledged it. NULL:
 * nothing now. */
static struct al_shard *look_for(struct al_worker *self, uint32_t thief)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t began = al_cycles(), total = al_custody_count_waiting(self);
    struct al_shard *given = mine->n_own >= 2 ? al_custody_cut(self, thief, total) : NULL;
    if (given == NULL)
        al_custody_split(self, total);
    if (given == NULL) {
        rest(&mine->offer.closed, CLOSED_LAST, began,
             mine->n_chunks * al_custody_of(self)->quantum_cycles);
    } else {
        mine->splitting.missed = 0;
        mine->offer.closed.factor = mine->offer.called.factor = 0;
        mine->offer.closed.until = mine->offer.called.until = 0;
    }
    return given;
}

void al_custody_close(struct al_custodian *mine)
{
    if (mine->offer.load == 0)
        return;
    mine->offer.load = 0;
    al_u32_store_relaxed(&mine->load, 0); /* relaxed: a hint */
}

void al_custody_answer(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    /* acquire: partner is the acq_rel of the CAS in al_custody_ask. Without it the grant could be
     * written before the thief has read its last one. */
    uint32_t request = al_u32_load_acquire(&mine->request);
    if (request == 0)
        return;
    uint32_t thief = request - 1;
    struct al_shard *given = NULL;
    if (mine->n_own >= least_own(self) && !al_custody_empty(mine)) {
        bool known = (mine->cut.observes && mine->cut.observed >= OBSERVED_LEAST) ||
                     has_long_messages(self);
        if (!known) {
            if (!mine->cut.observes)
                al_custody_observe_begin(self);
            return;
        }
        given = look_for(self, thief);
    }
    al_custody_close(mine);
    reply(self, thief, given);
}

bool al_custody_answered(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->asking.whom == 0)
        return false;
    /* acquire: partner is the release in al_custody_grant */
    void *grant = al_ptr_load_acquire(&mine->grant);
    if (grant == NULL)
        return false;
    const struct al_victim_ops *victim_ops = self->system->victim_ops;
    uint32_t victim = mine->asking.whom - 1;
    mine->asking.whom = 0;
    /* relaxed: the next request orders it before the next answer */
    al_ptr_store_relaxed(&mine->grant, NULL);
    if (self->trace != NULL)
        al_trace_attempt(self); /* the time in between belongs to what it did then */
    if (grant == AL_REFUSED) {
        al_stole_no_candidate(self, victim);
        al_victim_learn(victim_ops, self, victim, false);
        return false;
    }
    struct al_taken taken = al_custody_take(self, grant);
    al_stole(self, victim, taken.shards, taken.messages);
    al_victim_learn(victim_ops, self, victim, true);
    mine->asking.after = ASK_FIRST;
    return true;
}

void al_custody_publish(struct al_worker *self, uint64_t now)
{
    struct al_custodian *mine = self->scheduler;
    uint64_t worth = al_custody_of(self)->worth_cycles;
    uint64_t waiting = mine->first == mine->last
                           ? (uint64_t)(mine->routes.own.tail - mine->read)
                           : (uint64_t)(mine->n_chunks - 1) * AL_CHUNK_ENVELOPES;
    uint32_t load = waiting < UINT32_MAX ? (uint32_t)waiting : UINT32_MAX;
    if (waiting < 2 || mine->n_own < least_own(self) || now < mine->offer.closed.until ||
        (waiting * mine->pace.cost16 / 16 < worth &&
         (now - mine->offer.busy_since) / STREAK_PARTS < worth))
        load = 0;
    if (load != mine->offer.load) {
        mine->offer.load = load;
        al_u32_store_relaxed(&mine->load, load); /* relaxed: a hint */
    }
    /* Again and again: who was woken before may have got work from elsewhere. */
    if (load != 0 && al_custody_of(self)->steals && self->system->wake != NULL &&
        now >= mine->offer.called.until) {
        uint64_t began = al_cycles();
        al_idle_wake(self->system, AL_ANYONE);
        rest(&mine->offer.called, CALLED_LAST, began, al_custody_of(self)->quantum_cycles);
    }
}

static bool has_load(const struct al_worker *self, uint32_t victim)
{
    const struct al_custodian *theirs = self->system->workers[victim].scheduler;
    return al_u32_load_relaxed(&theirs->load) != 0; /* relaxed: a hint */
}

/* Whom the heuristic picks; or the next worker in turn, if only that one has something to give: a
 * heuristic may name the same worker again and again. */
static uint32_t pick(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    uint32_t victim = al_victim_pick(self->system->victim_ops, self);
    if (victim == AL_NO_WORKER || has_load(self, victim))
        return victim;
    mine->asking.next = mine->asking.next + 1 < self->system->n_workers ? mine->asking.next + 1 : 0;
    return mine->asking.next != self->id && has_load(self, mine->asking.next) ? mine->asking.next
                                                                              : victim;
}

void al_custody_remember(struct al_custodian *mine, uint64_t busy, uint64_t idle)
{
    struct al_asking *asking = &mine->asking;
    asking->busy += (double)busy;
    asking->idle += (double)idle;
    double sum = asking->busy + asking->idle;
    if (sum > LATELY) {
        asking->busy *= LATELY / sum;
        asking->idle *= LATELY / sum;
    }
}

/* Publish what the answer to a request depends on; the CAS that sends it orders that. */
static void declare(struct al_custodian *mine)
{
    /* relaxed, here and below: the CAS is the partner, and idle_since is its own */
    double idle = mine->asking.idle +
                  (double)(al_cycles() - al_u64_load_relaxed(&mine->idle_since));
    al_u32_store_relaxed(&mine->lately.busy, (uint32_t)mine->asking.busy);
    al_u32_store_relaxed(&mine->lately.idle,
                         idle < (double)UINT32_MAX ? (uint32_t)idle : UINT32_MAX);
    al_u32_store_relaxed(&mine->had, mine->n_own);
}

/* Send a request, unless somebody else asks this victim, or it has nothing to give. */
static bool request(struct al_worker *self, uint32_t victim)
{
    struct al_custodian *theirs = self->system->workers[victim].scheduler;
    uint32_t nobody = 0;
    /* relaxed: guesses */
    if (!has_load(self, victim) || al_u32_load_relaxed(&theirs->request) != 0)
        return false;
    struct al_custodian *mine = self->scheduler;
    declare(mine);
    /* acq_rel: partner is al_custody_answer, see there */
    if (!al_u32_cas_acq_rel(&theirs->request, &nobody, self->id + 1))
        return false;
    al_idle_wake(self->system, victim);
    return true;
}

uint64_t al_custody_ask(struct al_worker *self, uint64_t misses)
{
    struct al_custodian *mine = self->scheduler;
    const struct al_custody *custody = al_custody_of(self);
    if (misses == 1) {
        mine->asking.after = ASK_FIRST;
        mine->asking.at = ASK_FIRST;
    }
    /* relaxed: a retired worker that asks is a waste, no mistake */
    if (!custody->steals || mine->asking.whom != 0 ||
        al_u32_load_relaxed(&custody->active) <= self->id)
        return AL_ALWAYS;
    if (misses < mine->asking.at)
        return mine->asking.at - misses - 1;
    mine->asking.after = mine->asking.after < ASK_LAST ? 2 * mine->asking.after : ASK_LAST;
    mine->asking.at = misses + mine->asking.after;
    const struct al_victim_ops *victim_ops = self->system->victim_ops;
    uint32_t victim = pick(self);
    if (victim != AL_NO_WORKER && request(self, victim)) {
        mine->asking.whom = victim + 1;
        return AL_ALWAYS;
    }
    al_stole_no_candidate(self, victim);
    if (victim != AL_NO_WORKER)
        al_victim_learn(victim_ops, self, victim, false);
    return mine->asking.at - misses - 1;
}

void al_custody_give_up(struct al_worker *self)
{
    struct al_custodian *mine = self->scheduler;
    if (mine->asking.whom != 0)
        al_stole_no_candidate(self, mine->asking.whom - 1);
}
