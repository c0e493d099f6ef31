/* SPDX-License-Identifier: MIT */

/*
 * Park: after a bounded spin, sleep on a futex, until whoever has made work visible wakes the
 * worker. Where others want the PU, which they show by taking it, the spin is short.
 *
 * Invariants
 *   (1) no wake-up is lost: the sleeper announces itself (asleep), then looks for work once more;
 *       the waker makes work visible, then looks for an announcement. A fence stands between the
 *       two steps of each, so at least one sees what the other did
 *   (2) a sleeper's state becomes ASLEEP by its owner; it becomes AWAKE by whoever wakes it, or by
 *       the owner
 *   (3) n_asleep >= the number of sleepers whose state is ASLEEP, so that a sender with nobody to
 *       wake reads one cache line
 */

#include "schedulers/idle/idles.h"

#include <errno.h>
#include <string.h>

#include "core/plugin/scheduler.h"

enum option { SPINS };

static const struct al_option options[] = {
    [SPINS] = {"park_spin", AL_OPTION_UINT, "16000", 0, 1e9, NULL,
               "looks before a worker sleeps; a sixteenth of these where others want its PU"},
    {0},
};

#define SHORT_PARTS 16
/* Who has lost its PU loses it again soon: a few of the kernel's time slices. */
#define CONTENDED_NS 20000000

enum state { AWAKE, ASLEEP };

struct sleeper {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 state; /* enum state */
    /* the owner's */
    bool has_looked;          /* how often it has been preempted; in this spin */
    bool contended;           /* as seen then */
    uint64_t preemptions;     /* then, + 1; 0: it has never looked */
    uint64_t contended_until; /* ns */
};

struct park {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 n_asleep;
    struct sleeper sleepers[]; /* one per worker */
};

static int park_init(struct al_runtime *system, struct al_error *error)
{
    size_t bytes = sizeof(struct park) + system->n_workers * sizeof(struct sleeper);
    struct park *park = al_aligned_alloc(_Alignof(struct park), bytes);
    if (park == NULL)
        return al_error_set(error, -ENOMEM, "no memory for %u sleepers", system->n_workers);
    al_u32_store_relaxed(&park->n_asleep, 0);
    memset(park->sleepers, 0, system->n_workers * sizeof *park->sleepers);
    for (uint32_t i = 0; i < system->n_workers; i++)
        al_u32_store_relaxed(&park->sleepers[i].state, AWAKE); /* relaxed: no worker runs yet */
    system->idle_state = park;
    return 0;
}

static void park_fini(struct al_runtime *system)
{
    al_free(system->idle_state);
}

/* True for exactly one caller per sleep, the owner or a waker: whoever ends it. */
static bool end_sleep(struct park *park, struct sleeper *sleeper)
{
    uint32_t expected = ASLEEP;
    /* relaxed: the fences order the announcement, and the word publishes nothing: the worker looks
     * for work once it is awake */
    if (al_u32_load_relaxed(&sleeper->state) != ASLEEP ||
        !al_u32_cas_relaxed(&sleeper->state, &expected, AWAKE))
        return false;
    al_u32_add_relaxed(&park->n_asleep, (uint32_t)-1);
    return true;
}

/* Looks until a worker sleeps, after so many. Once in each spin, when it has been short, it looks
 * whether others want the PU. What was before its first look does not count: starting a system
 * takes the PU from its threads. */
static uint64_t spins_of(const struct al_worker *self, struct sleeper *sleeper, uint64_t misses)
{
    uint64_t spins = self->system->idle.values[SPINS].uint, few = spins / SHORT_PARTS;
    if (misses < few) {
        sleeper->has_looked = sleeper->contended = false;
    } else if (!sleeper->has_looked) {
        uint64_t preemptions = al_preemptions() + 1, now = al_clock_ns();
        if (sleeper->preemptions != 0 && preemptions != sleeper->preemptions)
            sleeper->contended_until = now + CONTENDED_NS;
        sleeper->preemptions = preemptions;
        sleeper->contended = now < sleeper->contended_until;
        sleeper->has_looked = true;
    }
    return self->system->oversubscribed || sleeper->contended ? few : spins;
}

static uint64_t park_wait(struct al_worker *self, uint64_t misses, uint64_t alike)
{
    struct park *park = self->system->idle_state;
    struct sleeper *sleeper = &park->sleepers[self->id];
    uint64_t spins = spins_of(self, sleeper, misses), left = misses < spins ? spins - misses : 0;
    uint64_t left_out = 0;
    /* Yield before the spins too: the next look may find work that this worker cannot take while
     * another one, which needs the PU, holds it. */
    if (self->system->oversubscribed)
        al_yield();
    else
        left_out = al_pause_unchanged(alike < left ? alike : left);
    if (misses + left_out <= spins)
        return left_out;
    al_u32_add_relaxed(&park->n_asleep, 1); /* before the state, by (3); the fence orders both */
    al_u32_store_relaxed(&sleeper->state, ASLEEP);
    /* Partner: the fence in park_wake. Without it the look could come before the announcement, so
     * that worker and waker miss each other. */
    al_fence_sleep(self->system);
    if (!al_work_in_sight(self) && !al_worker_done(self)) {
        al_trace_asleep(self);
        uint64_t most = al_idle_most(self, UINT64_MAX);
        if (most != UINT64_MAX)
            al_park_for(&sleeper->state, ASLEEP, most);
        else
            while (al_u32_load_relaxed(&sleeper->state) == ASLEEP)
                al_park(&sleeper->state, ASLEEP);
        al_trace_awake(self, AL_TRACE_PARK);
    }
    end_sleep(park, sleeper);
    return left_out;
}

static bool wake_one(struct park *park, uint32_t id)
{
    struct sleeper *sleeper = &park->sleepers[id];
    if (!end_sleep(park, sleeper))
        return false;
    al_unpark(&sleeper->state, 1);
    al_woke(1);
    return true;
}

static void park_wake(struct al_runtime *system, uint32_t id)
{
    struct park *park = system->idle_state;
    al_fence_wake(system); /* partner: the fence in park_wait */
    if (al_u32_load_relaxed(&park->n_asleep) == 0)
        return;
    if (id < system->n_workers) {
        wake_one(park, id);
        return;
    }
    uint32_t n = id == AL_ANYONE ? al_workers_in_use(system) : system->n_workers;
    for (uint32_t i = 0; i < n; i++) {
        if (wake_one(park, i) && id != AL_EVERYONE)
            return;
    }
}

const struct al_idle_ops al_idle_park = {
    .plugin = {"park", "spin for a while, then sleep until a sender wakes the worker", options},
    .init = park_init,
    .fini = park_fini,
    .wait = park_wait,
    .wake = park_wake,
};
