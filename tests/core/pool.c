/* SPDX-License-Identifier: MIT */

/*
 * Pools of blocks (core/memory/pool.h): no block is given out twice, whoever frees it; a pool that
 * runs out finds what others have passed on; and actors and messages that are recycled are whole.
 */

#include "core/memory/pool.h"

#include <string.h>

#include "core/actor.h"
#include "core/random.h"
#include "schedulers/registry.h"
#include "tests/support/tap.h"

#define BLOCK_BYTES 48
#define HELD        3000 /* blocks in use at most: many bundles */
#define STEPS       200000
#define THREADS     3
#define ROUNDS      20000

/* A block in use holds its number, twice. */
struct used {
    uint64_t number, again;
    char rest[BLOCK_BYTES - 16];
};

static void fill(struct used *used, uint64_t number)
{
    used->number = used->again = number;
    memset(used->rest, (int)(number & 0xff), sizeof used->rest);
}

static void check_whole(const struct used *used, uint64_t number)
{
    CHECK(used->number == number && used->again == number, "block %llu was given out twice",
          (unsigned long long)number);
    for (size_t i = 0; i < sizeof used->rest; i++)
        CHECK((unsigned char)used->rest[i] == (number & 0xff), "block %llu was overwritten",
              (unsigned long long)number);
}

/* Two pools of one depot: taken from one, given to either, at random. */
static void check_model(struct tap *tap)
{
    struct al_depot depot;
    memset(&depot, 0, sizeof depot);
    struct al_pool pools[2];
    al_pool_init(&pools[0], &depot, BLOCK_BYTES, AL_RECYCLED);
    al_pool_init(&pools[1], &depot, BLOCK_BYTES, AL_RECYCLED);
    static struct used *held[HELD];
    struct al_random random;
    al_random_seed(&random, 1, 0);
    uint32_t n = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        /* mostly up, then mostly down, and so on */
        bool up = al_random_below(&random, 100) < (step / (2 * HELD) % 2 == 0 ? 80u : 20u);
        if (n < HELD && (n == 0 || up)) {
            held[n] = al_pool_take(&pools[al_random_below(&random, 2)]);
            CHECK((uintptr_t)held[n] % 16 == 0, "block %p is not aligned", (void *)held[n]);
            fill(held[n], (uint64_t)(uintptr_t)held[n]);
            n++;
        } else {
            uint32_t i = al_random_below(&random, n);
            check_whole(held[i], (uint64_t)(uintptr_t)held[i]);
            al_pool_give(&pools[al_random_below(&random, 2)], held[i]);
            held[i] = held[--n];
        }
        for (int p = 0; p < 2; p++)
            CHECK(pools[p].n_free < 2 * AL_BUNDLE, "a pool has %u free blocks", pools[p].n_free);
    }
    tap_ok(tap, pools[0].bytes + pools[1].bytes <= 2 * HELD * BLOCK_BYTES + (1 << 20),
           "two pools held %llu bytes for at most %d blocks in use",
           (unsigned long long)(pools[0].bytes + pools[1].bytes), HELD);
    for (uint32_t i = 0; i < n; i++)
        check_whole(held[i], (uint64_t)(uintptr_t)held[i]);
    al_pool_fini(&pools[0]);
    al_pool_fini(&pools[1]);
    tap_ok(tap, pools[0].bytes == 0 && pools[0].free == NULL, "a pool is empty when it has ended");
}

/* What one worker frees another one finds: memory does not grow. */
static void check_passed_on(struct tap *tap)
{
    struct al_depot depot;
    memset(&depot, 0, sizeof depot);
    struct al_pool from, to;
    al_pool_init(&from, &depot, BLOCK_BYTES, AL_RECYCLED);
    al_pool_init(&to, &depot, BLOCK_BYTES, AL_RECYCLED);
    uint64_t before = 0;
    for (int round = 0; round < 1000; round++) {
        static struct used *held[4 * AL_BUNDLE];
        for (int i = 0; i < 4 * AL_BUNDLE; i++)
            held[i] = al_pool_take(&from);
        for (int i = 0; i < 4 * AL_BUNDLE; i++)
            al_pool_give(&to, held[i]);
        if (round == 10)
            before = from.bytes;
    }
    tap_ok(tap, from.bytes == before, "memory stays at %llu bytes as blocks go one way: %llu",
           (unsigned long long)before, (unsigned long long)from.bytes);
    al_pool_fini(&from);
    al_pool_fini(&to);
}

/* Two pools without blocks: each is at once empty and about to overflow, whatever is taken from one
 * and given to the other. */
