/* SPDX-License-Identifier: MIT */

/*
 * Two threads, each bound to one PU, pass a number to and fro through one cache line:
 *
 *   sender      word = 2k + 1, then waits for word = 2k + 2
 *   answerer    waits for word = 2k + 1, then word = 2k + 2
 *
 * The time of a round trip is that of two hand-offs. It is measured in batches, and the smallest
 * batch counts, not the median one: whatever disturbs a batch (an interrupt, a preemption, another
 * guest of the host) only lengthens it, and lasts shorter than the probe; a host that moved the
 * cores apart lengthens all of them.
 */

#include "benchmarks/harness/measure/handoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/text/json.h"
#include "core/machine/topology.h"
#include "core/sync/sync.h"

enum {
    BATCHES = 10,
    ROUNDS = 50,     /* of a batch: some 10 us, too short for most preemptions to hit */
    PAUSES = 64,     /* between two looks at the clock */
    PATIENCE = 4096, /* looks until the other thread is taken not to run: some 100 us */
};

/* How long to sleep then. Whoever has slept may preempt, so that both threads of the probe soon run
 * at once on PUs that others keep busy; if both spun, they might run in turns for long. */
#define NAP_NS 100000u

/* How long to wait for a thread to end, which it does as soon as it runs. */
#define JOIN_NS 1000000000u

/*
 * What two threads share. On the heap, and left there, with its reference to the topology, if one
 * of them does not end in time: it may still look at both.
 */
struct pair {
    /* The line that is passed, alone in the two that a prefetcher fetches together. */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 word;
    /* Written rarely. */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 stop;
    struct al_topology *topology; /* a reference */
    uint64_t until_ns;
    struct side {
        struct pair *pair;
        unsigned pu;
        struct al_atomic_u32 state; /* enum state */
        struct al_thread thread;
    } sender, answerer;
    double ns;         /* the sender's result */
    struct pair *next; /* among those left there */
};

/* Written by the thread that measures. Nobody uses them, but what is reachable is no leak. */
static struct pair *left;

enum state { STARTING, BOUND, NOT_BOUND };

/* True once the word has this value; false if the time is over. */
static bool wait_for(const struct pair *pair, uint64_t value)
{
    for (uint32_t looks = 1;; looks++) {
        /* acquire: partner is the release store of the other thread. The time is that of handing
         * over data, so the orders are those of it. */
        if (al_u64_load_acquire(&pair->word) == value)
            return true;
        /* relaxed: the thread that does not see it has the time as well */
        if (looks % PAUSES == 0 &&
            (al_u32_load_relaxed(&pair->stop) != 0 || al_clock_ns() >= pair->until_ns))
            return false;
        if (looks % PATIENCE == 0)
            al_sleep_ns(NAP_NS);
        al_pause();
    }
}

/* Bind the calling thread. True if it is seen on its PU. */
static bool bind(struct side *self)
{
    bool bound = al_topology_bind(self->pair->topology, self->pu) == (int)self->pu;
    al_u32_store_relaxed(&self->state, bound ? BOUND : NOT_BOUND); /* publishes nothing else */
    return bound;
}

static void answer(void *argument)
{
    struct side *self = argument;
    struct pair *pair = self->pair;
    if (!bind(self))
        return;
    for (uint64_t k = 0; k < BATCHES * ROUNDS && wait_for(pair, 2 * k + 1); k++)
        al_u64_store_release(&pair->word, 2 * k + 2); /* partner: acquire in wait_for */
}

static void send(void *argument)
{
    struct side *self = argument;
    struct pair *pair = self->pair;
    if (!bind(self))
        return;
    while (al_u32_load_relaxed(&pair->answerer.state) == STARTING && al_clock_ns() < pair->until_ns)
        al_pause();
    if (al_u32_load_relaxed(&pair->answerer.state) != BOUND || al_clock_ns() >= pair->until_ns)
        return;
    uint64_t k = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t began_ns = al_clock_ns();
        for (int round = 0; round < ROUNDS; round++, k++) {
            al_u64_store_release(&pair->word, 2 * k + 1); /* partner: acquire in wait_for */
            if (!wait_for(pair, 2 * k + 2))
                return;
        }
        pair->ns = fmin(pair->ns, (double)(al_clock_ns() - began_ns) / (2 * ROUNDS));
    }
}

/* Wait for a thread. False if it still runs: it is left to end by itself. */
static bool end(struct al_thread *thread)
{
    bool ended = al_thread_join_for(thread, JOIN_NS);
    if (!ended)
        al_thread_detach(thread);
    return ended;
}

