/* SPDX-License-Identifier: MIT */
#include "core/watermark.h"

#include "core/system_private.h"

/* The sum of all balances, modulo 2^64: the one that gives back need not be the one that grew. A
 * sum below 0, which overlapping resizes may lead to, counts as 0. */
static uint64_t balance(const struct al_system *system)
{
    uint64_t sum = 0;
    /* relaxed: an estimate while workers run; afterwards their end has published everything */
    for (uint32_t i = 0; i <= system->shown.n_workers; i++)
        sum += al_u64_load_relaxed(&system->shown.workers[i].queue_bytes);
    /* acquire: partner is the CAS in al_worker_detach (core/detached.c), publishes the worker */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        sum += al_u64_load_relaxed(&w->queue_bytes);
    return sum > INT64_MAX ? 0 : sum;
}

void al_queue_resized(uint64_t from_bytes, uint64_t to_bytes)
{
    struct al_worker *self = al_self();
    if (!AL_COUNTERS || self == NULL)
        return;
    bool charged = al_charge(false);
    /* relaxed: only this thread writes it, and who reads it meanwhile wants an estimate */
    al_u64_store_relaxed(&self->queue_bytes,
                         al_u64_load_relaxed(&self->queue_bytes) + to_bytes - from_bytes);
    if (to_bytes > from_bytes) {
        uint64_t sum = balance(al_system_of(self->system));
        self->queue_most = sum > self->queue_most ? sum : self->queue_most;
    }
    (void)al_charge(charged);
}

uint64_t al_watermark_above_now(const struct al_system *system)
{
    uint64_t now = balance(system), most = now;
    for (uint32_t i = 0; i <= system->shown.n_workers; i++) {
        uint64_t seen = system->shown.workers[i].queue_most;
        most = seen > most ? seen : most;
    }
    /* acquire: as in balance */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        most = w->queue_most > most ? w->queue_most : most;
    return most - now;
}
