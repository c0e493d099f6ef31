/* SPDX-License-Identifier: MIT */

/* The simulated machine's store buffers: who sees a store, and when. A hand-off takes 24 ns. */

#include <string.h>

#include "tests/engine/sim_machine.h"

#define ROUNDS 400

static struct machine machine;

/* Words on lines of their own, each of which has been with cores 0 to 3, and is with core 3. */
static struct {
    struct al_atomic_u64 *word[4];
    uint64_t delay_ns, seen[2], own, released_ns;
    void (*fences[2])(void); /* of tasks 0 and 1, between the store and the load */
    bool ordered, reads;
} run;

static void clear_word(void *word)
{
    al_u64_store_relaxed(word, 0);
    al_fence_seq_cst();
}

static void set_up(void)
{
    char *pages = new_pages(PAGE);
    for (int i = 0; i < 4; i++) {
        run.word[i] = (void *)(pages + 4 * (size_t)i * LINE);
        for (uint32_t pu = 0; pu < 3; pu++)
            on(pu, write_word, run.word[i]);
        on(3, clear_word, run.word[i]);
    }
}

/* Two functions at the same time: one on core 0, another on this PU. */
static void together_two(void (*function)(void *), uint32_t pu, void (*other)(void *))
{
    static uint64_t ids[] = {0, 1};
    struct together together = {0};
    together_add(&together, 0, function, &ids[0]);
    together_add(&together, pu, other, &ids[1]);
    (void)together_run(&together);
}

/* ---- A lock that is given back behind a store to another core's line, or a load from it. */

static void hold_and_release(void *argument)
{
    uint64_t began = al_clock_ns();
    (void)argument;
    (void)al_u64_exchange_acquire(run.word[0], 1);
    al_compute(10);
    if (run.reads)
        (void)al_u64_load_relaxed(run.word[1]);
    else
        al_u64_store_relaxed(run.word[1], 1);
    al_u64_store_release(run.word[0], 0);
    run.own = al_u64_load_relaxed(run.word[0]);
    al_fence_seq_cst();
    run.released_ns = al_clock_ns() - began;
}

static void try_lock(void *argument)
{
    (void)argument;
    al_compute(run.delay_ns);
    run.seen[0] = al_u64_exchange_acquire(run.word[0], 2);
}

static void release_late(void *argument)
{
    (void)argument;
    set_up();
    together_two(hold_and_release, 1, try_lock);
}

/* The lock is taken at 24 ns and given back at 34 ns; the other line comes at 58 ns.
 * What another core asks for reaches the lock half a hand-off later. Whoever has lost the lock's
 * line meanwhile must get it back to release the lock. */
static bool held_for(bool reads, uint64_t delay_ns, bool held, uint64_t released_ns)
{
    run.reads = reads;
    run.delay_ns = delay_ns;
    (void)machine_run(&machine, release_late, NULL);
    bool ok = (run.seen[0] == 1) == held && run.own == 0 && run.released_ns == released_ns;
    if (!ok)
        printf("# tried after %llu ns: %llu, and its owner sees %llu, released after %llu ns\n",
               (unsigned long long)delay_ns, (unsigned long long)run.seen[0],
               (unsigned long long)run.own, (unsigned long long)run.released_ns);
    return ok;
}

/* ---- Store buffering: each of two tasks stores to a word and reads the other's. */

static void store_and_read(void *argument)
{
    uint64_t id = *(const uint64_t *)argument;
    (void)al_u64_exchange_acquire(run.word[id], 0); /* has its line */
    al_u64_store_relaxed(run.word[2 + id], 1);      /* waits for one */
    al_u64_store_relaxed(run.word[id], 1);
    run.fences[id]();
    run.seen[id] = al_u64_load_relaxed(run.word[1 - id]);
}

static void store_buffering(void *argument)
{
    (void)argument;
    set_up();
    together_two(store_and_read, 1, store_and_read);
}

