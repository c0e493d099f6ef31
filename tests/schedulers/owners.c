/* SPDX-License-Identifier: MIT */

/*
 * The invariant of schedulers/inverted/wake.h: while a worker sleeps, each mailbox in its slots
 * names it. Workers swap slots, then settle; whoever is swapped from meanwhile settles again. On
 * the virtual engine, with many seeds.
 */

#include <string.h>

#include "core/random.h"
#include "schedulers/inverted/qpcas.h"
#include "schedulers/inverted/wake.h"
#include "tests/support/run_seed.h"

#define SEEDS  100
#define ROUNDS 20
#define N      3 /* workers */
#define SLOTS  2 /* of each */
#define SWAPS  2 /* of each worker before it sleeps, at most */

struct bench {
    struct al_runtime system;
    struct al_worker workers[N];
    struct al_inverted inverted;
    struct al_share shares[N];
    struct al_mailbox mailboxes[N * SLOTS];
    struct al_atomic_ptr owned[N * SLOTS];
    struct al_atomic_u32 asleep[N]; /* announced */
    struct al_atomic_u32 woken[N], done;
    uint64_t seed;
};

static struct bench bench;

/* As an idle policy does. */
static void wake(struct al_runtime *system, uint32_t id)
{
    (void)system;
    al_fence_seq_cst();
    if (al_u32_load_relaxed(&bench.asleep[id]) != 0)
        al_u32_store_relaxed(&bench.woken[id], 1);
}

static void swap(struct al_worker *self)
{
    uint32_t victim = (self->id + 1 + al_random_below(&self->random, N - 1)) % N;
    struct al_atomic_ptr *mine =
        &bench.owned[self->id * SLOTS + al_random_below(&self->random, SLOTS)];
    struct al_atomic_ptr *theirs =
        &bench.owned[victim * SLOTS + al_random_below(&self->random, SLOTS)];
    if (al_qpcas(mine, theirs) == AL_SWAP_DONE)
        al_idle_wake(self->system, victim);
}

/* As an idle policy does. */
static void fall_asleep(struct al_worker *self)
{
    al_u32_store_relaxed(&bench.asleep[self->id], 1);
    al_fence_seq_cst(); /* partner: the fence in wake */
    al_inverted_settle(self);
}

/* One worker's round. It is over when nobody swaps any more, and nobody has to be woken. */
static void swap_and_sleep(void *argument)
{
    struct al_worker *self = argument;
    uint32_t swaps = al_random_below(&self->random, SWAPS + 1);
    al_u32_store_relaxed(&bench.asleep[self->id], 0);
    for (uint32_t i = 0; i < swaps; i++)
        swap(self);
    fall_asleep(self);
    (void)al_u32_add_acq_rel(&bench.done, 1);
    for (bool over = false; !over;) {
        over = al_u32_load_acquire(&bench.done) == N;
        if (al_u32_exchange_acquire(&bench.woken[self->id], 0) != 0)
            fall_asleep(self);
        else if (!over)
            al_yield();
    }
}

static void begin(uint64_t seed)
{
    memset(&bench, 0, sizeof bench);
    bench.seed = seed;
    bench.inverted.owned = bench.owned;
    bench.system.scheduler_state = &bench.inverted;
    bench.system.workers = bench.workers;
    bench.system.n_workers = N;
    bench.system.wake = wake;
    for (uint32_t i = 0; i < N; i++) {
        bench.shares[i].first = i * SLOTS;
        bench.shares[i].end = (i + 1) * SLOTS;
        bench.workers[i].system = &bench.system;
        bench.workers[i].id = i;
        bench.workers[i].scheduler = &bench.shares[i];
        al_random_seed(&bench.workers[i].random, seed, i);
    }
    for (uint32_t i = 0; i < N * SLOTS; i++) {
        al_u64_store_relaxed(&bench.mailboxes[i].owner, i / SLOTS);
        al_ptr_store_relaxed(&bench.owned[i], &bench.mailboxes[i]);
    }
}

static void run_rounds(void *argument)
{
    begin(*(const uint64_t *)argument);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct al_thread threads[N];
        al_u32_store_relaxed(&bench.done, 0);
        for (uint32_t i = 0; i < N; i++)
            CHECK(al_thread_start(&threads[i], swap_and_sleep, &bench.workers[i]) == 0,
                  "no thread");
        for (uint32_t i = 0; i < N; i++)
            al_thread_join(&threads[i]);
        for (uint32_t i = 0; i < N * SLOTS; i++) {
            const struct al_mailbox *mailbox = al_ptr_load_relaxed(&bench.owned[i]);
            uint32_t named = (uint32_t)al_u64_load_relaxed(&mailbox->owner);
            CHECK(named == i / SLOTS,
                  "seed %llu, round %u: a mailbox of worker %u, which sleeps, names worker %u",
                  (unsigned long long)bench.seed, round, i / SLOTS, named);
        }
    }
}

int main(void)
{
    struct tap tap = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        (void)run_seed(seed, run_rounds, &seed);
    tap_ok(&tap, true, "while a worker sleeps, its mailboxes name it");
    return tap_done(&tap);
}
