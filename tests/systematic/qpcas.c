/* SPDX-License-Identifier: MIT */

/* Swaps of queue pointers, as thieves of the inverted executor make them: of one victim, along a
 * chain of thieves, and round a cycle of them. */

#include "core/engine/check/scenario.h"
#include "schedulers/inverted/qpcas.h"

enum shape { ONE_VICTIM, CHAIN, CYCLE };
enum size { SHAPE, SWAPS };
#define NONE "no swap has succeeded"
enum { SLOTS = 5 };

static const struct al_scenario *scenario;
static struct al_atomic_ptr slots[SLOTS];
static unsigned done[SLOTS];

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    static const char *const names[SLOTS] = {"slot 0", "slot 1", "slot 2", "slot 3", "slot 4"};
    for (uintptr_t i = 0; i < SLOTS; i++) {
        al_scenario_name(&slots[i], sizeof slots[i], names[i]);
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
        al_scenario_fail(NONE);
}

/* A cycle may let no swap succeed. */
static void look_for_none(void)
{
    unsigned swaps = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        swaps += done[i];
    if (swaps == 0)
        al_scenario_fail(NONE);
}

#define PERMUTATION "the slots hold each queue once"
#define PROGRESS    "the slots hold each queue once, and a swap succeeds"

static const struct al_scenario scenarios[] = {
#define QPCAS(text, n, truth, ...)                                                                 \
    {                                                                                              \
        .name = "qpcas/" text, .shows = truth, .threads = n, .sizes = {__VA_ARGS__},               \
        .set_up = set_up, .thread = thread, .look = look                                           \
    }
    QPCAS("one-victim/2-thieves", 2, PROGRESS, ONE_VICTIM, 2),
    QPCAS("one-victim/3-thieves", 3, PROGRESS, ONE_VICTIM, 1),
    QPCAS("one-victim/3-thieves-twice", 3, PROGRESS, ONE_VICTIM, 2),
    QPCAS("chain/3-thieves", 3, PROGRESS, CHAIN, 1),
    QPCAS("chain/3-thieves-twice", 3, PROGRESS, CHAIN, 2),
    QPCAS("cycle/2-thieves", 2, PERMUTATION, CYCLE, 2),
    QPCAS("cycle/3-thieves", 3, PERMUTATION, CYCLE, 1),
    QPCAS("cycle/3-thieves-twice", 3, PERMUTATION, CYCLE, 2),
    {.name = "qpcas/cycle/none",
     .shows = "an example: no thief of a cycle succeeds",
     .threads = 3,
     .sizes = {CYCLE, 1},
     .set_up = set_up,
     .thread = thread,
     .look = look_for_none,
     .example = NONE},
};
AL_SCENARIOS(scenarios)