static void light(void)
{
    al_fence_light();
}

static bool both_see_nothing(void (*first)(void), void (*second)(void))
{
    run.fences[0] = first;
    run.fences[1] = second;
    (void)machine_run(&machine, store_buffering, NULL);
    return run.seen[0] == 0 && run.seen[1] == 0;
}

/* ---- Stores are seen in their order, and the last one stays. */

static void store_on(void *argument)
{
    struct al_random random;
    al_random_seed(&random, 7, 0);
    (void)argument;
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        for (int k = 0; k < 3; k++) {
            al_u64_store_relaxed(run.word[k], i);
            al_compute(al_random_below(&random, 40));
        }
    }
}

/* Words 2, 1, 0 are stored in the opposite order: what is read of a later one is no older. */
static void read_on(void *argument)
{
    struct al_random random;
    al_random_seed(&random, *(const uint64_t *)argument, 1);
    uint64_t last = 0;
    while (last < ROUNDS) {
        for (int k = 2; k >= 0; k--) {
            uint64_t value = al_u64_load_relaxed(run.word[k]);
            run.ordered &= (k == 2 || value >= last) && value <= ROUNDS;
            last = value;
            al_compute(al_random_below(&random, 40));
        }
        al_u64_store_relaxed(run.word[3], last); /* takes that line from the other reader */
    }
}

static void in_order(void *argument)
{
    static uint64_t seeds[] = {1, 2};
    (void)argument;
    set_up();
    run.ordered = true;
    struct together together = {0};
    together_add(&together, 0, store_on, NULL);
    together_add(&together, 1, read_on, &seeds[0]);
    together_add(&together, 2, read_on, &seeds[1]);
    (void)together_run(&together);
    for (int k = 0; k < 4; k++)
        run.ordered &= al_u64_load_relaxed(run.word[k]) == ROUNDS;
}

/* ---- A store to a line that no other core has had, behind one to a line that is far away. */

static struct al_atomic_u64 *fresh;

static void store_behind_far(void *argument)
{
    (void)argument;
    al_u64_store_relaxed(run.word[0], 1); /* core 3's */
    al_u64_store_release(fresh, 1);
    al_compute(1000);
}

static void read_fresh(void *argument)
{
    (void)argument;
    al_compute(run.delay_ns);
    run.seen[0] = al_u64_load_acquire(fresh);
}

static void overtake(void *argument)
{
    (void)argument;
    set_up();
    fresh = (void *)new_pages(PAGE);
    on(0, clear_word, fresh);
    together_two(store_behind_far, 1, read_fresh);
}

/* Whether core 1 sees the second store so much later. */
static bool overtakes(uint64_t delay_ns)
{
    run.delay_ns = delay_ns;
    (void)machine_run(&machine, overtake, NULL);
    return run.seen[0] == 1;
}

/* ---- A waiting task sees a store when it leaves, not before. */

static void store_behind(void *argument)
{
    (void)argument;
    al_compute(1000);
    al_u64_store_relaxed(run.word[1], 1); /* core 3's */
    al_u64_store_relaxed(run.word[0], 1);
    al_compute(1000);
}

static void wait_for_store(void *argument)
{
    uint64_t began = al_clock_ns();
    (void)argument;
    while (al_u64_load_relaxed(run.word[0]) == 0)
        (void)al_pause_unchanged(AL_ALWAYS);
    run.seen[0] = al_clock_ns() - began;
}

static void be_seen(void *argument)
{
    (void)argument;
    set_up();
    together_two(store_behind, 1, wait_for_store);
}

/* ---- Memory that is freed with a store on its way to it, and that another task of the PU gets. */

static struct {
    struct al_atomic_u32 freed;
    struct al_atomic_u64 *block;
} memory;