static void check_malloc(struct tap *tap)
{
    struct al_depot depot;
    memset(&depot, 0, sizeof depot);
    struct al_pool pools[2];
    for (int p = 0; p < 2; p++)
        al_pool_init(&pools[p], &depot, BLOCK_BYTES, AL_MALLOC);
    static struct used *held[4 * AL_BUNDLE];
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 4 * AL_BUNDLE; i++) {
            held[i] = al_pool_take(&pools[0]);
            fill(held[i], i);
        }
        for (uint64_t i = 0; i < 4 * AL_BUNDLE; i++) {
            check_whole(held[i], i);
            al_pool_give(&pools[1], held[i]);
            for (int p = 0; p < 2; p++)
                CHECK(pools[p].free == NULL && pools[p].n_free == 2 * AL_BUNDLE - 1,
                      "pool %d with malloc has %u free blocks", p, pools[p].n_free);
        }
    }
    tap_ok(tap, pools[0].bytes + pools[1].bytes == 0 && al_ptr_load_relaxed(&depot.bundles) == NULL,
           "pools with malloc keep nothing, nor does their depot");
    for (int p = 0; p < 2; p++)
        al_pool_fini(&pools[p]);
}

/* A thread with a pool: takes blocks and hands them to the next thread, frees what it gets. */
struct member {
    struct al_thread thread;
    struct al_pool pool;
    struct al_atomic_ptr slot; /* from the one before */
    struct member *next;
    uint64_t sends, receives;
};

static void member_main(void *argument)
{
    struct member *self = argument;
    uint64_t sent = 0, received = 0;
    while (sent < self->sends || received < self->receives) {
        if (sent < self->sends && al_ptr_load_relaxed(&self->next->slot) == NULL) {
            struct used *used = al_pool_take(&self->pool);
            fill(used, sent++);
            al_ptr_store_release(&self->next->slot, used); /* partner: the acquire below */
        }
        struct used *got = al_ptr_load_acquire(&self->slot);
        if (got != NULL) {
            check_whole(got, received++);
            al_ptr_store_relaxed(&self->slot, NULL);
            al_pool_give(&self->pool, got);
        } else {
            al_yield();
        }
    }
}

/* Threads in a ring; or two, of which one sends and the other frees, so that blocks come back in
 * bundles. Returns the bytes of their pools. */
static uint64_t run_threads(bool one_way)
{
    struct al_depot depot;
    memset(&depot, 0, sizeof depot);
    static struct member members[THREADS];
    memset(members, 0, sizeof members);
    int n = one_way ? 2 : THREADS;
    for (int i = 0; i < n; i++) {
        al_pool_init(&members[i].pool, &depot, BLOCK_BYTES, AL_RECYCLED);
        members[i].next = &members[(i + 1) % n];
        members[i].sends = one_way && i != 0 ? 0 : ROUNDS;
        members[i].receives = one_way && i == 0 ? 0 : ROUNDS;
    }
    for (int i = 0; i < n; i++)
        CHECK(al_thread_start(&members[i].thread, member_main, &members[i]) == 0, "no thread");
    for (int i = 0; i < n; i++)
        al_thread_join(&members[i].thread);
    uint64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        bytes += members[i].pool.bytes;
        al_pool_fini(&members[i].pool);
    }
    return bytes;
}

static void check_threads(struct tap *tap)
{
    run_threads(false);
    tap_ok(tap, true, "%d threads freed each other's blocks", THREADS);
    uint64_t bytes = run_threads(true);
    tap_ok(tap, bytes < ROUNDS * BLOCK_BYTES / 4,
           "%llu bytes for %d blocks that went from one thread to another, through the depot back",
           (unsigned long long)bytes, ROUNDS);
}

/* A chain of recycled actors, each of which creates the next and is deleted, with a message each
 * that the previous one has written. */
struct link {
    struct al_actor actor;
    uint64_t number, *last;
};

struct hop {
    uint64_t number;
    struct al_message message; /* not at the beginning */
};

AL_ACTOR(link)
AL_MESSAGE(hop)
AL_RECYCLE(link)
AL_RECYCLE(hop)
AL_BEHAVIOUR_DECLARE(link, hop)

static void send_hop(uint64_t number, uint64_t *last)
{
    struct link *link = al_actor_init(link, al_new(link));
    struct hop *hop = al_message_init(hop, al_new(hop), AL_DELETE);
    link->number = hop->number = number;
    link->last = last;
    al_send(link, hop, link, hop);
}

AL_BEHAVIOUR_DEFINE(link, hop, self, msg)
{
    CHECK(self->number == msg->number, "actor %llu received message %llu",
          (unsigned long long)self->number, (unsigned long long)msg->number);
    if (self->number < ROUNDS)
        send_hop(self->number + 1, self->last);
    else
        *self->last = self->number;
    return AL_DELETE;
}

static void check_chain(struct tap *tap)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct al_config config = {
            .workers = workers, .oversubscribe = true, .pin = "none", .seed = workers};
        struct al_error error;
        CHECK(al_choose(&(struct al_choice){.scheduler = "custody"}, &config, &error) == 0, "%s",
              error.text);
        struct al_system *system;
        uint64_t last = 0;
        CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
        send_hop(1, &last);
        CHECK(al_system_stop(system, NULL) == 0, "messages were left");
        tap_ok(tap, last == ROUNDS, "%u workers: a chain of recycled actors came to its end",
               workers);
    }
}

int main(void)
{
    struct tap tap = {0};
    check_model(&tap);
    check_passed_on(&tap);
    check_malloc(&tap);
    check_threads(&tap);
    check_chain(&tap);
    return tap_done(&tap);
}
