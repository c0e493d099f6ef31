/* SPDX-License-Identifier: MIT */
#include "schedulers/custody/watch.h"

#include <errno.h>

#include "schedulers/custody/custody.h"

#define WATCH_PARTS 2 /* looks at all workers in the time that makes a behaviour a long one */

/* Look at all workers. Returns one that is in the same behaviour for long, or AL_NO_WORKER. */
static uint32_t look_at_all(struct al_worker *self, uint64_t now)
{
    struct al_watch *watch = &al_custody_of(self)->watch;
    uint32_t found = AL_NO_WORKER;
    for (uint32_t w = 0; w < self->system->n_workers; w++) {
        struct al_custodian *theirs = self->system->workers[w].scheduler;
        struct al_watched *watched = &watch->workers[w];
        const void *at = al_ptr_load_relaxed(&theirs->seizure.at); /* relaxed: a sample */
        uint64_t delivered = al_glimpse(theirs->n_delivered);
        if (at == NULL || at != watched->at || delivered != watched->delivered)
            *watched = (struct al_watched){at, delivered, now};
        else if (now - watched->since >= watch->cycles && found == AL_NO_WORKER)
            found = w;
    }
    return found;
}

bool al_custody_watch(struct al_worker *self)
{
    const struct al_custody *custody = al_custody_of(self);
    struct al_watch *watch = &al_custody_of(self)->watch;
    uint64_t now = al_cycles(), deadline = al_u64_load_relaxed(&watch->deadline); /* a guess */
    if ((int64_t)(now - deadline) < 0 || !al_spinlock_try(&watch->lock))
        return false;
    uint32_t victim = AL_NO_WORKER;
    if (al_u64_load_relaxed(&watch->deadline) == deadline) {
        if (watch->cycles == 0)
            watch->cycles = al_custody_cycles(custody, now, watch->us);
        victim = look_at_all(self, now);
        al_u64_store_relaxed(&watch->deadline, now + watch->cycles / WATCH_PARTS);
        if (victim != AL_NO_WORKER)
            watch->workers[victim].since = now;
    }
    al_spinlock_unlock(&watch->lock);
    if (victim == AL_NO_WORKER || victim == self->id || !al_custody_seize(self, victim))
        return false;
    al_custody_use_all(self);
    return true;
}

/* Whether no other worker has work. */
static bool is_quiet(const struct al_worker *self)
{
    for (uint32_t w = 0; w < self->system->n_workers; w++) {
        const struct al_custodian *theirs = self->system->workers[w].scheduler;
        if (w != self->id && al_u64_load_relaxed(&theirs->idle_since) == 0)
            return false;
    }
    return true;
}

uint64_t al_custody_nap(struct al_worker *self)
{
    struct al_watch *watch = &al_custody_of(self)->watch;
    if (watch->workers == NULL)
        return UINT64_MAX;
    uint32_t watcher = al_u32_load_relaxed(&watch->watcher), me = self->id + 1;
    /* relaxed: the role guards nothing; the fence of the idle policy comes before */
    if (watcher != me && (watcher != 0 || !al_u32_cas_relaxed(&watch->watcher, &watcher, me)))
        return UINT64_MAX;
    if (self->system->wake != NULL && is_quiet(self)) {
        al_u32_store_relaxed(&watch->quiet, 1); /* relaxed: the barrier orders it */
        al_membarrier();                        /* partner: the fence in get_work */
        if (is_quiet(self))
            return UINT64_MAX;
    }
    al_u32_store_relaxed(&watch->quiet, 0);
    return watch->us * 1000;
}

/* Out of line: rare. */
__attribute__((noinline)) void al_custody_pass_watch(struct al_worker *self, uint32_t watcher)
{
    struct al_watch *watch = &al_custody_of(self)->watch;
    if (watcher == self->id + 1) {
        al_u32_store_relaxed(&watch->quiet, 0);
        /* relaxed: the fence of the idle policy comes before it looks who sleeps */
        al_u32_store_relaxed(&watch->watcher, 0);
        watcher = 0;
    }
    al_idle_wake(self->system, watcher != 0 ? watcher - 1 : AL_ANY_SLEEPER);
}

int al_custody_watch_init(struct al_runtime *system, uint64_t us)
{
    struct al_watch *watch = &al_custody_of(system->workers)->watch;
    if (us == 0)
        return 0;
    watch->us = us;
    watch->workers = al_calloc(system->n_workers, sizeof *watch->workers);
    return watch->workers != NULL ? 0 : -ENOMEM;
}
