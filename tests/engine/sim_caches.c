/* SPDX-License-Identifier: MIT */

/* The simulated machine's caches and memory: capacity and replacement, sequences of misses,
 * prefetching, first touch and remote nodes. */

#include "tests/engine/sim_machine.h"

static const struct shape large = {2, 2, 2, 2, 1, 1}, one = {1, 1, 1, 1, 1, 1};

static struct machine machine;

/* Load every line of some memory, one after the other. */
struct chase {
    char *memory;
    uint32_t lines, rounds;
    uint64_t ns; /* of the last round */
};

static void chase(void *argument)
{
    struct chase *run = argument;
    for (uint32_t round = 0; round < run->rounds; round++) {
        uint64_t began = al_clock_ns();
        for (uint32_t i = 0; i < run->lines; i++)
            read_word(run->memory + (size_t)i * LINE);
        run->ns = al_clock_ns() - began;
    }
}

static void chase_alone(void *argument)
{
    struct chase *run = argument;
    run->memory = new_pages((size_t)run->lines * LINE);
    chase(run);
}

/* A round over so many lines costs this each. */
static bool chases(uint32_t lines, uint32_t rounds, uint64_t each_ns)
{
    struct chase run = {NULL, lines, rounds, 0};
    machine_init(&machine, one);
    (void)machine_run(&machine, chase_alone, &run);
    if (run.ns != lines * each_ns)
        printf("# %u lines: %llu ns instead of %llu\n", lines, (unsigned long long)run.ns,
               (unsigned long long)(lines * each_ns));
    return run.ns == lines * each_ns;
}

/* ---- Replacement: the line that was used least recently goes. */

static struct {
    uint64_t kept_ns, gone_ns;
} replaced;

/* Lines of one set of the L1. */
static char *of_set(char *memory, uint32_t i)
{
    return memory + (size_t)i * L1_LINES / 8 * LINE;
}

static void replace(void *argument)
{
    (void)argument;
    char *memory = new_pages(16 * L1_LINES * LINE);
    for (uint32_t i = 0; i < 8; i++)
        on(0, read_word, of_set(memory, i));
    on(0, read_word, of_set(memory, 0)); /* so that 1 is the oldest */
    on(0, read_word, of_set(memory, 8));
    replaced.kept_ns = time_of(0, read_word, of_set(memory, 0));
    replaced.gone_ns = time_of(0, read_word, of_set(memory, 1));
}

/* ---- A core that had a copy, and then writes, has one entry of each line, not two. */

static void read_then_write(void *argument)
{
    struct chase *run = argument;
    run->memory = new_pages((size_t)run->lines * LINE);
    struct chase here = *run, there = *run;
    on(0, chase, &here);
    on(1, chase, &there);
    /* Of each set the lines that came last: old entries would push out those that came first. */
    for (uint32_t i = run->lines / 2; i < run->lines; i++)
        on(0, update_word, run->memory + (size_t)i * LINE);
    on(0, chase, run);
}

static bool no_duplicates(void)
{
    struct chase run = {NULL, L2_LINES, 1, 0};
    machine_init(&machine, large);
    (void)machine_run(&machine, read_then_write, &run);
    return run.ns == L2_LINES * L2_NS;
}

/* ---- What one core evicts to the L3 that it shares, another finds there. */

static void evict(void *argument)
{
    struct chase *run = argument;
    run->memory = new_pages((size_t)run->lines * LINE);
    struct chase here = *run;
    on(0, chase, &here);
    run->lines = 16; /* the first, which have gone from the L2 */
    on(1, chase, run);
}

static bool evicted_lines_are_in_the_l3(void)
{
    struct chase run = {NULL, 2 * L2_LINES, 1, 0};
    machine_init(&machine, large);
    (void)machine_run(&machine, evict, &run);
    return run.ns == 16 * L3_NS;
}

/* ---- Sequences of misses, which the hardware fetches ahead. */

static uint64_t sequences_ns;

static void sequences(void *argument)
{
    uint32_t n = *(const uint32_t *)argument;
    char *memory = new_pages((size_t)n * 64 * PAGE);
    uint64_t began = al_clock_ns();
    for (uint32_t i = 0; i < 50; i++) {
        for (uint32_t k = 0; k < n; k++)
            read_word(memory + ((size_t)k * 64 * PAGE) + (size_t)i * LINE);
    }
    sequences_ns = al_clock_ns() - began;
}

/* So many at a time; the machine follows 8. */
static bool sequences_cost(uint32_t n, uint64_t expected_ns)
{
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_STREAM, 25);
    (void)machine_run(&machine, sequences, &n);
    if (sequences_ns != expected_ns)
        printf("# %u sequences: %llu ns instead of %llu\n", n, (unsigned long long)sequences_ns,
               (unsigned long long)expected_ns);
    return sequences_ns == expected_ns;
}

/* ---- Misses that others overlap: loads that do not wait for one another. */

static struct {
    uint64_t beside_ns, soon_ns, late_ns, again_ns, behind_ns, update_ns;
} overlap;

/* Load this word, read one that is there so many times, and do something to another one. */
static uint64_t load_then(char *word, uint32_t hits, void (*function)(void *), char *other)
{
    uint64_t began = al_clock_ns();
    char *value = *(char *volatile *)word;
    for (uint32_t i = 0; i < hits; i++)
        (void)*(volatile uint64_t *)&overlap.beside_ns;
    function(value != NULL ? value : other);
    return al_clock_ns() - began;
}

