/* SPDX-License-Identifier: MIT */

/*
 * The locks that a system may choose (core/sync/lock.h): each excludes, publishes what it protects,
 * is free at the end, and those with a queue serve in the order of arrival. Runs on threads, and in
 * many interleavings on the virtual engine (AL_VIRTUAL), which reports a lost hand-over as a
 * deadlock or as a run without end.
 */

#include "core/sync/lock.h"

#include <unistd.h>

#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS  2000
#define ROUNDS 4
#else
#define SEEDS  1
#define ROUNDS 20000
#endif

#define THREADS 4

struct scene {
    struct al_lock_choice choice;
    union al_lock locks[2];
    uint64_t counts[2]; /* each under its lock */
    struct al_atomic_u32 numbers;
    uint32_t served[THREADS], n_served; /* under locks[0] */
};

static void run_threads(void (*function)(void *), uint32_t n, struct scene *scene)
{
    struct al_thread threads[THREADS];
    for (uint32_t i = 0; i < n; i++)
        CHECK(al_thread_start(&threads[i], function, scene) == 0, "no thread");
    for (uint32_t i = 0; i < n; i++)
        al_thread_join(&threads[i]);
}

/* Two locks in turn, so that a thread's node is in one queue after the other. */
static void count(void *argument)
{
    struct scene *scene = argument;
    uint32_t self = al_u32_add_relaxed(&scene->numbers, 1);
    for (int i = 0; i < ROUNDS; i++) {
        int k = (i + (int)self) % 2;
        al_lock_take(&scene->choice, &scene->locks[k], self);
        uint64_t seen = scene->counts[k];
        al_pause(); /* a choice point, at which a second holder would be let in */
        scene->counts[k] = seen + 1;
        al_lock_release(&scene->choice, &scene->locks[k], self);
    }
}

/* Tickets that soon begin again at 0. */
static void age(struct scene *scene)
{
    for (int i = 0; i < 2 && scene->choice.kind == AL_LOCK_TICKET; i++) {
        al_u16_store_relaxed(&scene->locks[i].ticket.next, UINT16_MAX - 1);
        al_u16_store_relaxed(&scene->locks[i].ticket.serving, UINT16_MAX - 1);
    }
}

static bool is_free(const struct scene *scene, const union al_lock *lock)
{
    if (scene->choice.kind == AL_LOCK_TICKET)
        return al_u16_load_relaxed(&lock->ticket.next) ==
               al_u16_load_relaxed(&lock->ticket.serving);
    return al_u32_load_relaxed(&lock->tail) == 0;
}

static void run_count(void *argument)
{
    struct scene *scene = argument;
    age(scene);
    run_threads(count, THREADS, scene);
    uint64_t counted = scene->counts[0] + scene->counts[1];
    CHECK(counted == (uint64_t)THREADS * ROUNDS, "%s: counted %llu",
          al_lock_names[scene->choice.kind], (unsigned long long)counted);
    CHECK(is_free(scene, &scene->locks[0]) && is_free(scene, &scene->locks[1]),
          "%s: not free at the end", al_lock_names[scene->choice.kind]);
}

static void be_served(void *argument)
{
    struct scene *scene = argument;
    uint32_t self = al_u32_add_acq_rel(&scene->numbers, 1);
    al_lock_take(&scene->choice, &scene->locks[0], self);
    scene->served[scene->n_served++] = self;
    al_lock_release(&scene->choice, &scene->locks[0], self);
}

/* Whether thread `self` stands in the queue of the lock that thread 0 holds, the last one. */
static bool stands(const struct scene *scene, uint32_t self)
{
    const union al_lock *lock = &scene->locks[0];
    if (scene->choice.kind == AL_LOCK_TICKET)
        return (uint16_t)(al_u16_load_relaxed(&lock->ticket.next) -
                          al_u16_load_relaxed(&lock->ticket.serving)) == self + 1;
    return al_u32_load_relaxed(&lock->tail) == self + 1;
}

/* Threads arrive one by one at a lock that is held. */
static void run_order(void *argument)
{
    struct scene *scene = argument;
    struct al_thread threads[THREADS];
    age(scene);
    al_u32_store_relaxed(&scene->numbers, 1);
    al_lock_take(&scene->choice, &scene->locks[0], 0);
    for (uint32_t i = 1; i < THREADS; i++) {
        CHECK(al_thread_start(&threads[i], be_served, scene) == 0, "no thread");
        while (!stands(scene, i))
            al_yield();
    }
    al_lock_release(&scene->choice, &scene->locks[0], 0);
    for (uint32_t i = 1; i < THREADS; i++)
        al_thread_join(&threads[i]);
    for (uint32_t i = 1; i < THREADS; i++)
        CHECK(scene->served[i - 1] == i, "%s: thread %u was served at place %u",
              al_lock_names[scene->choice.kind], scene->served[i - 1], i);
}

/* Each seed with fresh locks. Returns how many runs were distinct. */
static uint64_t run_seeds(enum al_lock_kind kind, void (*function)(void *))
{
    uint64_t distinct = 0, before = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct scene scene = {.n_served = 0};
        CHECK(al_lock_choose(&scene.choice, kind, THREADS) == 0, "no memory");
        uint64_t hash = run_seed(seed, function, &scene);
        distinct += hash != before;
        before = hash;
        al_lock_choice_free(&scene.choice);
    }
    return distinct;
}

int main(void)
{
    struct tap tap = {0};
    alarm(300); /* a lost hand-over would hang */
    for (int kind = 0; al_lock_names[kind] != NULL; kind++) {
        uint64_t distinct = run_seeds((enum al_lock_kind)kind, run_count);
        tap_ok(&tap, SEEDS == 1 || distinct > SEEDS / 2, "%s excludes and ends free",
               al_lock_names[kind]);
        if (kind != AL_LOCK_TICKET && kind != AL_LOCK_MCS)
            continue;
        run_seeds((enum al_lock_kind)kind, run_order);
        tap_ok(&tap, true, "%s serves in the order of arrival", al_lock_names[kind]);
    }
    tap_ok(&tap, sizeof(union al_lock) == sizeof(uint32_t), "no lock is larger than the default");
    return tap_done(&tap);
}
