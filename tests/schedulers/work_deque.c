/* SPDX-License-Identifier: MIT */

/*
 * The deques of ready actors (schedulers/queues/work_deque.h), each kind with each order of its
 * owner, with an owner, thieves and a remote pusher at once: each item is taken once. Built with
 * AL_JITTER, so that threads lose their processor between a claim and the check that follows it;
 * and on the virtual engine (AL_VIRTUAL), where few items are fought over in many interleavings.
 */

#include "schedulers/queues/work_deque.h"

#include <string.h>
#include <unistd.h>

#include "core/random.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#define KINDS 3
#define LOCKS 3
#define SLOTS 64 /* in a new ring */

static const char *const owners[] = {"lifo", "fifo"};

#ifdef AL_VIRTUAL
#define THIEVES 2
#define ITEMS   128
#define SEEDS   500
#else
#define THIEVES 7
#define ITEMS   200000
#endif
#define PUSHED_BEHIND (ITEMS / 4)

struct item {
    uint64_t check; /* plain: whoever takes the item must see what its maker wrote */
    struct al_atomic_u32 taken;
};

struct bench {
    struct al_deque deques[1 + THIEVES]; /* the owner's first */
    struct item items[ITEMS];
    /* how many items are used from the start of the array and from its end, and how many are in the
     * deque at first */
    uint32_t n_own, n_behind, crowd;
    uint64_t seed;
    struct al_atomic_u32 producing;
};

struct role {
    struct bench *bench;
    uint32_t id;
    uint64_t popped, stolen, lost;
};

static void produce(struct item *item, const struct bench *bench)
{
    item->check = (uint64_t)(item - bench->items) * 3 + bench->seed + 1;
}

static void consume(struct item *item, const struct bench *bench)
{
    uint64_t number = (uint64_t)(item - bench->items);
    CHECK(number < ITEMS && item->check == number * 3 + bench->seed + 1,
          "item %llu is not as it was pushed", (unsigned long long)number);
    CHECK(al_u32_exchange_acquire(&item->taken, 1) == 0, "item %llu was taken twice",
          (unsigned long long)number);
}

/* Push a few items and pop about as many, so that the deque is mostly near empty; occasionally push
 * a crowd, so that the ring grows. */
static void own(void *argument)
{
    struct role *role = argument;
    struct bench *bench = role->bench;
    struct al_deque *deque = &bench->deques[0];
    struct al_random random;
    al_random_seed(&random, bench->seed, 0);
    for (uint32_t i = bench->crowd; i < bench->n_own;) {
        uint32_t n = 1 + al_random_below(&random, al_random_below(&random, 50) == 0 ? 400 : 3);
        for (; n > 0 && i < bench->n_own; n--) {
            produce(&bench->items[i], bench);
            al_deque_push_owner(deque, &bench->items[i++]);
        }
        struct item *item;
        n = bench->crowd > 0 ? 0 : al_random_below(&random, 5);
        for (; n > 0 && (item = al_deque_pop_owner(deque)) != NULL; n--) {
            consume(item, bench);
            role->popped++;
        }
    }
    al_u32_add_acq_rel(&bench->producing, (uint32_t)-1);
    struct item *item;
    while ((item = al_deque_pop_owner(deque)) != NULL) {
        consume(item, bench);
        role->popped++;
    }
}

static void push_behind(void *argument)
{
    struct role *role = argument;
    struct bench *bench = role->bench;
    for (uint32_t i = ITEMS - bench->n_behind; i < ITEMS; i++) {
        produce(&bench->items[i], bench);
        al_deque_push_behind_any(&bench->deques[0], &bench->items[i]);
    }
    al_u32_add_acq_rel(&bench->producing, (uint32_t)-1);
}

/* Steal mostly from the owner, but also from other thieves, which own what they took beyond one
 * item. */
static void steal(void *argument)
{
    struct role *role = argument;
    struct bench *bench = role->bench;
    struct al_random random;
    al_random_seed(&random, bench->seed, role->id);
    for (bool found = true; found || al_u32_load_acquire(&bench->producing) != 0;) {
        uint32_t other = (role->id + 1 + al_random_below(&random, THIEVES)) % (THIEVES + 1);
        uint32_t victim = al_random_below(&random, 4) > 0 ? 0 : other;
        bool lost;
        void *items[AL_STEAL_MOST];
        struct al_deque *mine = &bench->deques[role->id];
        uint32_t n = al_deque_steal_any(&bench->deques[victim], items, &lost);
        struct item *item = n > 0 ? al_deque_keep_owner(mine, items, n) : NULL;
        CHECK(item == NULL || !lost, "stolen, and lost");
        role->stolen += n;
        role->lost += lost;
        found = item != NULL || lost;
        while (item != NULL) {
            consume(item, bench);
            item = al_deque_pop_owner(mine);
            role->popped += item != NULL;
        }
        if (!found)
            al_yield();
    }
}

