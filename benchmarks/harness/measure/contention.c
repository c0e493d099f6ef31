/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/contention.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory/lines.h"
#include "core/random.h"

/* A simulated machine needs no long repetitions, as its threads begin at the same time; of many
 * threads, each does less. */
enum { SHORTER_SIMULATED = 16, LEAST_SIMULATED = 4 * AL_CONTENTION_BATCH };

static uint32_t operations_of(const struct al_contender *self)
{
    uint32_t operations = self->what->operations;
    if (!al_is_virtual || self->what->own_bytes != 0)
        return operations;
    operations /= SHORTER_SIMULATED * self->n;
    return operations > LEAST_SIMULATED ? operations : LEAST_SIMULATED;
}

/* Wait until all threads have come here for the `nth` time, from 1 on. */
static void meet(struct al_contender *self, uint32_t nth)
{
    al_u32_add_acq_rel(&self->shared->arrived, 1); /* partner: the acquire below */
    while (al_u32_load_acquire(&self->shared->arrived) < nth * self->n)
        al_pause_unchanged(AL_ALWAYS);
}

static void repeat_until_over(struct al_contender *self)
{
    uint32_t operations = operations_of(self);
    self->began_ns = al_clock_ns();
    /* relaxed, as below: it says nothing but that it is over */
    while (al_u32_load_relaxed(&self->shared->over) == 0) {
        self->what->batch(self);
        self->done += AL_CONTENTION_BATCH;
        if (self->done >= operations)
            al_u32_store_relaxed(&self->shared->over, 1);
    }
    self->ended_ns = al_clock_ns();
}

/* By the first, after all have ended a repetition. */
static void add_sample(struct al_contender *self)
{
    uint64_t began_ns = self->began_ns, ended_ns = self->ended_ns, done = 0;
    for (uint32_t i = 0; i < self->n; i++) {
        struct al_contender *one = &self->all[i];
        began_ns = one->began_ns < began_ns ? one->began_ns : began_ns;
        ended_ns = one->ended_ns > ended_ns ? one->ended_ns : ended_ns;
        done += one->done;
        one->done = 0;
    }
    al_u32_store_relaxed(&self->shared->over, 0); /* relaxed: published by the next meeting */
    al_samples_add(self->ns, (double)(ended_ns - began_ns) / (double)done);
}

/* Each line of the own memory has the address of the next, in random order: all make one circle.
 * Where nothing follows them, they have none, which the simulated machine would take for one that
 * the next access needs. */
static void link_lines(struct al_contender *self)
{
    size_t n = self->what->own_bytes / AL_CACHE_LINE_BYTES,
           in_line = AL_CACHE_LINE_BYTES / sizeof *self->own;
    struct al_random random;
    al_random_seed(&random, n, 0);
    for (size_t i = 0; i < n; i++)
        self->own[i * in_line] = self->what->random ? &self->own[i * in_line] : NULL;
    for (size_t i = n; self->what->random && i-- > 1;) { /* Sattolo's shuffle: one circle */
        size_t other = al_random_below(&random, (uint32_t)i);
        void *line = self->own[i * in_line];
        self->own[i * in_line] = self->own[other * in_line];
        self->own[other * in_line] = line;
    }
    self->at = self->own;
}

/* The first repetition warms up, and is not counted. */
static void contend(void *argument)
{
    struct al_contender *self = argument;
    uint32_t met = 0;
    if (self->own != NULL)
        link_lines(self);
    for (uint32_t repeat = 0; repeat <= self->repeats; repeat++) {
        meet(self, ++met);
        repeat_until_over(self);
        meet(self, ++met);
        if (self->all == self)
            add_sample(self);
    }
    void **block = al_ptr_exchange_acquire(&self->given, NULL); /* partner: `give` */
    while (block != NULL) {
        void **before = *block;
        al_free(block);
        block = before;
    }
}

static int run_contenders(const struct al_topology *topology, struct al_contender *all,
                          const unsigned *pus, struct al_samples *ns)
{
    struct al_calibrate_thread threads[AL_CONTENDERS_MOST];
    uint32_t n = all->n;
    int code = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = all[i].what->own_bytes;
        all[i].own = bytes != 0 ? al_aligned_alloc(AL_CALIBRATE_PAGE_BYTES, bytes) : NULL;
        code = bytes != 0 && all[i].own == NULL ? -ENOMEM : code;
        threads[i] = (struct al_calibrate_thread){
            .function = contend, .argument = &all[i], .pu = pus[i]};
    }
    size_t before = ns->n;
    if (code == 0)
        code = al_calibrate_run(topology, threads, n);
    if (code == 0 && ns->n > before) {
        memmove(&ns->values[before], &ns->values[before + 1],
                (ns->n - before - 1) * sizeof *ns->values);
        ns->n--;
    }
    for (uint32_t i = 0; i < n; i++)
        al_free(all[i].own);
    return code;
}

int al_contention_run(const struct al_topology *topology, const struct al_contention *what,
                      bool thinks, const unsigned *pus, uint32_t n, uint32_t repeats,
                      struct al_samples *ns)
{
    struct al_contended *shared = al_lines_new(sizeof *shared);
    struct al_contender *all = al_lines_new(n * sizeof *all);
    int code = shared != NULL && all != NULL ? 0 : -ENOMEM;
    if (code == 0)
        code = al_lock_choose(&shared->by_ticket, AL_LOCK_TICKET, n);
    if (code == 0)
        code = al_lock_choose(&shared->by_queue, AL_LOCK_MCS, n);
    for (uint32_t i = 0; i < n && code == 0; i++) {
        all[i].shared = shared;
        all[i].what = what;
        all[i].next = &all[(i + 1) % n];
        all[i].n = n;
        all[i].repeats = repeats;
        all[i].thinks = thinks;
        all[i].all = all;
        all[i].ns = ns;
    }
    if (code == 0)
        code = run_contenders(topology, all, pus, ns);
    if (shared != NULL)
        al_lock_choice_free(&shared->by_queue);
    al_free(all);
    al_free(shared);
    return code;
}

int al_contention_pus(const struct al_topology *topology, unsigned pus[AL_CONTENDERS_MOST],
                      struct al_error *error)
{
    unsigned *order;
    size_t n_order;
    int n = 0, code = al_topology_order(topology, "close", &order, &n_order, error);
    if (code != 0)
        return code;
    for (size_t i = 0; i < n_order && n < AL_CONTENDERS_MOST; i++) {
        bool other_core = true;
        for (int k = 0; k < n && other_core; k++)
            other_core = al_model_handoff_class(topology, pus[k], order[i]) !=
                         AL_MODEL_HANDOFF_CORE;
        if (other_core)
            pus[n++] = order[i];
    }
    free(order);
    return n;
}
