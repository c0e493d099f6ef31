/* SPDX-License-Identifier: MIT */

/* Waiting loops on the simulated machine: a run that leaves their passes out until something
 * changes takes as long as one that simulates each of them. */

#include "tests/engine/sim_machine.h"

#include "core/engine/engine.h"

#define WORKERS 8
#define TURNS   200
#define LOOK_NS 17

static struct machine machine;

/* Workers hand a token around. Each looks at its own mailbox, at a flag, and at its neighbour's
 * mailbox: a pass takes 40 ns and at least 3 x 17. All of it is in the simulated memory: a pass
 * that reads other memory is always executed. */
struct ring {
    uint64_t alike;
    uint32_t workers;
    bool yields;
    struct al_atomic_u64 *mailboxes[WORKERS], *contended;
    struct al_atomic_u64 over;
};

struct worker {
    const struct ring *ring;
    uint32_t self;
};

static struct outcome {
    uint64_t ns, seen_ns[WORKERS * TURNS], left_out;
    uint32_t n_seen;
} outcome;

static bool look(const struct ring *ring, uint32_t self)
{
    if (al_u64_load_acquire(ring->mailboxes[self]) != 0 || al_u64_load_acquire(&ring->over) != 0)
        return true;
    (void)al_u64_load_acquire(ring->mailboxes[(self + 1) % ring->workers]);
    return false;
}

static void wait_for_turn(const struct ring *ring, uint32_t self)
{
    uint64_t left_out = 0;
    while (!look(ring, self))
        left_out += ring->yields ? al_yield_unchanged(ring->alike)
                                 : al_pause_unchanged(ring->alike);
    outcome.left_out += left_out;
}

static void hand_around(void *argument)
{
    const struct worker *worker = argument;
    const struct ring *ring = worker->ring;
    uint32_t self = worker->self;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        wait_for_turn(ring, self);
        outcome.seen_ns[outcome.n_seen++] = al_clock_ns();
        al_u64_store_relaxed(ring->mailboxes[self], 0);
        al_u64_add_relaxed(ring->contended, 1);
        al_compute(100 + (self * 7919 + turn * 104729) % 977); /* of all lengths */
        al_u64_store_release(ring->mailboxes[(self + 1) % ring->workers], 1);
    }
}

struct setting {
    uint64_t alike;
    uint32_t pus;
    bool yields;
};

static void run_ring(void *argument)
{
    const struct setting *setting = argument;
    char *memory = new_pages(2 * PAGE);
    struct ring *ring = (struct ring *)(memory + PAGE);
    *ring = (struct ring){setting->alike, WORKERS, setting->yields, {0}, NULL, {0}};
    for (uint32_t i = 0; i < WORKERS; i++)
        ring->mailboxes[i] = (void *)(memory + (size_t)i * LINE);
    ring->contended = (void *)(memory + 11 * LINE);
    al_u64_store_relaxed(ring->mailboxes[0], 1);
    struct together together = {0};
    struct worker workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){ring, i};
        together_add(&together, i % setting->pus * (16 / setting->pus), hand_around, &workers[i]);
    }
    outcome.ns = together_run(&together);
}

static struct outcome outcome_of(uint64_t alike, uint32_t pus, bool yields)
{
    struct setting setting = {alike, pus, yields};
    machine_init(&machine, (struct shape){2, 1, 2, 2, 2, 1});
    machine_set(&machine, AL_MODEL_ACCESS, 17);
    machine_set(&machine, AL_MODEL_LOCKED, 6);
    machine_set(&machine, AL_MODEL_YIELD, 400);
    machine_set(&machine, AL_MODEL_SLICE, 20000);
    outcome = (struct outcome){0};
    struct al_sim_report report = machine_run(&machine, run_ring, &setting);
    CHECK(report.left_out == outcome.left_out, "%llu passes were left out, the report says %llu",
          (unsigned long long)report.left_out, (unsigned long long)outcome.left_out);
    return outcome;
}

