/* SPDX-License-Identifier: MIT */

/* What cores of the simulated machine share besides lines: the clock of their package, and the
 * channels of their node's memory. */

#include "core/engine/engine.h"
#include "tests/engine/sim_machine.h"

static struct machine machine;

/* ---- The more cores of a package run, the slower each is. */

static const struct shape packages = {2, 1, 1, 4, 1, 1};

static void compute(void *argument)
{
    for (uint32_t i = *(const uint32_t *)argument; i > 0; i--)
        al_compute(1);
}

static struct al_atomic_u64 *flag;

static void compute_and_raise(void *argument)
{
    compute(argument);
    al_u64_store_release(flag, 1);
}

static void spin(void *argument)
{
    (void)argument;
    while (al_u64_load_acquire(flag) == 0)
        al_pause_unchanged(AL_ALWAYS);
}

static void rest(void *argument)
{
    al_sleep_ns(*(const uint32_t *)argument * 3);
}

/* What PU 0 does, and PUs from to first + n - 1 beside it. */
struct crowd {
    void (*own)(void *), (*others)(void *);
    void *argument;
    uint32_t first, n;
    uint64_t ns; /* until PU 0 has ended */
};

static uint32_t steps = 10000, many_steps = 200000;

static void gather(void *argument)
{
    struct crowd *crowd = argument;
    struct together together = {0};
    flag = (void *)new_pages(PAGE);
    if (crowd->argument == NULL)
        crowd->argument = new_pages(16 * L2_LINES * LINE);
    together_add(&together, 0, crowd->own, crowd->argument);
    for (uint32_t i = 0; i < crowd->n; i++)
        together_add(&together, crowd->first + i, crowd->others,
                     crowd->others == compute ? &many_steps : &steps);
    (void)together_run(&together);
    crowd->ns = together.tasks[0].ended_ns - together.tasks[0].began_ns;
}

static bool takes(struct crowd crowd, uint64_t ns)
{
    machine_init(&machine, packages);
    machine_set(&machine, AL_MODEL_CORES_ALL, 50);
    machine_set(&machine, AL_MODEL_L1_HIT, 2);
    machine_set(&machine, AL_MODEL_LOCKED, 6);
    (void)machine_run(&machine, gather, &crowd);
    if (!near(crowd.ns, ns, 5))
        printf("# %llu ns instead of %llu\n", (unsigned long long)crowd.ns, (unsigned long long)ns);
    return near(crowd.ns, ns, 5);
}

/* 1000 loads, each of the address of the next. The simulator runs what hits the L1 in one go, so
 * the others must have begun before. */
static void walk(void *memory)
{
    static uint32_t some = 100;
    void **word = memory;
    compute(&some);
    *word = word;
    for (int i = 0; i < 1000; i++)
        word = *(void *volatile *)word;
    al_fence_seq_cst();
}

static void update_often(void *memory)
{
    for (int i = 0; i < 1000; i++)
        update_word(memory);
    al_fence_seq_cst();
}

/* Ten rounds over so many lines, which the level holds after the first. */
static void round_lines(char *memory, uint32_t lines)
{
    for (uint32_t i = 0; i < 10 * lines; i++)
        read_word(memory + (size_t)(i % lines) * LINE);
    al_fence_seq_cst();
}

static void read_l2(void *memory)
{
    round_lines(memory, 2 * L1_LINES);
}

static void read_l3(void *memory)
{
    round_lines(memory, 2 * L2_LINES);
}

static void test_pace(struct tap *tap)
{
    bool linear = takes((struct crowd){compute, compute, &steps, 1, 0, 0}, 10000) &&
                  takes((struct crowd){compute, compute, &steps, 1, 1, 0}, 12000) &&
                  takes((struct crowd){compute, compute, &steps, 1, 2, 0}, 15000) &&
                  takes((struct crowd){compute, compute, &steps, 1, 3, 0}, 20000);
    tap_ok(tap, linear, "a core is the slower the more of its package run");
    tap_ok(tap, takes((struct crowd){compute, compute, &steps, 4, 4, 0}, 10000),
           "but not if those of another do");
    tap_ok(tap, takes((struct crowd){compute, rest, &steps, 1, 3, 0}, 10000), "or if they sleep");
    tap_ok(tap, takes((struct crowd){compute_and_raise, spin, &steps, 1, 3, 0}, 20000),
           "a core that spins runs");
    tap_ok(tap, takes((struct crowd){walk, compute, NULL, 1, 3, 0}, 200 + 4000),
           "a load from the L1 is slower, too");
    tap_ok(tap, takes((struct crowd){update_often, compute, NULL, 1, 3, 0}, 100 + 12000),
           "a locked instruction");
    uint64_t first = (uint64_t)2 * L1_LINES * MEMORY_NS;
    tap_ok(tap,
           takes((struct crowd){read_l2, compute, NULL, 1, 3, 0},
                 first + 9 * 2 * L1_LINES * 2 * L2_NS + 4),
           "a load from the L2");
    first = (uint64_t)2 * L2_LINES * MEMORY_NS;
    tap_ok(tap,
           takes((struct crowd){read_l3, compute, NULL, 1, 3, 0},
                 first + (uint64_t)9 * 2 * L2_LINES * L3_NS + 4),
           "a load from the L3 is not");
}

