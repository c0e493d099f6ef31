/* SPDX-License-Identifier: MIT */

/* The simulated machine's cores: sums of serial steps, tasks side by side, the store buffer, SMT
 * siblings, several tasks on one PU, tasks without one of their own. */

#include "tests/engine/sim_machine.h"

static struct machine machine;

static const struct shape four = {1, 1, 1, 4, 1, 1};

static void nothing(void *argument)
{
    (void)argument;
}

/* ---- A serial program takes as long as its parts. */

static uint64_t serial_ns;

static void serial(void *argument)
{
    (void)argument;
    char *memory = new_pages(PAGE);
    struct al_atomic_u32 word = {0};
    uint64_t began = al_clock_ns();                        /* 22 */
    al_compute(100);                                       /* 100 */
    for (int i = 0; i < 10; i++)                           /* 100, then 10 x 2 */
        al_touch(memory, 8, AL_TOUCH_READ);                /* */
    al_touch(memory, 16 * LINE, AL_TOUCH_READ);            /* 16 x 2, 15 x 100 */
    al_pause();                                            /* 40 */
    al_yield();                                            /* 400 */
    al_fence_seq_cst();                                    /* 7 */
    al_u64_add_relaxed((struct al_atomic_u64 *)memory, 1); /* 6 */
    al_sleep_ns(1000);                                     /* 1000 + 50000 */
    al_unpark(&word, 1);                                   /* 300 */
    al_free(al_malloc(16));                                /* 9 + 5 */
    (void)al_cycles();                                     /* 8 */
    struct al_thread thread;
    CHECK(al_thread_start(&thread, nothing, NULL) == 0, "no task"); /* 20000 */
    al_thread_join(&thread);
    serial_ns = al_clock_ns() - began;
}

static bool serial_is_the_sum(void)
{
    static const struct {
        enum al_model_key key;
        uint64_t value;
    } costs[] = {
        {AL_MODEL_ACCESS, 2},  {AL_MODEL_PAUSE, 40},           {AL_MODEL_YIELD, 400},
        {AL_MODEL_FENCE, 7},   {AL_MODEL_LOCKED, 6},           {AL_MODEL_SLEEP_SLACK, 50000},
        {AL_MODEL_MALLOC, 9},  {AL_MODEL_WAKE_NOBODY, 300},    {AL_MODEL_FREE, 5},
        {AL_MODEL_COUNTER, 8}, {AL_MODEL_THREAD_START, 20000}, {AL_MODEL_CLOCK, 22}};
    machine_init(&machine, four);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        machine_set(&machine, costs[i].key, costs[i].value);
    (void)machine_run(&machine, serial, NULL);
    uint64_t sum = 22 + 100 + (2 + 100) + 15 * 100 + 40 + 400 + 7 + 6 + 51000 + 300 + 14 + 8 +
                   20000;
    /* Accesses to the stack that the compiler leaves: at most a few. */
    if (serial_ns < sum || serial_ns > sum + 40)
        printf("# %llu ns instead of %llu\n", (unsigned long long)serial_ns,
               (unsigned long long)sum);
    return serial_ns >= sum && serial_ns <= sum + 40;
}

/* ---- Tasks that share nothing. */

static void work(void *memory)
{
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 40; i++)
            al_touch((char *)memory + (size_t)i * LINE, 8, AL_TOUCH_WRITE);
        al_compute(300);
    }
}

struct job {
    uint32_t n;
    uint64_t ns;
};

static void side_by_side(void *argument)
{
    struct job *job = argument;
    struct together together = {0};
    for (uint32_t i = 0; i < job->n; i++)
        together_add(&together, i, work, new_pages(PAGE));
    job->ns = together_run(&together);
}

static bool speed_up_is_n(void)
{
    struct job alone = {1, 0}, all = {48, 0};
    machine_init(&machine, (struct shape){2, 1, 2, 12, 1, 1});
    machine_set(&machine, AL_MODEL_ACCESS, 1);
    (void)machine_run(&machine, side_by_side, &alone);
    (void)machine_run(&machine, side_by_side, &all);
    return alone.ns > 50 * 300 && all.ns == alone.ns;
}

/* ---- The store buffer. */

static struct {
    uint64_t stores_ns, locked_ns, fence_ns, hit_ns, full_ns, order_ns;
    char *memory;
} stores;

static void own_all(void *argument)
{
    (void)argument;
    for (int i = 0; i < 64; i++)
        update_word(stores.memory + (size_t)i * LINE);
}