/* The two take the same time, and each turn begins at the same moment, within 3 per mille. */
static bool same(const char *name, uint32_t pus, bool yields, struct tap *tap)
{
    static struct outcome executed, suspended;
    executed = outcome_of(0, pus, yields);
    suspended = outcome_of(AL_ALWAYS, pus, yields);
    uint32_t turns = executed.n_seen;
    bool moments = turns == suspended.n_seen && turns == WORKERS * TURNS;
    for (uint32_t i = 0; i < turns; i++)
        moments &= near(suspended.seen_ns[i], executed.seen_ns[i], 3);
    tap_ok(tap, near(suspended.ns, executed.ns, 3) && moments && executed.left_out == 0,
           "%s: %llu ns suspended, %llu ns executed", name, (unsigned long long)suspended.ns,
           (unsigned long long)executed.ns);
    printf("# %llu passes were left out\n", (unsigned long long)suspended.left_out);
    return suspended.left_out > 0;
}

/* ---- A loop that looks a limited number of times. */

static struct {
    uint64_t looks, left_out, ns;
} limited;

static void look_1000_times(void *argument)
{
    uint64_t most = *(const uint64_t *)argument, began = al_clock_ns(), looks = 0, left_out = 0;
    void *word = new_pages(PAGE);
    while (looks < 1000 && al_u64_load_acquire(word) == 0) {
        uint64_t left = 999 - looks, n = al_pause_unchanged(left < most ? left : most);
        looks += 1 + n;
        left_out += n;
    }
    limited = (typeof(limited)){looks, left_out, al_clock_ns() - began};
}

static bool looks_are_counted(void)
{
    bool ok = true;
    for (uint64_t most = 0; most < 1000; most += 333) {
        machine_init(&machine, (struct shape){1, 1, 1, 1, 1, 1});
        (void)machine_run(&machine, look_1000_times, &most);
        ok &= limited.looks == 1000 && limited.ns == MEMORY_NS + 1000 * 40 &&
              (most == 0 ? limited.left_out == 0 : limited.left_out > 900);
    }
    return ok;
}

/* ---- A long pass: 5,120 reads of two lines, one of which changes at last. */

static struct {
    uint64_t alike, after_ns, saw_ns, left_out;
} longer;

static bool reads_all(char *memory)
{
    bool changed = false;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 2560; k++)
            changed |= al_u64_load_relaxed((void *)(memory + (size_t)i * LINE)) != 0;
    }
    return changed;
}

static void wait_long(void *memory)
{
    uint64_t alike = longer.alike, left_out = 0;
    while (!reads_all(memory))
        left_out += al_pause_unchanged(alike);
    longer.saw_ns = al_clock_ns();
    longer.left_out = left_out;
}

static void write_at_last(void *memory)
{
    al_compute(longer.after_ns);
    al_u64_store_release((void *)((char *)memory + LINE), 1);
}

static void run_longer(void *argument)
{
    struct together together = {0};
    void *memory = new_pages(PAGE);
    (void)argument;
    together_add(&together, 0, wait_long, memory);
    together_add(&together, 1, write_at_last, memory);
    (void)together_run(&together);
}

/* Whether passes are left out, and the change is seen at the same time as without. */
static bool long_pass_is_left_out(void)
{
    bool ok = true;
    for (uint64_t i = 0; i < 10; i++) {
        uint64_t saw_ns[2];
        for (uint32_t k = 0; k < 2; k++) {
            machine_init(&machine, (struct shape){1, 1, 1, 2, 1, 1});
            machine_set(&machine, AL_MODEL_ACCESS, 1);
            longer = (typeof(longer)){.alike = k == 0 ? 0 : AL_ALWAYS,
                                      .after_ns = 100000 + i * 977};
            (void)machine_run(&machine, run_longer, NULL);
            saw_ns[k] = longer.saw_ns;
            ok &= (longer.left_out > 5) == (k == 1);
        }
        ok &= near(saw_ns[1], saw_ns[0], 1);
    }
    return ok;
}

/* ---- A loop that waits for the other PU of its core, whose writes take no line from anywhere. */

static struct {
    uint64_t after_ns, wrote_ns, saw_ns, left_out;
} siblings;

