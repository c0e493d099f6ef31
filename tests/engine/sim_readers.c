/* SPDX-License-Identifier: MIT */

/* The simulated machine's lines that cores read: at the same time, early, and alone. */

#include "tests/engine/sim_machine.h"

static const struct shape eight = {1, 1, 1, 8, 1, 1};

/* ---- Readers of one line at the same time: each keeps it from the next for a moment. */

static struct {
    uint64_t ended_ns[6];
} readers;

static void read_together(void *argument)
{
    (void)argument;
    char *word = new_pages(PAGE);
    struct together together = {0};
    on(7, update_word, word);
    for (uint32_t i = 0; i < 6; i++)
        together_add(&together, i, read_word, word);
    (void)together_run(&together);
    for (uint32_t i = 0; i < 6; i++)
        readers.ended_ns[i] = together.tasks[i].ended_ns - together.tasks[i].began_ns;
}

static bool readers_queue_shortly(void)
{
    struct machine machine;
    machine_init(&machine, eight);
    machine_set(&machine, AL_MODEL_LINE_BUSY, 3);
    (void)machine_run(&machine, read_together, NULL);
    bool ok = readers.ended_ns[0] == handoff_ns(&machine, 0, 7);
    for (uint32_t i = 1; i < 6; i++)
        ok &= readers.ended_ns[i] == 3 * i + L3_NS;
    return ok;
}

/* ---- A core that touches many lines at once comes to the last of them late, but the simulator
 * sees it at once. */

static struct {
    char *lines;
    uint64_t ns;
} early;

static void read_all(void *argument)
{
    (void)argument;
    al_touch(early.lines, (size_t)8 * LINE, AL_TOUCH_READ);
}

static void read_last(void *argument)
{
    (void)argument;
    al_compute(1);
    uint64_t began = al_clock_ns();
    read_word(early.lines + (size_t)7 * LINE);
    early.ns = al_clock_ns() - began;
}

static void come_early(void *argument)
{
    (void)argument;
    struct together together = {0};
    early.lines = new_pages(PAGE);
    for (uint32_t i = 0; i < 8; i++)
        on(7, update_word, early.lines + (size_t)i * LINE);
    together_add(&together, 0, read_all, NULL);
    together_add(&together, 1, read_last, NULL);
    (void)together_run(&together);
}

static bool early_does_not_wait(void)
{
    struct machine machine;
    machine_init(&machine, eight);
    machine_set(&machine, AL_MODEL_LINE_BUSY, 50);
    (void)machine_run(&machine, come_early, NULL);
    if (early.ns != L3_NS)
        printf("# it waits %llu ns\n", (unsigned long long)early.ns);
    return early.ns == L3_NS;
}

/* ---- A core that alone has read a line need not ask anybody before it writes. */

static struct {
    uint64_t read_ns, alone_ns, shared_ns;
} alone;

static void read_alone(void *argument)
{
    (void)argument;
    char *word = new_pages(PAGE);
    alone.read_ns = time_of(0, read_word, word);
    alone.alone_ns = time_of(0, update_word, word);
    on(0, read_word, word + LINE);
    on(1, read_word, word + LINE);
    alone.shared_ns = time_of(0, update_word, word + LINE);
}

static bool alone_writes_for_nothing(void)
{
    struct machine machine;
    machine_init(&machine, eight);
    (void)machine_run(&machine, read_alone, NULL);
    bool ok = alone.read_ns == MEMORY_NS && alone.alone_ns == 0 && alone.shared_ns != 0;
    if (!ok)
        printf("# read in %llu ns, written in %llu ns, and with another reader in %llu ns\n",
               (unsigned long long)alone.read_ns, (unsigned long long)alone.alone_ns,
               (unsigned long long)alone.shared_ns);
    return ok;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, readers_queue_shortly(), "readers keep a line from one another for a moment");
    tap_ok(&tap, early_does_not_wait(), "whoever comes first does not wait for who comes later");
    tap_ok(&tap, alone_writes_for_nothing(), "a core that alone has read a line writes it at once");
    return tap_done(&tap);
}