static uint64_t store(uint32_t n, uint64_t *empty_ns)
{
    on(1, own_all, NULL); /* so that each is a hand-off */
    uint64_t began = al_clock_ns();
    for (uint32_t i = 0; i < n; i++)
        write_word(stores.memory + (size_t)i * LINE);
    uint64_t ns = al_clock_ns() - began;
    if (empty_ns == &stores.locked_ns)
        update_word(stores.memory);
    else
        al_fence_seq_cst();
    *empty_ns = al_clock_ns() - began;
    return ns;
}

static void buffer(void *argument)
{
    uint64_t ignored;
    (void)argument;
    CHECK(al_engine_place(0) == 0, "no PU 0");
    stores.memory = new_pages(PAGE);
    stores.stores_ns = store(30, &stores.locked_ns) + store(40, &stores.fence_ns);
    stores.full_ns = store(41, &ignored);
    uint64_t began = al_clock_ns();
    write_word(stores.memory); /* a hit, with an empty buffer */
    al_fence_seq_cst();
    stores.hit_ns = al_clock_ns() - began;
    on(1, own_all, NULL);
    on(1, update_word, stores.memory + 3 * LINE);
    began = al_clock_ns();
    read_word(stores.memory + 3 * LINE); /* a load does not wait for the stores before it */
    write_word(stores.memory + 4 * LINE);
    read_word(stores.memory + 5 * LINE);
    stores.order_ns = al_clock_ns() - began;
}

static bool stores_are_buffered(void)
{
    machine_init(&machine, four);
    (void)machine_run(&machine, buffer, NULL);
    uint64_t handoff = handoff_ns(&machine, 0, 1);
    bool ok = stores.stores_ns == 0 && stores.locked_ns == handoff && stores.fence_ns == handoff &&
              stores.full_ns == handoff && stores.hit_ns == 0 && stores.order_ns == 2 * handoff;
    if (!ok)
        printf("# %llu %llu %llu %llu %llu %llu\n", (unsigned long long)stores.stores_ns,
               (unsigned long long)stores.locked_ns, (unsigned long long)stores.fence_ns,
               (unsigned long long)stores.full_ns, (unsigned long long)stores.hit_ns,
               (unsigned long long)stores.order_ns);
    return ok;
}

/* ---- SMT siblings share a core. */

static uint64_t pair_ns[3];

static void compute(void *argument)
{
    for (uint32_t i = *(const uint32_t *)argument; i > 0; i--)
        al_compute(1);
}

static void siblings(void *argument)
{
    static uint32_t few = 10000, many = 20000;
    uint32_t other = *(const uint32_t *)argument;
    struct together together = {0};
    together_add(&together, 0, compute, &few);
    together_add(&together, other, compute, &many);
    (void)together_run(&together);
    pair_ns[0] = together.tasks[0].ended_ns - together.tasks[0].began_ns;
    pair_ns[1] = together.tasks[1].ended_ns - together.tasks[1].began_ns;
}

static bool pair_takes(uint32_t other, uint64_t few_ns, uint64_t many_ns)
{
    machine_init(&machine, (struct shape){1, 1, 1, 2, 1, 2});
    machine_set(&machine, AL_MODEL_SMT, 60);
    (void)machine_run(&machine, siblings, &other);
    return near(pair_ns[0], few_ns, 2) && near(pair_ns[1], many_ns, 2);
}

/* A sibling that waits does not slow the other down. */
static struct {
    struct al_atomic_u64 *flag;
    uint64_t waited_ns;
} waiter;

static void wait_for_flag(void *flag)
{
    for (uint64_t looks = 0; al_u64_load_acquire(flag) == 0; looks++) {
        CHECK(looks < 100000, "the flag is never raised");
        al_pause_unchanged(AL_ALWAYS);
    }
}

static void compute_then_raise(void *argument)
{
    uint64_t began = al_clock_ns();
    compute(argument);
    waiter.waited_ns = al_clock_ns() - began;
    al_u64_store_release(waiter.flag, 1);
}

static void sibling_waits(void *argument)
{
    static uint32_t n = 10000;
    (void)argument;
    struct together together = {0};
    waiter.flag = (void *)new_pages(PAGE);
    together_add(&together, 0, compute_then_raise, &n);
    together_add(&together, 1, wait_for_flag, waiter.flag);
    (void)together_run(&together);
}

/* ---- Several tasks on one PU take turns. */

static struct together turns;

static void three_on_one(void *argument)
{
    static uint32_t n = 10000;
    (void)argument;
    turns = (struct together){0};
    for (int i = 0; i < 3; i++)
        together_add(&turns, 0, compute, &n);
    together_add(&turns, 1, compute, &n);
    (void)together_run(&turns);
}

