/* SPDX-License-Identifier: MIT */
#ifndef SYSTEMATIC_ITEMS_H
#define SYSTEMATIC_ITEMS_H

/* Items that are to be taken from a structure, each once. What a thread notes it writes to memory
 * of its own, which is no part of what is checked. */

#include <string.h>

#include "core/engine/check/scenario.h"

enum { ITEMS = 8, ITEM_THREADS = 8 };

/* Whose contents a taker reads: that of an item that has not been published is a data race. */
struct item {
    unsigned number;
};

struct items {
    unsigned n;
    struct item items[ITEMS];
    unsigned taken[ITEM_THREADS][ITEMS];
};

static struct items *items_now;

static inline void items_begin(struct items *items, unsigned n)
{
    memset(items, 0, sizeof *items);
    items->n = n;
    items_now = items;
}

/* Write an item, and the pointer to it. */
static inline void *item_pointer(unsigned number)
{
    items_now->items[number].number = number;
    return &items_now->items[number];
}

/* A thread has taken this, which may be NULL. */
static inline void item_taken(struct items *items, unsigned thread, const void *item)
{
    if (item == NULL)
        return;
    unsigned number = ((const struct item *)item)->number;
    if (number >= items->n)
        al_scenario_fail("thread %u takes an item that nobody has put there", thread);
    items->taken[thread][number]++;
}

static inline void items_check(const struct items *items)
{
    for (unsigned i = 0; i < items->n; i++) {
        unsigned n = 0;
        for (unsigned t = 0; t < ITEM_THREADS; t++)
            n += items->taken[t][i];
        if (n != 1)
            al_scenario_fail(n == 0 ? "item %u is lost" : "item %u is taken twice", i);
    }
}

#endif
