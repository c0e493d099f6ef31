/* SPDX-License-Identifier: MIT */

/* When loads on the simulated machine have their values: a walk through a list waits for each,
 * other loads for none, and a core goes on meanwhile. */

#include "tests/engine/sim_machine.h"

enum { HIT_NS = 5, ACCESS_NS = 2 };

static const struct shape one = {1, 1, 1, 1, 1, 1}, two = {1, 1, 1, 2, 1, 1};

static struct machine machine;

/* ---- A walk through a list, and loads that do not wait for one another. */

static uint64_t walk_ns;

/* Each of the lines has the address of the next, and the last one that of the first. */
static void **list_of(uint32_t lines)
{
    char *memory = new_pages((size_t)lines * LINE);
    for (uint32_t i = 0; i < lines; i++)
        *(void **)(memory + (size_t)i * LINE) = memory + (size_t)(i + 1) % lines * LINE;
    return (void **)memory;
}

static void **follow(void **at, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        at = *(void **volatile *)at;
    return at;
}

static void walk(void *argument)
{
    uint32_t lines = *(const uint32_t *)argument;
    void **first = list_of(lines);
    CHECK(follow(first, 2 * lines) == first, "the walk has another end");
    uint64_t began = al_clock_ns();
    (void)follow(first, lines);
    walk_ns = al_clock_ns() - began;
}

static void load_all(void *argument)
{
    uint32_t lines = *(const uint32_t *)argument;
    char *memory = new_pages((size_t)lines * LINE);
    for (uint32_t round = 0; round < 2; round++) {
        uint64_t began = al_clock_ns();
        for (uint32_t i = 0; i < lines; i++)
            (void)*(volatile uint64_t *)(memory + (size_t)i * LINE);
        walk_ns = al_clock_ns() - began;
    }
}

/* What it takes if an access takes so long. */
static bool loads(void (*function)(void *), uint32_t lines, uint64_t access_ns,
                  uint64_t expected_ns)
{
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_ACCESS, access_ns);
    machine_set(&machine, AL_MODEL_L1_HIT, HIT_NS);
    (void)machine_run(&machine, function, &lines);
    if (walk_ns != expected_ns)
        printf("# %u lines: %llu ns instead of %llu\n", lines, (unsigned long long)walk_ns,
               (unsigned long long)expected_ns);
    return walk_ns == expected_ns;
}

/* ---- What a core does while it waits for the end of a list, as far ahead as it looks. */

enum { CHAIN = 8, WAIT_NS = 100, WINDOW = 32 };

static struct {
    void (*function)(void *);
    uint32_t n;
    bool is_static; /* not in the simulated memory */
    uint64_t ns;
} beside;

static uint64_t static_word;

/* One access, also without optimisation. */
static void store_word(void *word)
{
    *(volatile uint64_t *)word = 1;
}

static void access_beside(void *argument)
{
    (void)argument;
    void **first = list_of(CHAIN);
    void *other = beside.is_static ? (void *)&static_word : new_pages(PAGE);
    void (*function)(void *) = beside.function;
    uint32_t n = beside.n; /* a look at it is an access */
    function(other);
    (void)follow(first, 2 * CHAIN);
    uint64_t began = al_clock_ns();
    (void)follow(first, CHAIN);
    for (uint32_t i = 0; i < n; i++)
        function(other);
    beside.ns = al_clock_ns() - began;
}

static bool takes_beside(uint32_t n, uint64_t expected_ns)
{
    beside.n = n;
    (void)machine_run(&machine, access_beside, NULL);
    if (beside.ns != expected_ns)
        printf("# %u accesses: %llu ns instead of %llu\n", n, (unsigned long long)beside.ns,
               (unsigned long long)expected_ns);
    return beside.ns == expected_ns;
}

/* The access WINDOW after the last of the list, and with it those behind it, waits for that one. */
static bool looks_ahead(void (*function)(void *), bool is_static)
{
    uint64_t list_ns = ACCESS_NS + CHAIN * WAIT_NS;
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_ACCESS, ACCESS_NS);
    machine_set(&machine, AL_MODEL_LOCKED, ACCESS_NS);
    machine_set(&machine, AL_MODEL_L1_HIT, WAIT_NS);
    beside.function = function;
    beside.is_static = is_static;
    return takes_beside(0, list_ns) && takes_beside(WINDOW - 1, list_ns) &&
           takes_beside(WINDOW, list_ns + ACCESS_NS) &&
           takes_beside(2 * WINDOW, list_ns + (WINDOW + 1) * ACCESS_NS);
}

/* Those behind it wait for it. */
static bool locked_waits(void)
{
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_LOCKED, 7);
    machine_set(&machine, AL_MODEL_L1_HIT, WAIT_NS);
    beside.function = update_word;
    beside.is_static = false;
    return takes_beside(1, CHAIN * WAIT_NS + 7) && takes_beside(3, CHAIN * WAIT_NS + 3 * 7);
}

/* ---- Which addresses a pointer is: those of four lines from its own on, of any instruction. */