static bool slices_rotate(uint64_t slice_ns, uint64_t switch_ns)
{
    machine_init(&machine, four);
    machine_set(&machine, AL_MODEL_SLICE, slice_ns);
    machine_set(&machine, AL_MODEL_SWITCH, switch_ns);
    (void)machine_run(&machine, three_on_one, NULL);
    uint64_t began = turns.tasks[3].began_ns, slices = 10000 / slice_ns, last = 0;
    bool ok = turns.tasks[3].ended_ns - began == 10000;
    for (int i = 0; i < 3; i++) {
        /* The last of its slices begins after those of the others. */
        uint64_t ns = turns.tasks[i].ended_ns - began;
        ok &= near(ns, 10000 + 20000 - (2 - (uint64_t)i) * slice_ns + 3 * slices * switch_ns, 30);
        last = ns > last ? ns : last;
    }
    if (!ok)
        printf("# %llu %llu %llu\n", (unsigned long long)(turns.tasks[0].ended_ns - began),
               (unsigned long long)(turns.tasks[1].ended_ns - began),
               (unsigned long long)(turns.tasks[2].ended_ns - began));
    return ok && last >= 30000 + 2 * switch_ns;
}

/* Two tasks on one PU, of which one spins until the other has computed: the slice of a spinner
 * ends too. */
static void spin_on_one(void *argument)
{
    static uint32_t n = 10000;
    struct job *job = argument;
    struct together together = {0};
    waiter.flag = (void *)new_pages(PAGE);
    together_add(&together, 0, wait_for_flag, waiter.flag);
    together_add(&together, 0, compute_then_raise, &n);
    job->ns = together_run(&together);
}

/* A task that comes to a PU whose task has run for longer than a slice waits for it, briefly. */
static struct {
    uint64_t began_ns, late_ns, ended_ns;
} arrival;

static void arrive(void *argument)
{
    static uint32_t n = 100;
    (void)argument;
    CHECK(al_engine_place(0) == 0, "no PU 0");
    compute(&n);
    arrival.late_ns = al_clock_ns() - arrival.began_ns;
}

static void run_until_another_comes(void *argument)
{
    static uint32_t n = 5000;
    (void)argument;
    struct al_thread thread;
    CHECK(al_engine_place(0) == 0, "no PU 0");
    arrival.began_ns = al_clock_ns();
    compute(&n);
    CHECK(al_thread_start(&thread, arrive, NULL) == 0, "no task");
    compute(&n);
    arrival.ended_ns = al_clock_ns() - arrival.began_ns;
    al_thread_join(&thread);
}

/* ---- Tasks that nobody placed. */

static void compute_beside(void *longest_ns)
{
    static uint32_t n = 5000;
    for (int i = 0; i < 9; i++) {
        struct al_thread thread;
        uint64_t began = al_clock_ns();
        CHECK(al_thread_start(&thread, compute, &n) == 0, "no task");
        compute(&n);
        uint64_t ns = al_clock_ns() - began, *longest = longest_ns;
        *longest = ns > *longest ? ns : *longest;
        al_thread_join(&thread);
    }
}

int main(void)
{
    struct tap tap = {0};
    struct job job = {0};
    uint64_t longest_ns = 0;
    tap_ok(&tap, serial_is_the_sum(), "a serial program takes as long as its parts");
    tap_ok(&tap, speed_up_is_n(), "tasks that share nothing run 48 times as fast on 48 cores");
    tap_ok(&tap, stores_are_buffered(), "stores are buffered; locked instructions and fences wait");
    tap_ok(&tap, pair_takes(1, 16667, 26667), "SMT siblings share a core for as long as both run");
    tap_ok(&tap, pair_takes(2, 10000, 20000), "and other cores do not");
    (void)machine_run(&machine, sibling_waits, NULL);
    tap_ok(&tap, near(waiter.waited_ns, 10000, 20), "a sibling that waits takes no share");
    tap_ok(&tap, slices_rotate(1000, 0), "three tasks on one PU take turns");
    tap_ok(&tap, slices_rotate(1000, 100), "and pay for switching");
    machine_init(&machine, four);
    machine_set(&machine, AL_MODEL_SLICE, 1000);
    (void)machine_run(&machine, spin_on_one, &job);
    tap_ok(&tap, job.ns > 10000 && job.ns < 25000, "a task that spins lets another have its PU");
    (void)machine_run(&machine, run_until_another_comes, NULL);
    tap_ok(&tap, near(arrival.late_ns, 5100, 10) && near(arrival.ended_ns, 10100, 10),
           "a task gets a PU whose task's slice has long been over");
    (void)machine_run(&machine, compute_beside, &longest_ns);
    tap_ok(&tap, near(longest_ns, 5000, 10), "tasks that have ended leave their PU to others");
    return tap_done(&tap);
}