/* Read the second word of a line that is on its way, and what that points to. */
static void read_second(void *line)
{
    char *value = ((char *volatile *)line)[1];
    read_word(value);
}

static void miss(void *argument)
{
    (void)argument;
    char *memory = new_pages(16 * PAGE), *list = memory + 8 * PAGE;
    overlap.beside_ns = load_then(memory, 0, read_word, memory + 2 * PAGE);
    overlap.soon_ns = load_then(memory + PAGE, 30, read_word, memory + 3 * PAGE);
    overlap.late_ns = load_then(memory + 4 * PAGE, 31, read_word, memory + 6 * PAGE);
    overlap.update_ns = load_then(memory + 7 * PAGE, 0, update_word, memory + 9 * PAGE);
    al_engine_charge(false); /* or the line would be in the L1 */
    *(char **)list = memory + 11 * PAGE;
    ((char **)(memory + 5 * PAGE))[1] = memory + 12 * PAGE;
    al_engine_charge(true);
    overlap.again_ns = load_then(memory + 5 * PAGE, 0, read_second, memory + 5 * PAGE);
    overlap.behind_ns = load_then(list, 0, read_word, NULL); /* its address comes with the line */
}

/* ---- A prefetch costs what is left of it when the line is needed. */

static struct {
    uint64_t early_ns, late_ns, at_once_ns, twice_ns;
} prefetched;

static uint64_t prefetch_then(char *line, uint64_t compute_ns)
{
    uint64_t began = al_clock_ns();
    al_prefetch(line);
    al_compute(compute_ns);
    read_word(line);
    return al_clock_ns() - began;
}

static void prefetch(void *argument)
{
    (void)argument;
    char *memory = new_pages(PAGE);
    prefetched.early_ns = prefetch_then(memory, 500);
    prefetched.late_ns = prefetch_then(memory + 10 * LINE, 30);
    prefetched.at_once_ns = prefetch_then(memory + 20 * LINE, 0);
    prefetched.twice_ns = prefetch_then(memory + 20 * LINE, 0);
}

/* ---- A page's home is the node of the PU that touches it first, or that it is moved to. */

static bool remote;

static void touch_first(void *argument)
{
    (void)argument;
    uint32_t n = machine.machine.n_pus;
    for (uint32_t pu = 0; pu < n; pu++) {
        char *memory = new_pages((size_t)n * PAGE);
        for (uint32_t home = 0; home < n; home++) {
            char *page = memory + (size_t)home * PAGE;
            on(home, write_word, page);
            remote &= time_of(pu, read_word, page + 32 * LINE) == memory_ns(&machine, pu, home);
            al_engine_move(page, PAGE, (home + 5) % n);
            remote &= time_of(pu, update_word, page + 16 * LINE) ==
                      memory_ns(&machine, pu, (home + 5) % n);
        }
    }
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, chases(L1_LINES, 2, 0), "what fits into the L1 costs nothing");
    tap_ok(&tap, chases(2 * L1_LINES, 2, L2_NS) && chases(L2_LINES, 3, L2_NS),
           "what fits into the L2 comes from there");
    tap_ok(&tap, chases(2 * L2_LINES, 3, L3_NS) && chases(L3_LINES, 3, L3_NS),
           "what fits into the L3 comes from there");
    tap_ok(&tap, chases(2 * L3_LINES, 3, MEMORY_NS) && chases(L1_LINES, 1, MEMORY_NS),
           "and the rest from memory");
    machine_init(&machine, one);
    (void)machine_run(&machine, replace, NULL);
    tap_ok(&tap, replaced.kept_ns == 0 && replaced.gone_ns == L2_NS,
           "the least recently used line makes room");
    tap_ok(&tap, no_duplicates(), "a line that is read and then written takes one place");
    tap_ok(&tap, evicted_lines_are_in_the_l3(), "neighbours share what they evict");
    tap_ok(&tap, sequences_cost(1, 100 + 49 * 25) && sequences_cost(8, 8 * (100 + 49 * 25)),
           "a sequence of misses is fetched ahead, and so are eight");
    tap_ok(&tap, sequences_cost(9, 9 * 50 * 100), "but nine are not");
    machine_set(&machine, AL_MODEL_OVERLAP, 40);
    machine_set(&machine, AL_MODEL_STREAM, 100);
    (void)machine_run(&machine, miss, NULL);
    tap_ok(&tap, overlap.beside_ns == 140 && overlap.soon_ns == 140 && overlap.update_ns == 200,
           "a load overlaps the one before it, a locked instruction does not");
    tap_ok(&tap, overlap.behind_ns == 200 && overlap.again_ns == 200,
           "a load waits for the one that fetches its address");
    tap_ok(&tap, overlap.late_ns == 200, "a load overlaps none that is far behind");
    if (overlap.beside_ns + overlap.soon_ns + overlap.late_ns != 480)
        printf("# %llu, %llu and %llu ns\n", (unsigned long long)overlap.beside_ns,
               (unsigned long long)overlap.soon_ns, (unsigned long long)overlap.late_ns);
    machine_init(&machine, one);
    (void)machine_run(&machine, prefetch, NULL);
    tap_ok(&tap,
           prefetched.early_ns == 500 && prefetched.late_ns == 100 &&
               prefetched.at_once_ns == 100 && prefetched.twice_ns == 0,
           "a prefetched line is awaited for as long as it is not there");
    machine_init(&machine, large);
    remote = true;
    (void)machine_run(&machine, touch_first, NULL);
    tap_ok(&tap, remote, "memory costs by the distance of its home");
    return tap_done(&tap);
}
