/* SPDX-License-Identifier: MIT */

/* The example of docs/checking.md: a box for one thing. */

#include "core/engine/check/scenario.h"
#include "core/sync/sync.h"

static struct box {
    struct al_atomic_u32 full;
    unsigned thing;
} * box;

static void set_up(const struct al_scenario *self)
{
    (void)self;
    box = al_calloc(1, sizeof *box);
    al_scenario_name(box, sizeof *box, "box");
}

static void put_or_take(unsigned number)
{
    if (number == 0) {
        box->thing = 7;
        al_u32_store_release(&box->full, 1);
        al_unpark(&box->full, 1);
        return;
    }
    while (al_u32_load_acquire(&box->full) == 0)
        al_park(&box->full, 0);
    if (box->thing != 7)
        al_scenario_fail("there is a %u in the box", box->thing);
}

static const struct al_scenario scenarios[] = {
    {.name = "example/box",
     .shows = "who sleeps until the box is full finds the thing in it",
     .threads = 2,
     .set_up = set_up,
     .thread = put_or_take},
};
AL_SCENARIOS(scenarios)
