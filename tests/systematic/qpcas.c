/* SPDX-License-Identifier: MIT */

/* Swaps of queue pointers, as thieves of the inverted executor make them: of one victim, along a
 * chain of thieves, and round a cycle of them. */

#include "core/engine/check/scenario.h"
#include "schedulers/inverted/qpcas.h"

enum shape { ONE_VICTIM, CHAIN, CYCLE };
enum size { SHAPE, SWAPS };
enum { SLOTS = 5 };

static const struct al_scenario *scenario;
static struct al_atomic_ptr slots[SLOTS];
static unsigned done[SLOTS];

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    for (uintptr_t i = 0; i < SLOTS; i++) {
        al_ptr_store_relaxed(&slots[i], (void *)(i + 1));
        done[i] = 0;
    }
}

static void thread(unsigned number)
{
    unsigned next[] = {
        [ONE_VICTIM] = SLOTS - 1, [CHAIN] = number + 1, [CYCLE] = (number + 1) % scenario->threads};
    struct al_atomic_ptr *victim = &slots[next[scenario->sizes[SHAPE]]];
    for (unsigned i = 0; i < scenario->sizes[SWAPS]; i++)
        done[number] += al_qpcas(&slots[number], victim) == AL_SWAP_DONE;
}

static void look(void)
{
    unsigned there = 0, swaps = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        there |= 1u << (uintptr_t)al_ptr_load_relaxed(&slots[i]);
        swaps += done[i];
    }
    if (there != (1u << (SLOTS + 1)) - 2)
        al_scenario_fail("the slots are no permutation of the queues");
    if (scenario->sizes[SHAPE] != CYCLE && swaps == 0)
        al_scenario_fail("no swap has succeeded");
}

#define PERMUTATION "the slots hold each queue once"
#define PROGRESS    "the slots hold each queue once, and a swap succeeds"

static const struct al_scenario scenarios[] = {
    {"qpcas/one-victim/2-thieves",
     PROGRESS,
     2,
     {ONE_VICTIM, 2},
     set_up,
     thread,
     look,
     0,
     false,
     false},
    {"qpcas/one-victim/3-thieves",
     PROGRESS,
     3,
     {ONE_VICTIM, 1},
     set_up,
     thread,
     look,
     0,
     false,
     false},
    {"qpcas/one-victim/3-thieves-twice",
     PROGRESS,
     3,
     {ONE_VICTIM, 2},
     set_up,
     thread,
     look,
     0,
     false,
     false},
    {"qpcas/chain/3-thieves", PROGRESS, 3, {CHAIN, 1}, set_up, thread, look, 0, false, false},
    {"qpcas/chain/3-thieves-twice", PROGRESS, 3, {CHAIN, 2}, set_up, thread, look, 0, false, false},
    {"qpcas/cycle/2-thieves", PERMUTATION, 2, {CYCLE, 2}, set_up, thread, look, 0, false, false},
    {"qpcas/cycle/3-thieves", PERMUTATION, 3, {CYCLE, 1}, set_up, thread, look, 0, false, false},
    {"qpcas/cycle/3-thieves-twice",
     PERMUTATION,
     3,
     {CYCLE, 2},
     set_up,
     thread,
     look,
     0,
     false,
     true},
};
AL_SCENARIOS(scenarios)