/* Start both threads and wait for them. False if one of them still runs. */
static bool run(struct pair *pair)
{
    if (al_thread_start(&pair->answerer.thread, answer, &pair->answerer) != 0)
        return true;
    bool sends = al_thread_start(&pair->sender.thread, send, &pair->sender) == 0;
    bool ended = !sends || end(&pair->sender.thread);
    al_u32_store_relaxed(&pair->stop, 1); /* relaxed: advice */
    return end(&pair->answerer.thread) && ended;
}

/* Nanoseconds one way, NAN if there was no answer, or a thread did not end. False if the first PU
 * cannot be bound to. */
static bool measure(const struct al_topology *topology, unsigned from, unsigned to,
                    uint64_t limit_ns, double *ns)
{
    struct pair *pair = al_needed(aligned_alloc(_Alignof(struct pair), sizeof *pair));
    memset(pair, 0, sizeof *pair);
    pair->topology = al_topology_keep(topology);
    pair->until_ns = al_clock_ns() + limit_ns;
    pair->sender = (struct side){.pair = pair, .pu = from};
    pair->answerer = (struct side){.pair = pair, .pu = to};
    pair->ns = NAN;
    *ns = NAN;
    if (!run(pair)) {
        pair->next = left;
        left = pair;
        return true;
    }
    *ns = pair->ns;
    bool bound = al_u32_load_relaxed(&pair->sender.state) == BOUND;
    al_topology_free(pair->topology);
    free(pair);
    return bound;
}

void al_handoff_between(const struct al_topology *topology, unsigned from, const unsigned *to,
                        size_t n, uint64_t limit_ns, struct al_handoff *handoff)
{
    double known[AL_HANDOFF_MOST];
    size_t n_known = 0;
    uint64_t began_ns = al_clock_ns();
    *handoff = (struct al_handoff){.known = n > 0, .from = from, .n = n};
    for (size_t i = 0; i < n; i++) {
        handoff->to[i] = to[i];
        handoff->ns[i] = NAN;
        if (i == 0 || al_clock_ns() - began_ns < AL_HANDOFF_LIMITS * limit_ns)
            handoff->known &= measure(topology, from, to[i], limit_ns, &handoff->ns[i]);
        if (!handoff->known)
            return;
        if (!isnan(handoff->ns[i]))
            known[n_known++] = handoff->ns[i];
    }
    handoff->median_ns = al_median(known, n_known);
    handoff->took_ns = al_clock_ns() - began_ns;
}

size_t al_handoff_choose(const unsigned *pus, size_t n_pus, uint32_t n_workers,
                         unsigned to[AL_HANDOFF_MOST])
{
    size_t others = n_workers < n_pus ? n_workers
                                      : n_pus; /* more workers take the same PUs again */
    others = others > 1 ? others - 1 : n_pus > 1 ? 1 : 0;
    size_t n = others < AL_HANDOFF_MOST ? others : AL_HANDOFF_MOST;
    for (size_t i = 0; i < n; i++)
        to[i] = pus[1 + (n > 1 ? i * (others - 1) / (n - 1) : 0)];
    return n;
}

void al_handoff_probe(const struct al_config *config, uint32_t n_workers,
                      struct al_handoff *handoff)
{
    struct al_error error;
    unsigned *pus, to[AL_HANDOFF_MOST];
    size_t n_pus;
    *handoff = (struct al_handoff){.known = false};
    if (!al_topology_pins(config->topology, config->pin) ||
        al_topology_order(config->topology, config->pin, &pus, &n_pus, &error) != 0)
        return;
    size_t n = al_handoff_choose(pus, n_pus, n_workers, to);
    if (n > 0)
        al_handoff_between(config->topology, pus[0], to, n, AL_HANDOFF_LIMIT_NS, handoff);
    free(pus);
}

static json_t *ns_or_null(double ns)
{
    return isnan(ns) ? json_null() : json_real(ns);
}

json_t *al_handoff_json(const struct al_handoff *handoff)
{
    if (!handoff->known)
        return json_null();
    json_t *to = json_array(), *ns = json_array();
    for (size_t i = 0; i < handoff->n; i++) {
        json_array_append_new(to, json_integer(handoff->to[i]));
        json_array_append_new(ns, ns_or_null(handoff->ns[i]));
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:I}", "from", (json_int_t)handoff->from, "to", to, "ns",
                     ns, "median_ns", ns_or_null(handoff->median_ns), "took_ns",
                     (json_int_t)handoff->took_ns);
}