/* ---- Lines occupy the channels of the memory that they come from and go to. */

static const struct shape nodes = {1, 2, 1, 4, 1, 1};

enum { LINE_NS = 64 }; /* at 1 GB/s */

struct traffic {
    uint32_t readers, lines, rounds; /* of each reader: its own lines */
    bool writes, remote;             /* remote: all lines are on the first node */
    uint64_t last_ns;                /* the last round of the last reader */
};

struct passes {
    struct traffic *traffic;
    char *memory;
    uint64_t ns;
};

static void pass(void *argument)
{
    struct passes *passes = argument;
    const struct traffic *traffic = passes->traffic;
    for (uint32_t round = 0; round < traffic->rounds; round++) {
        uint64_t began = al_clock_ns();
        for (uint32_t i = 0; i < traffic->lines; i++) {
            if (traffic->writes)
                write_word(passes->memory + (size_t)i * LINE);
            else
                read_word(passes->memory + (size_t)i * LINE);
        }
        al_fence_seq_cst();
        passes->ns = al_clock_ns() - began;
    }
}

static void load_memory(void *argument)
{
    struct traffic *traffic = argument;
    struct together together = {0};
    struct passes passes[8];
    for (uint32_t i = 0; i < traffic->readers; i++) {
        passes[i] = (struct passes){traffic, new_pages((size_t)traffic->lines * LINE), 0};
        al_engine_move(passes[i].memory, (size_t)traffic->lines * LINE, 0);
        if (i >= 4 && !traffic->remote)
            al_engine_move(passes[i].memory, (size_t)traffic->lines * LINE, i);
        together_add(&together, i, pass, &passes[i]);
    }
    (void)together_run(&together);
    traffic->last_ns = 0;
    for (uint32_t i = 0; i < traffic->readers; i++)
        traffic->last_ns = passes[i].ns > traffic->last_ns ? passes[i].ns : traffic->last_ns;
}

static bool loads_take(struct traffic traffic, uint64_t ns)
{
    machine_init(&machine, nodes);
    machine_set(&machine, AL_MODEL_MEMORY_BANDWIDTH, 1);
    struct al_sim_report report = machine_run(&machine, load_memory, &traffic);
    bool ok = near(traffic.last_ns, ns, 20);
    bool waited = report.queued_ps > 0, waits = ns > (uint64_t)traffic.lines * MEMORY_NS;
    if (!ok || waited != waits)
        printf("# %llu ns instead of %llu, %llu queued\n", (unsigned long long)traffic.last_ns,
               (unsigned long long)ns, (unsigned long long)report.queued_ps / 1000);
    return ok && waited == waits;
}

static void test_channels(struct tap *tap)
{
    tap_ok(tap, loads_take((struct traffic){1, 64, 1, false, false, 0}, 64 * MEMORY_NS),
           "one core, which waits for each line, does not fill the channels");
    tap_ok(tap, loads_take((struct traffic){4, 256, 1, false, false, 0}, 4 * 256 * LINE_NS),
           "four cores that read from a node's memory wait for each other");
    tap_ok(tap, loads_take((struct traffic){8, 256, 1, false, false, 0}, 4 * 256 * LINE_NS),
           "those of another node do not");
    tap_ok(tap, loads_take((struct traffic){8, 256, 1, false, true, 0}, 8 * 256 * LINE_NS),
           "unless they read from the same memory");
    /* More lines than the caches hold. Unchanged ones are not written back. */
    tap_ok(tap, loads_take((struct traffic){4, 2048, 2, false, false, 0}, 4 * 2048 * LINE_NS),
           "and again, when the lines have left the caches");
    tap_ok(tap, loads_take((struct traffic){4, 2048, 2, true, false, 0}, 2 * 4 * 2048 * LINE_NS),
           "changed lines are written back");
}

int main(void)
{
    struct tap tap = {0};
    test_pace(&tap);
    test_channels(&tap);
    return tap_done(&tap);
}
