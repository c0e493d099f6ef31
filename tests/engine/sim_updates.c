/* SPDX-License-Identifier: MIT */

/* Tasks that wait for a locked instruction of another: a run that passes over the looks that are in
 * vain is the same, to the picosecond and to the event, as one that simulates each of them. */

#include "tests/engine/sim_machine.h"

#include "core/engine/engine.h"

#define WORKERS 12
#define ROUNDS  60

/* The words of a page: each in a line of its own. */
static char *memory;

static void *word(uint32_t i)
{
    return memory + (size_t)i * LINE;
}

/* Locked instructions on two lines, between them plain accesses to lines that others write, and
 * waiting: what each does next depends on what it found. */
static void contend(void *argument)
{
    uint32_t self = *(const uint32_t *)argument;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t before = al_u64_add_relaxed(word((self + round) % 2), 1);
        for (uint32_t i = 0; i < 3; i++)
            write_word(word(2 + (self + i) % 4));
        al_u64_store_release(word(6 + self % 3), before);
        if (before % 5 == self % 5)
            al_compute(37 * (1 + before % 7));
        else if (al_u64_load_acquire(word(6 + before % 3)) % 2 == 0)
            (void)al_pause_unchanged(AL_ALWAYS);
        read_word(word(2 + before % 4));
    }
}

static void run_all(void *argument)
{
    static uint32_t selves[WORKERS];
    uint32_t pus = *(const uint32_t *)argument;
    struct together together = {0};
    memory = new_pages(PAGE);
    for (uint32_t i = 0; i < WORKERS; i++) {
        selves[i] = i;
        together_add(&together, i * 5 % pus, contend, &selves[i]);
    }
    (void)together_run(&together);
}

static struct al_sim_report report_of(const struct machine *machine, uint64_t seed, uint32_t pus,
                                      bool each_look)
{
    struct al_sim_report report;
    struct al_sim_config config = {
        .machine = &machine->machine, .report = &report, .each_look = each_look};
    struct al_engine_result result;
    al_engine_run(&(struct al_engine_config){.seed = seed, .ops = &al_engine_sim, .model = &config},
                  run_all, &pus, &result);
    CHECK(result.end == AL_ENGINE_DONE, "seed %llu: %s", (unsigned long long)seed, result.text);
    return report;
}

/* Whether all seeds give the same run in both ways. */
static bool same(const struct machine *machine, uint32_t pus)
{
    bool all = true;
    uint64_t more = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct al_sim_report each = report_of(machine, seed, pus, true),
                             passed = report_of(machine, seed, pus, false);
        bool equal = each.hash == passed.hash && each.ended_ps == passed.ended_ps &&
                     each.misses == passed.misses && each.queued_ps == passed.queued_ps;
        if (!equal)
            printf("# seed %llu: %llu and %llu ps\n", (unsigned long long)seed,
                   (unsigned long long)each.ended_ps, (unsigned long long)passed.ended_ps);
        all &= equal;
        more += each.switches > passed.switches ? each.switches - passed.switches : 0;
    }
    printf("# %llu switches fewer\n", (unsigned long long)more);
    return all && more > 100;
}

int main(void)
{
    struct tap tap = {0};
    struct machine machine;
    machine_init(&machine, (struct shape){2, 2, 2, 2, 2, 1});
    machine_set(&machine, AL_MODEL_PAUSE, 40);
    machine_set(&machine, AL_MODEL_ACCESS, 1);
    machine_set(&machine, AL_MODEL_LINE_KEPT, 0);
    tap_ok(&tap, same(&machine, 32), "looks in vain are passed over");
    tap_ok(&tap, same(&machine, 8), "and where two tasks share a PU");
    return tap_done(&tap);
}