/* Take what is left when all threads have ended; then each item must have been taken. */
static void finish(struct bench *bench)
{
    struct item *item;
    for (uint32_t i = 0; i <= THIEVES; i++) {
        while ((item = al_deque_pop_owner(&bench->deques[i])) != NULL)
            consume(item, bench);
        CHECK(al_deque_length(&bench->deques[i]) == 0, "an empty deque has a length");
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        bool used = i < bench->n_own || i >= ITEMS - bench->n_behind;
        CHECK(al_u32_load_relaxed(&bench->items[i].taken) == (uint32_t)used,
              "item %u of %u and %u is lost", i, bench->n_own, bench->n_behind);
    }
}

static void run_bench(struct bench *bench, struct role *roles)
{
    struct al_thread threads[THIEVES + 2];
    al_u32_store_relaxed(&bench->producing, 2);
    for (uint32_t i = 0; i < bench->crowd; i++) {
        produce(&bench->items[i], bench);
        al_deque_push_owner(&bench->deques[0], &bench->items[i]);
    }
    for (uint32_t i = 0; i < THIEVES + 2; i++) {
        roles[i] = (struct role){.bench = bench, .id = i};
        void (*function)(void *) = i == 0 ? own : i <= THIEVES ? steal : push_behind;
        CHECK(al_thread_start(&threads[i], function, &roles[i]) == 0, "no thread");
    }
    for (uint32_t i = 0; i < THIEVES + 2; i++)
        al_thread_join(&threads[i]);
    finish(bench);
    for (uint32_t i = 0; i <= THIEVES; i++)
        al_deque_fini(&bench->deques[i]);
}

struct sums {
    uint64_t popped, stolen, lost;
};

static void add_up(struct sums *sums, const struct role *roles)
{
    for (uint32_t i = 0; i <= THIEVES; i++) {
        sums->popped += roles[i].popped;
        sums->stolen += roles[i].stolen;
        sums->lost += roles[i].lost;
    }
}

static void reset(struct bench *bench, enum al_deque_kind kind, enum al_deque_owner owner,
                  enum al_lock_kind lock, uint64_t seed)
{
    bench->seed = seed;
    memset(bench->items, 0, sizeof bench->items);
    for (uint32_t i = 0; i <= THIEVES; i++)
        al_deque_init(&bench->deques[i], kind, owner, lock);
}

static struct bench bench;

#ifdef AL_VIRTUAL

struct job {
    enum al_deque_kind kind;
    enum al_deque_owner owner;
    enum al_lock_kind lock;
    uint64_t seed;
    struct role *roles;
};

static void run_virtual(void *argument)
{
    const struct job *job = argument;
    reset(&bench, job->kind, job->owner, job->lock, job->seed);
    bench.crowd = job->seed % 3 == 0 ? SLOTS - (uint32_t)(job->seed / 3 % 8) : 0;
    bench.n_own = bench.crowd + 1 + job->seed % 24;
    bench.n_behind = job->seed / 24 % 4;
    run_bench(&bench, job->roles);
}

/* Use few items, so that the deque is mostly about to be empty; every third time start with a
 * nearly full ring, so that slots are reused and the ring is replaced while thieves read it. */
static void fight(enum al_deque_kind kind, enum al_deque_owner owner, enum al_lock_kind lock,
                  struct sums *sums)
{
    static struct role roles[THIEVES + 2];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct job job = {kind, owner, lock, seed, roles};
        run_seed(seed, run_virtual, &job);
        add_up(sums, roles);
    }
}

#else

static void fight(enum al_deque_kind kind, enum al_deque_owner owner, enum al_lock_kind lock,
                  struct sums *sums)
{
    static struct role roles[THIEVES + 2];
    reset(&bench, kind, owner, lock, 1);
    bench.n_own = ITEMS - PUSHED_BEHIND;
    bench.n_behind = PUSHED_BEHIND;
    run_bench(&bench, roles);
    add_up(sums, roles);
}

#endif

static void test_fight(struct tap *tap, enum al_deque_kind kind, enum al_deque_owner owner,
                       enum al_lock_kind lock)
{
    struct sums sums = {0};
    fight(kind, owner, lock, &sums);
    /* Otherwise nothing was tested. Of the three kinds, only Chase-Lev's thief can lose a race. */
    bool met = sums.popped > ITEMS / 100 && sums.stolen > ITEMS / 100 &&
               (sums.lost > 0) == (kind == AL_DEQUE_CHASE_LEV);
    tap_ok(tap, met,
           "%s, %s, owner %s: each item is taken once (%llu popped, %llu stolen, %llu lost)",
           al_deque_choices[kind], al_deque_lock_choices[lock], owners[owner],
           (unsigned long long)sums.popped, (unsigned long long)sums.stolen,
           (unsigned long long)sums.lost);
}

int main(void)
{
    struct tap tap = {0};
    alarm(240);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int owner = 0; owner < 2; owner++)
            test_fight(&tap, kind, owner, AL_LOCK_EXCHANGE);
    }
    for (int lock = AL_LOCK_EXCHANGE + 1; lock < LOCKS; lock++) {
        for (int owner = 0; owner < 2; owner++)
            test_fight(&tap, AL_DEQUE_LOCKED, owner, lock);
    }
    return tap_done(&tap);
}