static void free_stored(void *argument)
{
    (void)argument;
    for (uint32_t pu = 1; pu < 3; pu++)
        on(pu, write_word, memory.block);
    al_u64_store_relaxed(run.word[1], 1);
    al_u64_store_relaxed(memory.block, 1);
    al_free(memory.block);
    al_u32_store_relaxed(&memory.freed, 1);
    al_compute(11); /* likewise */
}

static void allocate_freed(void *argument)
{
    (void)argument;
    while (al_u32_load_relaxed(&memory.freed) == 0)
        al_compute(11); /* its slice is over */
    uint64_t *again = al_aligned_alloc(LINE, LINE);
    *again = 5;
    al_compute(1000);
    run.seen[0] = (void *)again == (void *)memory.block ? *(volatile uint64_t *)again : 0;
}

static void reuse(void *argument)
{
    (void)argument;
    set_up();
    memory.freed = (struct al_atomic_u32){0};
    memory.block = al_aligned_alloc(LINE, LINE);
    together_two(free_stored, 0, allocate_freed);
}

/* ---- Two cores that store to one line and, between, each to one of its own. */

static void store_between(void *id)
{
    struct al_atomic_u64 *own = run.word[1 + *(const uint64_t *)id];
    uint64_t began = al_clock_ns();
    for (int i = 0; i < 19; i++) { /* all of them find a place in the store buffer */
        al_u64_store_relaxed(run.word[0], 1);
        al_u64_store_relaxed(own, 1);
    }
    al_fence_seq_cst();
    run.seen[*(const uint64_t *)id] = al_clock_ns() - began;
}

static void contend_between(void *argument)
{
    (void)argument;
    set_up();
    on(0, clear_word, run.word[1]);
    on(1, clear_word, run.word[2]);
    together_two(store_between, 1, store_between);
}

int main(void)
{
    struct tap tap = {0};
    machine_init(&machine, (struct shape){1, 1, 1, 4, 1, 1});
    tap_ok(&tap,
           held_for(false, 10, true, 82) && held_for(false, 44, true, 92) &&
               held_for(false, 60, false, 58),
           "a lock looks held until the stores before its release have left");
    tap_ok(&tap, held_for(true, 44, true, 92) && held_for(true, 60, false, 58),
           "and until the loads before it have their values");
    (void)machine_run(&machine, contend_between, NULL);
    tap_ok(&tap, run.seen[0] == 24 && run.seen[1] == 48,
           "all stores to a line leave when it has come (%llu and %llu ns)",
           (unsigned long long)run.seen[0], (unsigned long long)run.seen[1]);
    tap_ok(&tap, both_see_nothing(light, light), "two cores can miss each other's stores");
    tap_ok(&tap, !both_see_nothing(al_fence_seq_cst, al_fence_seq_cst), "but not with fences");
    tap_ok(&tap, !both_see_nothing(light, al_membarrier) && !both_see_nothing(al_membarrier, light),
           "nor where one of them makes all others pass a fence");
    (void)machine_run(&machine, in_order, NULL);
    tap_ok(&tap, run.ordered, "stores are seen in their order, and the last one stays");
    machine_set(&machine, AL_MODEL_PAUSE, 1);
    (void)machine_run(&machine, be_seen, NULL);
    tap_ok(&tap, run.seen[0] >= 1024 && run.seen[0] <= 1100,
           "a waiting task sees a store when it has left (%llu ns)",
           (unsigned long long)run.seen[0]);
    machine_set(&machine, AL_MODEL_SLICE, 10);
    (void)machine_run(&machine, reuse, NULL);
    tap_ok(&tap, run.seen[0] == 5, "a store to freed memory is lost");
    machine_init(&machine, (struct shape){2, 1, 1, 2, 1, 1});
    machine_set(&machine, handoff_class(&machine, 0, 3), 500);
    tap_ok(&tap, !overtakes(400) && overtakes(600),
           "a store does not overtake one to a line that is farther away");
    return tap_done(&tap);
}
