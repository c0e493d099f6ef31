/* SPDX-License-Identifier: MIT */

/* The simulated machine's instructions: those that are counted, those that al_compute stands for,
 * and locked ones, with others around them. */

#include "tests/engine/sim_machine.h"

static const struct shape one = {1, 1, 1, 1, 1, 1};

/* ---- A known number of instructions. */

#define TEN(text)   text text text text text text text text text text
#define INSTRUCTION "add $1, %0\n\t"
enum { COUNTED = 1000, AROUND = 20 /* what a compiler may put around them */ };

__attribute__((noinline)) static void thousand(void)
{
#ifdef __x86_64__
    uint64_t value = 0;
    __asm__ volatile(TEN(TEN(TEN(INSTRUCTION))) : "+r"(value));
#else
    for (int i = 0; i < COUNTED / 6; i++)
        __asm__ volatile("" ::: "memory");
#endif
}

struct run {
    uint64_t calls, instruction_ns;
    bool computes;
    uint64_t ns;
};

static void call(void *argument)
{
    struct run *run = argument;
    uint64_t calls = run->calls; /* a look at it is an access, which ends what is declared */
    bool computes = run->computes;
    uint64_t began_ns = al_clock_ns();
    for (uint64_t i = 0; i < calls; i++) {
        thousand();
        if (computes)
            al_compute(7);
    }
    run->ns = al_clock_ns() - began_ns;
}

static uint64_t ns_of(struct run run)
{
    struct machine machine;
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_INSTRUCTION, run.instruction_ns);
    (void)machine_run(&machine, call, &run);
    return run.ns;
}

static bool are_counted(void)
{
    uint64_t once = ns_of((struct run){1, 1, false, 0}),
             twice = ns_of((struct run){2, 1, false, 0}),
             dearer = ns_of((struct run){2, 3, false, 0});
    if (twice - once < COUNTED || twice - once > COUNTED + AROUND || dearer != 3 * twice)
        printf("# %llu ns, twice %llu, at three times the price %llu\n", (unsigned long long)once,
               (unsigned long long)twice, (unsigned long long)dearer);
#ifdef __x86_64__
    return twice - once >= COUNTED && twice - once <= COUNTED + AROUND && dearer == 3 * twice;
#else
    return twice > once && dearer == 3 * twice;
#endif
}

/* What computes says how long that takes. */
static bool are_declared(void)
{
    uint64_t ns = ns_of((struct run){10, 1, true, 0});
    if (ns < 70 || ns > 70 + 10 * AROUND)
        printf("# computing takes %llu ns\n", (unsigned long long)ns);
    return ns >= 70 && ns <= 70 + 10 * AROUND;
}

/* ---- Locked instructions on a line of the own L1, with reads between them. */

enum { ROUNDS = 12, WINDOW = 32 };

struct locked {
    uint32_t reads; /* after each locked instruction */
    uint64_t ns;
};

static void lock_and_read(void *argument)
{
    struct locked *run = argument;
    char *word = new_pages(PAGE), *other = new_pages(PAGE);
    uint32_t reads = run->reads;
    update_word(word);
    read_word(other);
    uint64_t began_ns = al_clock_ns();
    for (int i = 0; i < ROUNDS; i++) {
        update_word(word);
        for (uint32_t read = 0; read < reads; read++)
            read_word(other);
    }
    run->ns = al_clock_ns() - began_ns;
}

static bool take(uint64_t locked_ns, uint32_t reads, uint64_t round_ns)
{
    struct machine machine;
    struct locked run = {.reads = reads};
    machine_init(&machine, one);
    machine_set(&machine, AL_MODEL_ACCESS, 1);
    machine_set(&machine, AL_MODEL_LOCKED, locked_ns);
    machine_set(&machine, AL_MODEL_LOCKED_AMID, 3);
    (void)machine_run(&machine, lock_and_read, &run);
    if (run.ns != ROUNDS * round_ns)
        printf("# %d locked instructions of %llu ns with %u reads behind each: %llu ns instead of "
               "%llu\n",
               ROUNDS, (unsigned long long)locked_ns, reads, (unsigned long long)run.ns,
               (unsigned long long)(ROUNDS * round_ns));
    return run.ns == ROUNDS * round_ns;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, are_counted(), "each takes its time");
    tap_ok(&tap, are_declared(), "but those that al_compute stands for");
    tap_ok(&tap, take(20, 0, 20), "a locked one waits for the one before it");
    tap_ok(&tap, take(20, 40, 3 + 40), "and other work goes on meanwhile");
    tap_ok(&tap, take(100, 40, 100 + 40 - (WINDOW - 1)), "as far ahead as the core looks");
    return tap_done(&tap);
}
