/* SPDX-License-Identifier: MIT */

/* What a core of the simulated machine does while a locked instruction waits for its line. */

#include "tests/engine/sim_machine.h"

/* Of the wait, 40 + 8 ns, three quarters are used: 36 ns. */
enum { HANDOFF_NS = 40, LOCKED_NS = 8, AMID_NS = 2, WAIT_NS = 48, USED_NS = 36, WINDOW = 32 };

static const struct shape two = {1, 1, 1, 2, 1, 1}, three = {1, 1, 1, 3, 1, 1};

static struct machine machine;

static struct {
    void (*then)(char *lines); /* behind an update of the first line */
    uint64_t ns;
} run;

static void own_all(void *lines)
{
    for (uint32_t i = 0; i < 4; i++)
        update_word((char *)lines + (size_t)i * 2 * LINE);
}

static char *line(char *lines, uint32_t i)
{
    return lines + (size_t)i * 2 * LINE;
}

static void update_first(void *lines)
{
    void (*then)(char *lines) = run.then;
    uint64_t began = al_clock_ns();
    update_word(lines);
    then(lines);
    run.ns = al_clock_ns() - began;
}

/* The first line points to the second. */
static void begin(void *argument)
{
    (void)argument;
    char *lines = new_pages(PAGE);
    on(1, own_all, lines);
    on(0, update_first, lines);
}

static void set_up(struct shape shape)
{
    machine_init(&machine, shape);
    machine_set(&machine, AL_MODEL_HANDOFF_L3, HANDOFF_NS);
    machine_set(&machine, AL_MODEL_LOCKED, LOCKED_NS);
    machine_set(&machine, AL_MODEL_LOCKED_AMID, AMID_NS);
    machine_set(&machine, AL_MODEL_PAUSE, 10);
}

static bool takes(void (*then)(char *lines), uint64_t expected_ns)
{
    set_up(two);
    run.then = then;
    (void)machine_run(&machine, begin, NULL);
    if (run.ns != expected_ns)
        printf("# %llu ns instead of %llu\n", (unsigned long long)run.ns,
               (unsigned long long)expected_ns);
    return run.ns == expected_ns;
}

static void nothing(char *lines)
{
    (void)lines;
}

static void pause_thrice(char *lines)
{
    (void)lines;
    for (int i = 0; i < 3; i++)
        al_pause();
}

static void pause_often(char *lines)
{
    pause_thrice(lines);
    pause_thrice(lines);
}

static void compute(char *lines)
{
    (void)lines;
    al_compute(10);
}

static void read_second(char *lines)
{
    read_word(line(lines, 1));
}

/* Where the second is may come with the first. */
static void read_both(char *lines)
{
    read_word(lines + 8);
    read_word(line(lines, 1));
}

static void load_second(char *lines)
{
    (void)*(volatile uint64_t *)line(lines, 1);
}

static void store_second(char *lines)
{
    *(volatile uint64_t *)line(lines, 1) = 1;
    al_fence_seq_cst();
}

static void update_second(char *lines)
{
    update_word(line(lines, 1));
}

static void pause_late(char *lines)
{
    for (uint32_t i = 0; i < WINDOW; i++)
        read_word(lines);
    pause_thrice(lines);
}

/* ---- The address of what is read comes with the locked instruction's value. */

static void point(void *lines)
{
    *(void *volatile *)lines = line(lines, 1);
    al_fence_seq_cst();
}

static void follow(void *lines)
{
    uint64_t began = al_clock_ns();
    volatile uint64_t *second = al_ptr_exchange_acquire(lines, NULL);
    (void)*second;
    run.ns = al_clock_ns() - began;
}

static void exchange_pointer(void *argument)
{
    (void)argument;
    char *lines = new_pages(PAGE);
    on(1, own_all, lines);
    on(1, point, lines);
    on(0, follow, lines);
}

/* ---- Others want the line, too. */

static void update_and_pause(void *lines)
{
    update_word(lines);
    pause_thrice(lines);
}

static void contend(void *argument)
{
    (void)argument;
    struct together together = {0};
    char *lines = new_pages(PAGE);
    on(2, own_all, lines);
    together_add(&together, 0, update_and_pause, lines);
    together_add(&together, 1, update_and_pause, lines);
    run.ns = together_run(&together);
}

/* ---- A load of the word that a locked instruction on an own line has changed. */

static void change_and_load(void *argument)
{
    static uint64_t ns[3];
    (void)argument;
    char *word = new_pages(PAGE);
    update_word(word);
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t began = al_clock_ns();
        update_word(word);
        if (i == 2)
            write_word(word);
        read_word(i == 1 ? word + 8 : word);
        al_pause(); /* waits for no load */
        ns[i] = al_clock_ns() - began;
    }
    run.ns = ns[0] * 10000 + ns[1] * 100 + ns[2];
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, takes(nothing, WAIT_NS), "a locked instruction waits for its line");
    tap_ok(&tap,
           takes(pause_thrice, WAIT_NS) && takes(pause_often, WAIT_NS + 60 - USED_NS) &&
               takes(compute, WAIT_NS + 10),
           "what is behind it is executed meanwhile, but for as long only");
    tap_ok(&tap, takes(pause_late, WAIT_NS + 30), "and as far ahead as the core looks");
    tap_ok(&tap,
           takes(load_second, WAIT_NS + HANDOFF_NS - USED_NS) &&
               takes(read_second, WAIT_NS + HANDOFF_NS - USED_NS) &&
               takes(store_second, WAIT_NS + HANDOFF_NS - USED_NS),
           "other lines are asked for meanwhile");
    tap_ok(&tap, takes(update_second, 2 * WAIT_NS), "but for another locked instruction");
    tap_ok(&tap, takes(read_both, WAIT_NS + HANDOFF_NS), "and what follows a load of its line");
    (void)machine_run(&machine, exchange_pointer, NULL);
    tap_ok(&tap, run.ns == WAIT_NS + HANDOFF_NS, "and those at an address that it finds (%llu ns)",
           (unsigned long long)run.ns);
    set_up(three);
    run.ns = 0;
    (void)machine_run(&machine, contend, NULL);
    tap_ok(&tap, run.ns == WAIT_NS + HANDOFF_NS + 30,
           "nothing goes on while others want the line (%llu ns)", (unsigned long long)run.ns);
    set_up(two);
    machine_set(&machine, AL_MODEL_LOCKED, 20);
    (void)machine_run(&machine, change_and_load, NULL);
    /* Its 20 ns before the pause, or beside it. */
    tap_ok(&tap, run.ns == 302020, "a load of the word that it has changed waits (%llu)",
           (unsigned long long)run.ns);
    return tap_done(&tap);
}
