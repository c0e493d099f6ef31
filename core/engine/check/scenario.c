/* SPDX-License-Identifier: MIT */
#include "core/engine/check/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static const struct al_scenario **all;
static size_t n_all;

static int by_name(const void *a, const void *b)
{
    const struct al_scenario *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

void al_scenarios_add(const struct al_scenario *scenarios, size_t n)
{
    all = realloc(all, (n_all + n) * sizeof *all);
    if (all == NULL)
        al_out_of_memory("scenarios", (n_all + n) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[n_all++] = &scenarios[i];
    qsort(all, n_all, sizeof *all, by_name);
}

const struct al_scenario *al_scenario_at(size_t i)
{
    return i < n_all ? all[i] : NULL;
}
