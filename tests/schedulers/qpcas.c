/* SPDX-License-Identifier: MIT */

/*
 * QPCAS: its results, that a failed swap restores the slots, and that eight threads leave a
 * permutation. Built with AL_JITTER, so that threads lose their processor inside a swap and every
 * kind of failure occurs.
 */

#include "schedulers/inverted/qpcas.h"

#include "core/random.h"
#include "core/sync/sync.h"
#include "tests/support/tap.h"

#define THREADS 8
#define SLOTS   4 /* per thread; few, so that thieves collide */
#define SWAPS   1000000

struct bench {
    struct al_atomic_ptr slots[THREADS * SLOTS];
    char queues[THREADS * SLOTS];
    struct al_atomic_u32 go;
};

struct thief {
    struct bench *bench;
    uint32_t id;
    uint64_t outcomes[4];
};

static void steal(void *argument)
{
    struct thief *thief = argument;
    struct bench *bench = thief->bench;
    struct al_random random;
    al_random_seed(&random, 1, thief->id);
    while (al_u32_load_acquire(&bench->go) == 0)
        al_pause();
    while (thief->outcomes[AL_SWAP_DONE] < SWAPS / THREADS) {
        uint32_t mine = thief->id * SLOTS + al_random_below(&random, SLOTS);
        uint32_t other = (thief->id + 1 + al_random_below(&random, THREADS - 1)) % THREADS;
        uint32_t victim = other * SLOTS + al_random_below(&random, SLOTS);
        thief->outcomes[al_qpcas(&bench->slots[mine], &bench->slots[victim])]++;
        /* Invariant (3): outside its own swap, an owner never finds null in its range. */
        for (uint32_t k = 0; k < SLOTS; k++)
            CHECK(al_ptr_load_relaxed(&bench->slots[thief->id * SLOTS + k]) != NULL,
                  "thief %u found null in its own slot %u", thief->id, k);
    }
}

static bool is_permutation(struct bench *bench)
{
    bool seen[THREADS * SLOTS] = {false};
    for (uint32_t i = 0; i < THREADS * SLOTS; i++) {
        char *queue = al_ptr_load_relaxed(&bench->slots[i]);
        if (queue == NULL || seen[queue - bench->queues])
            return false;
        seen[queue - bench->queues] = true;
    }
    return true;
}

int main(void)
{
    struct tap tap = {0};
    static struct bench bench;
    int a, b, c;
    struct al_atomic_ptr mine, victim;

    al_ptr_store_relaxed(&mine, &a);
    al_ptr_store_relaxed(&victim, &b);
    enum al_swap swap = al_qpcas(&mine, &victim);
    tap_ok(&tap,
           swap == AL_SWAP_DONE && al_ptr_load_relaxed(&mine) == &b &&
               al_ptr_load_relaxed(&victim) == &a,
           "alone, it swaps");

    al_ptr_store_relaxed(&victim, NULL);
    al_ptr_store_relaxed(&mine, &c);
    swap = al_qpcas(&mine, &victim);
    tap_ok(&tap, swap == AL_SWAP_BUSY && al_ptr_load_relaxed(&mine) == &c,
           "a victim that is swapping: nothing changes");

    struct thief thieves[THREADS] = {0};
    struct al_thread threads[THREADS];
    for (uint32_t i = 0; i < THREADS * SLOTS; i++)
        al_ptr_store_relaxed(&bench.slots[i], &bench.queues[i]);
    for (uint32_t i = 0; i < THREADS; i++) {
        thieves[i] = (struct thief){.bench = &bench, .id = i};
        CHECK(al_thread_start(&threads[i], steal, &thieves[i]) == 0, "no thread");
    }
    al_u32_store_release(&bench.go, 1);
    uint64_t outcomes[4] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        al_thread_join(&threads[i]);
        for (int k = 0; k < 4; k++)
            outcomes[k] += thieves[i].outcomes[k];
    }
    printf("# %llu done, %llu busy, %llu robbed, %llu late\n", (unsigned long long)outcomes[0],
           (unsigned long long)outcomes[1], (unsigned long long)outcomes[2],
           (unsigned long long)outcomes[3]);
    tap_ok(&tap, is_permutation(&bench), "a permutation after a million swaps of 8 threads");
    tap_ok(&tap,
           outcomes[AL_SWAP_BUSY] > 0 && outcomes[AL_SWAP_ROBBED] > 0 && outcomes[AL_SWAP_LATE] > 0,
           "each way to fail was met");
    return tap_done(&tap);
}
