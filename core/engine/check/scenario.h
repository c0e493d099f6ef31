/* SPDX-License-Identifier: MIT */
#ifndef AL_SCENARIO_H
#define AL_SCENARIO_H

/*
 * Scenarios for the checker: a few threads that do a few things to a structure, against its real
 * code, and what must be true of it then. The checker runs a scenario once for each way in which it
 * can go (core/engine/check/search.h). So each run must do the same if it reads the same: it must
 * not look at clocks, addresses or what an earlier run has left behind.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct al_scenario {
    const char *name;
    const char *shows; /* what is true in every run, in a line */
    unsigned threads;
    unsigned sizes[3]; /* what the functions make of these, so that several scenarios share them */
    const void *data;
    /* Before the threads begin. What it gets from al_malloc and its like is gone after the run.
     * Threads that it starts begin after it, too. */
    void (*set_up)(const struct al_scenario *self);
    void (*thread)(unsigned number); /* 0 to threads - 1; each is a thread of its own */
    void (*look)(void);              /* optional: after all have ended */
    /* How often a thread that looks for something in a loop looks in vain before the checker leaves
     * out its looks until there is something new. */
    unsigned vain_looks;
    /* 0, or leave out what comes after so many steps of a thread that may go round for ever. */
    unsigned steps;
    bool stops_clock; /* it may read the clock, which stands still */
    bool deep;        /* it takes minutes */
    /* Optional: the scenario is an example of what can happen, and fails with these words. */
    const char *example;
};

/* Have the checker know an array of scenarios. At the top level of a source, once. */
#define AL_SCENARIOS(array)                                                                        \
    __attribute__((constructor)) static void add_scenarios(void)                                   \
    {                                                                                              \
        al_scenarios_add(array, sizeof(array) / sizeof *(array));                                  \
    }
void al_scenarios_add(const struct al_scenario *scenarios, size_t n);
/* The i-th of all, by name; NULL: there are fewer. */
const struct al_scenario *al_scenario_at(size_t i);

/* In `thread` and `look`: end the run with this as what is wrong. The text is printf's. */
__attribute__((format(printf, 1, 2))) _Noreturn void al_scenario_fail(const char *format, ...);

/* What to call an object, or so many bytes from there on, in traces. In set_up. */
void al_scenario_name(const void *object, uint64_t bytes, const char *name);

/* One of several ways to go on, from 0: each is tried. In `thread`. */
unsigned al_scenario_choose(unsigned ways);

#endif
