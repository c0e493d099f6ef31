/* SPDX-License-Identifier: MIT */
#ifndef AL_LEVELS_H
#define AL_LEVELS_H

/* The levels of workers as text: the name of each, * if it is local, and its workers. */

#include <stdlib.h>

#include "core/machine/locality.h"
#include "core/machine/topology.h"
#include "tests/support/sets.h"
#include "tests/support/tap.h"

/* pus: a list of PUs, as a pin policy takes it. */
static inline struct al_locality *load_locality(const char *spec, const char *pus, uint32_t n)
{
    struct al_topology *topology;
    struct al_locality *locality;
    struct al_error error;
    unsigned *order, taken[SET_MOST];
    size_t n_pus;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    CHECK(al_topology_order(topology, pus, &order, &n_pus, &error) == 0, "%s", error.text);
    CHECK(n <= SET_MOST, "%u workers", n);
    if (n == 0)
        n = (uint32_t)n_pus;
    for (uint32_t i = 0; i < n; i++)
        taken[i] = order[i % n_pus];
    CHECK(al_locality_new(topology, taken, n, &locality, &error) == 0, "%s", error.text);
    free(order);
    al_topology_free(topology);
    return locality;
}

static inline void print_workers(char *text, size_t bytes, const struct al_level *level)
{
    bool has[SET_MOST] = {false};
    for (uint32_t i = 0; i < level->n; i++)
        has[level->workers[i]] = true;
    set_print(text, bytes, has, SET_MOST);
}

static inline bool levels_are(const char *spec, const char *pus, uint32_t n, uint32_t worker,
                              const char *expected)
{
    struct al_locality *locality = load_locality(spec, pus, n);
    char text[512] = "";
    for (uint32_t k = 0; k < al_locality_n_levels(locality, worker); k++) {
        const struct al_level *level = al_locality_level(locality, worker, k);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s ", k > 0 ? "; " : "", level->name,
                 level->local ? "*" : "");
        print_workers(text, sizeof text, level);
    }
    al_locality_free(locality);
    if (strcmp(text, expected) != 0)
        printf("# %s, worker %u: %s instead of %s\n", spec, worker, text, expected);
    return strcmp(text, expected) == 0;
}

/* For every worker: each of its levels contains it, is sorted and is part of the next; local levels
 * come first; the root contains all workers. */
static inline bool well_formed(const struct al_locality *locality, uint32_t n)
{
    for (uint32_t w = 0; w < n; w++) {
        uint32_t n_levels = al_locality_n_levels(locality, w);
        const struct al_level *last = NULL;
        for (uint32_t k = 0; k < n_levels; k++) {
            const struct al_level *level = al_locality_level(locality, w, k);
            bool root = k + 1 == n_levels, has = false;
            uint32_t in_last = 0;
            for (uint32_t i = 0; i < level->n; i++) {
                has |= level->workers[i] == w;
                in_last += last != NULL && in_last < last->n &&
                           level->workers[i] == last->workers[in_last];
                if (i > 0 && level->workers[i] <= level->workers[i - 1])
                    return false;
            }
            if (!has || (last != NULL && in_last != last->n) || (!root && level->n < 2) ||
                (last != NULL && !root && level->n == last->n) ||
                (last != NULL && !last->local && level->local) || (root && level->n != n) ||
                root != (strcmp(level->name, "root") == 0))
                return false;
            last = level;
        }
    }
    return true;
}

#endif
