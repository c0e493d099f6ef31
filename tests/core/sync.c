/* SPDX-License-Identifier: MIT */

/* The seam (core/sync/sync.h) on threads: the lock excludes, park and unpark lose no wake-up,
 * threads start and end. */

#include "core/sync/sync.h"

#include <unistd.h>

#include "tests/support/tap.h"

#define THREADS 4
#define ROUNDS  20000

struct shared {
    struct al_spinlock lock;
    uint64_t count; /* under the lock */
    struct al_atomic_u32 turn, parked;
};

static void count(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ROUNDS; i++) {
        al_spinlock_lock(&shared->lock);
        shared->count++;
        al_spinlock_unlock(&shared->lock);
    }
}

static void find_self(void *argument)
{
    *(uintptr_t *)argument = (uintptr_t)&al_self_native.worker % AL_PAGE_BYTES;
}

/* Two threads take turns; each is parked while it is the other's turn. */
static void wait_for(struct shared *shared, uint32_t mine)
{
    for (;;) {
        uint32_t turn = al_u32_load_acquire(&shared->turn);
        if (turn % 2 == mine)
            return;
        al_u32_add_relaxed(&shared->parked, 1);
        al_park(&shared->turn, turn);
    }
}

static void pong(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(shared, 1);
        al_u32_add_acq_rel(&shared->turn, 1);
        al_unpark(&shared->turn, 1);
    }
}

/* How long al_work of so many ns takes, 100 times in a row: the least of many attempts, since
 * others may have the processor meanwhile. */
static uint64_t time_work(uint64_t ns)
{
    uint64_t amount = al_work_of(ns), least_ns = UINT64_MAX;
    for (int attempt = 0; attempt < 200; attempt++) {
        uint64_t began_ns = al_clock_ns();
        for (int i = 0; i < 100; i++)
            al_work(amount);
        uint64_t took_ns = al_clock_ns() - began_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    return least_ns;
}

int main(void)
{
    struct tap tap = {0};
    struct shared shared = {0};
    alarm(120); /* a lost wake-up would hang */
    struct al_thread threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(al_thread_start(&threads[i], count, &shared) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        al_thread_join(&threads[i]);
    tap_ok(&tap, shared.count == THREADS * ROUNDS, "the spinlock excludes: %llu",
           (unsigned long long)shared.count);
    tap_ok(&tap, !(al_spinlock_lock(&shared.lock), al_spinlock_try(&shared.lock)),
           "a held lock cannot be taken");
    al_spinlock_unlock(&shared.lock);

    CHECK(al_thread_start(&threads[0], pong, &shared) == 0, "no thread");
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(&shared, 0);
        al_u32_add_acq_rel(&shared.turn, 1);
        al_unpark(&shared.turn, 1);
    }
    al_thread_join(&threads[0]);
    tap_ok(&tap, al_u32_load_relaxed(&shared.parked) > 0, "no wake-up is lost (%u times parked)",
           al_u32_load_relaxed(&shared.parked));

    uint64_t before = al_clock_ns(), cycles = al_cycles();
    al_sleep_ns(2000000);
    tap_ok(&tap, al_clock_ns() - before >= 2000000 && al_cycles() > cycles, "clocks go forward");

    uint64_t none_ns = time_work(0), short_ns = time_work(200), long_ns = time_work(2000);
    tap_ok(&tap,
           none_ns < 2000 && short_ns > 10000 && short_ns < 40000 && long_ns > 100000 &&
               long_ns < 400000,
           "work takes its time: 100 times 0, 200 and 2000 ns: %llu, %llu and %llu ns",
           (unsigned long long)none_ns, (unsigned long long)short_ns, (unsigned long long)long_ns);

    uintptr_t here, there = 0;
    find_self(&here);
    CHECK(al_thread_start(&threads[0], find_self, &there) == 0, "no thread");
    al_thread_join(&threads[0]);
    size_t end = AL_PAGE_BYTES - sizeof(struct al_worker *);
    tap_ok(&tap, here == end && there == end,
           "a thread's own worker is named at the end of a page, at %zu and %zu", (size_t)here,
           (size_t)there);
    tap_ok(&tap, al_thread_limit() >= 1 && al_self() == NULL, "this thread is no worker");
    return tap_done(&tap);
}