/* A pass of several turns: the other PU may write between any two of its steps. */
static void wait_for_word(void *word)
{
    uint64_t left_out = 0;
    while (al_u64_load_acquire(word) == 0) {
        (void)al_u64_load_acquire((void *)((char *)word + LINE));
        left_out += al_pause_unchanged(AL_ALWAYS);
    }
    siblings.saw_ns = al_clock_ns();
    siblings.left_out = left_out;
}

static void write_later(void *word)
{
    al_u64_store_relaxed(word, 0); /* from here on the line is in this core, and its own */
    al_compute(siblings.after_ns);
    siblings.wrote_ns = al_clock_ns();
    al_u64_store_release(word, 1);
}

static void run_siblings(void *argument)
{
    (void)argument;
    void *word = new_pages(PAGE);
    struct together together = {0};
    together_add(&together, 0, wait_for_word, word);
    together_add(&together, 1, write_later, word);
    (void)together_run(&together);
}

/* The write takes one look, and it is seen within a pass of two looks and a pause of 40 ns, at the
 * next two looks. */
static bool sibling_is_seen(uint64_t after_ns, uint64_t late_ns)
{
    siblings.after_ns = after_ns;
    machine_init(&machine, (struct shape){1, 1, 1, 1, 1, 2});
    machine_set(&machine, AL_MODEL_ACCESS, LOOK_NS);
    (void)machine_run(&machine, run_siblings, NULL);
    return siblings.saw_ns >= siblings.wrote_ns &&
           siblings.saw_ns <= siblings.wrote_ns + 40 + 5 * LOOK_NS + late_ns;
}

/* ---- Tasks that meet again and again: the last to come ends the wait of all. */

static void meet(void *word)
{
    for (uint64_t round = 1; round <= 200; round++) {
        al_u64_add_relaxed(word, 1);
        while (al_u64_load_relaxed(word) < 6 * round)
            al_pause_unchanged(AL_ALWAYS);
    }
}

static void meet_often(void *argument)
{
    static const uint32_t pus[] = {31, 16, 8, 2, 1, 0};
    struct together together = {0};
    void *word = new_pages(PAGE);
    (void)argument;
    for (uint32_t i = 0; i < 6; i++)
        together_add(&together, pus[i], meet, word);
    (void)together_run(&together);
}

static bool meets(const struct machine *machine)
{
    struct al_sim_report report;
    bool ended = true;
    for (uint64_t seed = 1; seed <= 10; seed++) { /* transfers vary by the seed */
        struct al_sim_config config = {.machine = &machine->machine, .report = &report};
        struct al_engine_result result;
        al_engine_run(
            &(struct al_engine_config){
                .seed = seed, .step_limit = 20000000, .ops = &al_engine_sim, .model = &config},
            meet_often, NULL, &result);
        if (result.end != AL_ENGINE_DONE)
            printf("# seed %llu: %s\n", (unsigned long long)seed, result.text);
        ended &= result.end == AL_ENGINE_DONE;
    }
    return ended;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, sibling_is_seen(100000, 0) && siblings.left_out > 100,
           "a write of the other PU of the core is seen");
    bool seen = true;
    for (uint64_t after_ns = 0; after_ns < 1000; after_ns++) /* the first passes miss */
        seen &= sibling_is_seen(after_ns, 2 * MEMORY_NS);
    tap_ok(&tap, seen, "a write of the other PU of the core is seen at any moment");
    tap_ok(&tap, same("a core each", 8, false, &tap), "and passes were left out");
    tap_ok(&tap, same("a core each, yielding", 8, true, &tap), "and passes were left out");
    same("two workers to a PU", 4, true, &tap);
    tap_ok(&tap, looks_are_counted(), "a limit of looks is kept");
    tap_ok(&tap, long_pass_is_left_out(), "a pass of many reads of few lines is left out, too");
    struct machine far;
    machine_init(&far, (struct shape){2, 2, 2, 2, 2, 1});
    machine_set(&far, AL_MODEL_PAUSE, 1);
    bool ended = true;
    for (uint64_t kept = 0; kept <= 50; kept += 10) {
        machine_set(&far, AL_MODEL_LINE_KEPT, kept);
        ended &= meets(&far);
    }
    tap_ok(&tap, ended, "no request overtakes an update that others wait for");
    return tap_done(&tap);
}
