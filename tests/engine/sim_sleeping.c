/* SPDX-License-Identifier: MIT */

/* Sleeping, parking and waking on the simulated machine. */

#include "tests/engine/sim_machine.h"

static struct machine machine;

static const struct shape four = {1, 1, 1, 4, 1, 1};

static struct {
    struct al_atomic_u32 word;
    uint64_t parked_ns, woke_ns, waker_ns, alone_ns, timed_ns;
} parking;

static void sleeper(void *argument)
{
    (void)argument;
    al_park(&parking.word, 0);
    parking.woke_ns = al_clock_ns();
}

static void waker(void *argument)
{
    al_compute(*(const uint64_t *)argument);
    parking.parked_ns = al_clock_ns();
    al_u32_store_relaxed(&parking.word, 1);
    al_unpark(&parking.word, 1);
    parking.waker_ns = al_clock_ns() - parking.parked_ns;
    uint64_t began = al_clock_ns();
    al_unpark(&parking.word, 1);
    parking.alone_ns = al_clock_ns() - began;
}

/* argument: the cycles between falling asleep and waking */
static void park_and_wake(void *argument)
{
    parking.word = (struct al_atomic_u32){0};
    struct together together = {0};
    together_add(&together, 1, sleeper, NULL);
    together_add(&together, 2, waker, argument);
    (void)together_run(&together);
    uint64_t began = al_clock_ns();
    al_park_for(&parking.word, 1, 2000);
    parking.timed_ns = al_clock_ns() - began;
}

static bool waking_costs(void)
{
    machine_init(&machine, four);
    machine_set(&machine, AL_MODEL_PARK, 800);
    machine_set(&machine, AL_MODEL_PARK_REFUSED, 300);
    machine_set(&machine, AL_MODEL_WAKE, 1500);
    machine_set(&machine, AL_MODEL_WAKE_NOBODY, 300);
    machine_set(&machine, AL_MODEL_WAKE_LATENCY, 6000);
    machine_set(&machine, AL_MODEL_IDLE_POLL, 50000);
    machine_set(&machine, AL_MODEL_WAKE_HALTED, 4500);
    machine_set(&machine, AL_MODEL_WAKE_HALTED_LATENCY, 20000);
    machine_set(&machine, AL_MODEL_SLEEP_SLACK, 50000);
    uint64_t cycles = 5000;
    (void)machine_run(&machine, park_and_wake, &cycles);
    return parking.waker_ns == 1800 && parking.alone_ns == 300 &&
           parking.woke_ns - parking.parked_ns == 6000 && parking.timed_ns == 52800;
}

/* On the machine of waking_costs. */
static bool early_wakes_are_cheap(void)
{
    uint64_t cycles = 500;
    (void)machine_run(&machine, park_and_wake, &cycles);
    return parking.waker_ns == 300 && parking.woke_ns - parking.parked_ns == 300;
}

/* On the machine of waking_costs. A PU that has had nothing to run for idle.poll has halted. */
static bool halted_wakes_cost_more(void)
{
    uint64_t just_before = 50000, after = 53000;
    (void)machine_run(&machine, park_and_wake, &just_before);
    bool polled = parking.waker_ns == 1800 && parking.woke_ns - parking.parked_ns == 6000;
    (void)machine_run(&machine, park_and_wake, &after);
    return polled && parking.waker_ns == 4800 && parking.woke_ns - parking.parked_ns == 20000;
}

static struct {
    struct al_atomic_u32 word;
    uint64_t refused_ns, changed_ns;
} refusal;

static void park_until_refused(void *argument)
{
    (void)argument;
    uint64_t began = al_clock_ns();
    al_park(&refusal.word, 1);
    refusal.refused_ns = al_clock_ns() - began;
    began = al_clock_ns();
    al_park_for(&refusal.word, 0, 20000);
    refusal.changed_ns = al_clock_ns() - began;
}

static void change_meanwhile(void *argument)
{
    (void)argument;
    al_compute(3000 + 100);
    al_u32_add_relaxed(&refusal.word, 1);
}

static void refuse(void *argument)
{
    (void)argument;
    refusal.word = (struct al_atomic_u32){0};
    struct together together = {0};
    together_add(&together, 1, park_until_refused, NULL);
    together_add(&together, 2, change_meanwhile, NULL);
    (void)together_run(&together);
}

/* Not even a word that changes during the call. */
static bool changed_words_are_not_slept_on(void)
{
    machine_init(&machine, four);
    machine_set(&machine, AL_MODEL_PARK, 5000);
    machine_set(&machine, AL_MODEL_PARK_REFUSED, 3000);
    (void)machine_run(&machine, refuse, NULL);
    return near(refusal.refused_ns, 3000, 300) && near(refusal.changed_ns, 3000, 300);
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, waking_costs(), "sleeping and waking cost what the model says");
    tap_ok(&tap, early_wakes_are_cheap(), "who has not fallen asleep yet is woken at no cost");
    tap_ok(&tap, halted_wakes_cost_more(), "a PU that has been idle for long wakes up slowly");
    tap_ok(&tap, changed_words_are_not_slept_on(),
           "a call whose word has changed costs what the model says");
    return tap_done(&tap);
}
