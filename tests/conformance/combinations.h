/* SPDX-License-Identifier: MIT */
#ifndef AL_COMBINATIONS_H
#define AL_COMBINATIONS_H

/* What the conformance suite runs: every strategy × victim heuristic × idle policy, and with which
 * options. */

#include <stdbool.h>
#include <stddef.h>

#include "core/option.h"
#include "core/system.h"

#define SETTINGS_MOST 32

/* A strategy and everything that can be chosen about it. */
struct combination {
    struct al_config config;
    struct al_setting settings[SETTINGS_MOST];
    size_t n_settings;
    bool own;    /* heuristic and policy are the strategy's own */
    bool sleeps; /* the heuristic is the strategy's own, and workers sleep until they are woken */
    bool plain;  /* all options have their defaults, except for those that shorten sleeps */
    bool chosen; /* an option that is no number has not */
    char name[256];
};

struct combinations {
    bool subset; /* only heuristics and policies that are a strategy's own */
    /* Called for each combination, which the function may change. */
    void (*each)(void *argument, struct combination *combination);
    /* True if the system starts; false if it refuses the options. */
    bool (*starts)(void *argument, struct combination *combination);
    void *argument;
};

/*
 * Every combination, always in the same order. Where the heuristic is the strategy's own, and the
 * policy is too or is one that sleeps, every pair of option values is in some combination; numbers
 * are as small as possible, to make collisions likely. A pair has three workers or eight on
 * threads, one or four on the simulated machine, and one and four on the virtual engine.
 */
void for_each_combination(const struct combinations *combinations,
                          const struct al_topology *topology);

#endif