static struct {
    uint64_t load_ns[5], update_ns;
} behind;

static uint64_t then(void **pointer, void (*function)(void *), char *address)
{
    uint64_t began = al_clock_ns();
    void *found = *(void *volatile *)pointer;
    function(address);
    CHECK(found != NULL, "no pointer");
    return al_clock_ns() - began;
}

static void look_behind(void *argument)
{
    (void)argument;
    char *memory = new_pages(2 * PAGE);
    void **pointer = (void **)(memory + PAGE);
    *pointer = memory;
    for (uint32_t i = 0; i < 5; i++)
        update_word(memory + (size_t)i * LINE);
    for (uint32_t i = 0; i < 5; i++)
        behind.load_ns[i] = then(pointer, read_word, memory + (size_t)i * LINE);
    behind.update_ns = then(pointer, update_word, memory + 3 * LINE);
}

static bool pointers_reach_four_lines(void)
{
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_L1_HIT, HIT_NS);
    machine_set(&machine, AL_MODEL_LOCKED, 20);
    (void)machine_run(&machine, look_behind, NULL);
    bool ok = behind.load_ns[4] == HIT_NS;
    for (uint32_t i = 0; i < 4; i++)
        ok &= behind.load_ns[i] == 2 * HIT_NS;
    return ok && behind.update_ns == HIT_NS + 20;
}

/* ---- Lines of another core, by atomic loads: what is saved of one is saved of all of it, and no
 * request is under way before its address is known. */

enum { LINES = 16 };

static struct {
    uint64_t alone_ns, both_ns, ahead_ns, walk_ns;
} theirs;

static void own_all(void *memory)
{
    for (uint32_t i = 0; i < LINES; i++)
        update_word((char *)memory + (size_t)i * LINE);
}

static void link_all(void *memory)
{
    for (uint32_t i = 0; i < LINES; i++) {
        char *at = (char *)memory + (size_t)i * 2 * LINE;
        al_ptr_store_relaxed((struct al_atomic_ptr *)at, at + (size_t)2 * LINE);
    }
    al_fence_seq_cst(); /* so that no write is under way any more */
}

static uint64_t load_ns(char *word)
{
    uint64_t began = al_clock_ns();
    read_word(word);
    return al_clock_ns() - began;
}

static void load_theirs(void *memory)
{
    char *at = memory;
    theirs.alone_ns = load_ns(at + (size_t)4 * LINE);
    uint64_t began = al_clock_ns();
    read_word(at + (size_t)10 * LINE);
    read_word(at + (size_t)14 * LINE);
    theirs.both_ns = al_clock_ns() - began;
    theirs.ahead_ns = load_ns(at + (size_t)11 * LINE);
}

static void walk_theirs(void *memory)
{
    struct al_atomic_ptr *at = memory;
    uint64_t began = al_clock_ns();
    for (uint32_t i = 0; i < LINES; i++)
        at = al_ptr_load_relaxed(at);
    theirs.walk_ns = al_clock_ns() - began;
}

static void share_lines(void *argument)
{
    (void)argument;
    char *memory = new_pages(2 * PAGE);
    on(1, own_all, memory);
    on(0, load_theirs, memory);
    on(1, link_all, memory + PAGE);
    on(0, walk_theirs, memory + PAGE);
}

static bool lines_of_others(void)
{
    machine_init(&machine, two);
    machine_set(&machine, AL_MODEL_HANDOFF_L3, 40);
    machine_set(&machine, AL_MODEL_L1_HIT, HIT_NS);
    machine_set(&machine, AL_MODEL_OVERLAP, 50);
    machine_set(&machine, AL_MODEL_STREAM, 25);
    (void)machine_run(&machine, share_lines, NULL);
    return theirs.alone_ns == 40 + HIT_NS && theirs.both_ns == 20 + 40 + HIT_NS &&
           theirs.ahead_ns == 10 + HIT_NS && theirs.walk_ns == LINES * (40 + HIT_NS);
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap,
           loads(walk, L1_LINES, 0, L1_LINES * HIT_NS) &&
               loads(walk, L1_LINES, ACCESS_NS, L1_LINES * HIT_NS + ACCESS_NS),
           "a walk through a list waits for each load from the L1");
    tap_ok(&tap, loads(load_all, L1_LINES, ACCESS_NS, L1_LINES * ACCESS_NS + HIT_NS),
           "other loads wait for none");
    tap_ok(&tap, loads(walk, L2_LINES, 0, L2_LINES * (HIT_NS + L2_NS)),
           "a walk through the L2 takes as much longer as the L2 does");
    tap_ok(&tap, looks_ahead(store_word, false), "a core goes on meanwhile, but only so far ahead");
    tap_ok(&tap, looks_ahead(store_word, true), "also with what is not in the simulated memory");
    tap_ok(&tap, locked_waits(), "a locked instruction waits for all loads");
    tap_ok(&tap, pointers_reach_four_lines(), "whatever is at an address waits for it");
    tap_ok(&tap, lines_of_others(), "so do requests to another core, which others may overlap");
    return tap_done(&tap);
}
