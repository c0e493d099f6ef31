/* SPDX-License-Identifier: MIT */

/* Jitter of the simulated machine: costs differ from seed to seed, by as much as was asked for. */

#include "tests/engine/sim_machine.h"

#define SEEDS 40

static struct machine machine;

static struct {
    uint64_t computed_ns, slept_ns, near_ns, also_near_ns, far_ns, memory_ns;
} times;

static void measure(void *argument)
{
    (void)argument;
    uint64_t began = al_clock_ns();
    al_compute(10000);
    times.computed_ns = al_clock_ns() - began;
    began = al_clock_ns();
    al_sleep_ns(1);
    times.slept_ns = al_clock_ns() - began;
    char *memory = new_pages(PAGE);
    times.memory_ns = time_of(0, update_word, memory);
    times.near_ns = time_of(1, update_word, memory);
    times.also_near_ns = time_of(0, update_word, memory);
    times.far_ns = time_of(2, update_word, memory);
}

static typeof(times) times_of(uint64_t seed, double jitter)
{
    machine.seed = seed;
    machine.jitter = jitter;
    (void)machine_run(&machine, measure, NULL);
    return times;
}

/* How far from a time those of the seeds are, in per mille. */
static uint64_t most_per_mille, different;

static void compare(uint64_t ns, uint64_t exact_ns)
{
    uint64_t by = ns > exact_ns ? ns - exact_ns : exact_ns - ns, per_mille = by * 1000 / exact_ns;
    most_per_mille = per_mille > most_per_mille ? per_mille : most_per_mille;
    different += by != 0;
}

int main(void)
{
    struct tap tap = {0};
    machine_init(&machine, (struct shape){2, 1, 1, 2, 1, 1});
    machine_set(&machine, AL_MODEL_HANDOFF_L3, 10000);
    machine_set(&machine, AL_MODEL_HANDOFF_MACHINE, 40000);
    machine_set(&machine, AL_MODEL_MEMORY_NODE, 20000);
    machine_set(&machine, AL_MODEL_SLEEP_SLACK, 100000);
    typeof(times) exact = times_of(1, 0);
    tap_ok(&tap,
           exact.near_ns == 10000 && exact.far_ns == 40000 && exact.memory_ns == 20000 &&
               exact.slept_ns == 100001,
           "without jitter, times are the model's");
    bool alike = true, repeats = true;
    uint32_t seeds_differ = 0, costs_differ = 0;
    uint64_t last_ns = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        typeof(times) drawn = times_of(seed, 2);
        compare(drawn.near_ns, exact.near_ns);
        compare(drawn.far_ns, exact.far_ns);
        compare(drawn.memory_ns, exact.memory_ns);
        compare(drawn.slept_ns, exact.slept_ns);
        alike &= near(drawn.also_near_ns, drawn.near_ns, 1) && drawn.computed_ns == 10000;
        seeds_differ += drawn.far_ns != last_ns;
        last_ns = drawn.far_ns;
        costs_differ += !near(drawn.far_ns, 4 * drawn.near_ns, 1);
        repeats &= times_of(seed, 2).far_ns == drawn.far_ns;
    }
    tap_ok(&tap, different > 4 * SEEDS * 9 / 10 && most_per_mille > 15 && most_per_mille <= 20,
           "with 2%%, they are within 2%% (at most %llu per mille)",
           (unsigned long long)most_per_mille);
    tap_ok(&tap, seeds_differ > SEEDS * 9 / 10 && costs_differ > SEEDS * 8 / 10,
           "each seed and each cost has a factor of its own");
    tap_ok(&tap, alike, "pairs of a class stay alike, and what is computed does not change");
    tap_ok(&tap, repeats, "a seed repeats its costs");
    return tap_done(&tap);
}
