/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/contention.h: the operations. Relaxed, but for locks: nothing
 * is published by them. */

#include "benchmarks/harness/measure/contention.h"

enum { BLOCK_BYTES = 64, OWN_BYTES = 1 << 21 };

static void add(struct al_contender *self)
{
    struct al_atomic_u64 *word = &self->shared->word;
    AL_CONTENTION_REPEAT(self, al_u64_add_relaxed(word, 1));
}

static inline void swap_once(struct al_atomic_u64 *word)
{
    uint64_t value = al_u64_load_relaxed(word);
    while (!al_u64_cas_relaxed(word, &value, value + 1))
        ;
}

static void swap(struct al_contender *self)
{
    struct al_atomic_u64 *word = &self->shared->word;
    AL_CONTENTION_REPEAT(self, swap_once(word));
}

static inline void count_locked(struct al_spinlock *lock, uint64_t *counter)
{
    al_spinlock_lock(lock);
    ++*counter;
    al_spinlock_unlock(lock);
}

static void spinlock(struct al_contender *self)
{
    struct al_spinlock *lock = &self->shared->guarded.lock;
    uint64_t *counter = &self->shared->guarded.counter;
    AL_CONTENTION_REPEAT(self, count_locked(lock, counter));
}

static inline void count_pausing(struct al_atomic_u32 *held, uint64_t *counter)
{
    do {
        while (al_u32_load_relaxed(held) != 0) /* relaxed: the exchange acquires */
            al_pause_unchanged(AL_ALWAYS);
    } while (al_u32_exchange_acquire(held, 1) != 0); /* partner: the release of the last holder */
    ++*counter;
    al_u32_store_release(held, 0);
}

static void pause_lock(struct al_contender *self)
{
    struct al_contended *shared = self->shared;
    AL_CONTENTION_REPEAT(self, count_pausing(&shared->guarded.lock.held, &shared->counter));
}

static inline void count_chosen(const struct al_contender *self,
                                const struct al_lock_choice *choice, union al_lock *lock)
{
    uint32_t number = (uint32_t)(self - self->all);
    al_lock_take(choice, lock, number);
    self->shared->counter++;
    al_lock_release(choice, lock, number);
}

static void ticket_lock(struct al_contender *self)
{
    struct al_contended *shared = self->shared;
    AL_CONTENTION_REPEAT(self, count_chosen(self, &shared->by_ticket, &shared->ticket));
}

static void mcs_lock(struct al_contender *self)
{
    struct al_contended *shared = self->shared;
    AL_CONTENTION_REPEAT(self, count_chosen(self, &shared->by_queue, &shared->queue));
}

static void read(struct al_contender *self)
{
    struct al_atomic_u64 *word = &self->shared->word;
    uint64_t sum = 0;
    AL_CONTENTION_REPEAT(self, sum += al_u64_load_relaxed(word));
    self->sum += sum;
    al_u64_add_relaxed(word, 1);
}

static void write(struct al_contender *self)
{
    struct al_atomic_u64 *word = &self->shared->word;
    AL_CONTENTION_REPEAT(self, al_u64_store_relaxed(word, 1));
}

/* Through the own memory; of a stream, the next address is not needed for the next access. */
static void stream(struct al_contender *self)
{
    size_t in_line = AL_CACHE_LINE_BYTES / sizeof *self->own;
    size_t n = self->what->own_bytes / sizeof *self->own, at = (size_t)(self->at - self->own);
    for (int i = 0; i < AL_CONTENTION_BATCH; i++) {
        self->sum += (uintptr_t)self->own[at];
        at = at + in_line < n ? at + in_line : 0;
    }
    self->at = self->own + at;
}

static void chase(struct al_contender *self)
{
    void **at = self->at;
    for (int i = 0; i < AL_CONTENTION_BATCH; i++)
        at = *at;
    self->at = at;
}

/* As many blocks, each with the address of the one before. NULL: no memory, or no blocks. */
static void **take_blocks(void)
{
    void **last = NULL;
    for (int i = 0; i < AL_CONTENTION_BATCH; i++) {
        void **block = al_malloc(BLOCK_BYTES);
        if (block == NULL)
            break;
        *block = last;
        last = block;
    }
    return last;
}

static void free_blocks(void **last)
{
    while (last != NULL) {
        void **before = *last;
        al_free(last);
        last = before;
    }
}

static void allocate(struct al_contender *self)
{
    (void)self;
    free_blocks(take_blocks());
}

/* Free what the thread before has allocated, and give the next one something to free. */
static void give(struct al_contender *self)
{
    /* acq_rel: partner is the other thread's, which frees what was written here */
    free_blocks(al_ptr_exchange_acq_rel(&self->next->given, take_blocks()));
    free_blocks(al_ptr_exchange_acq_rel(&self->given, NULL));
}

const struct al_contention al_contentions[] = {
    {"add", "fetch-and-add on one word", 16384, .can_think = true, .batch = add},
    {"cas", "a load and compare-and-swaps until one succeeds", 16384, .can_think = true,
     .batch = swap},
    {"spinlock", "the project's spinlock, around a counter beside it", 16384, .can_think = true,
     .batch = spinlock},
    {"pause-lock", "look and pause until it is free, then exchange; around a counter", 16384,
     .can_think = true, .batch = pause_lock},
    {"ticket-lock", "likewise by tickets", 4096, .can_think = true, .batch = ticket_lock},
    {"mcs-lock", "likewise by a queue", 4096, .can_think = true, .batch = mcs_lock},
    {"read", "loads of one word, with an addition after every 16", 65536, .can_think = true,
     .batch = read},
    {"write", "stores to one word", 65536, .can_think = true, .batch = write},
    {"stream", "a line of 2 MiB of its own, in their order", 32768, OWN_BYTES, .batch = stream},
    {"chase", "a line of 2 MiB of its own, by the address in the last", 16384, OWN_BYTES,
     .random = true, .batch = chase},
    {"malloc", "16 blocks of 64 bytes, which are freed again, each", 8192, .batch = allocate},
    {"malloc-pass", "the same, but another thread frees them", 8192, .batch = give},
};
const size_t al_contentions_n = sizeof al_contentions / sizeof al_contentions[0];
