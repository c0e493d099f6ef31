/* SPDX-License-Identifier: MIT */

/* The combinations of the conformance suite as scenarios: two messages pass through a system of one
 * worker or four, in which each worker has an actor. There are too many executions to go through
 * all, but not too many to draw some. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/error.h"
#include "core/machine/topology.h"
#include "tests/conformance/combinations.h"
#include "tests/systematic/systems.h"

enum { MESSAGES = 2 };

static struct al_scenario *combined;
static size_t n_combined;

static bool starts(void *argument, struct combination *combination)
{
    (void)argument;
    struct al_error error;
    return al_system_check(&combination->config, &error) == 0;
}

static void *copy(const void *object, size_t bytes)
{
    void *kept = malloc(bytes);
    if (kept == NULL)
        al_out_of_memory("scenarios", bytes);
    return memcpy(kept, object, bytes);
}

static void add(void *argument, struct combination *combination)
{
    (void)argument;
    bool alone = combination->config.workers == 1;
    char name[sizeof combination->name + sizeof SYSTEM_COMBINED];
    snprintf(name, sizeof name, SYSTEM_COMBINED "%s", combination->name);
    struct combination *kept = copy(combination, sizeof *combination);
    kept->config.settings = kept->settings;
    const struct system system = {.config = &kept->config,
                                  .workers = alone ? "r" : "rrrr",
                                  .starts = true,
                                  .homes = alone ? "00" : "0123"};
    combined = realloc(combined, (n_combined + 1) * sizeof *combined);
    if (combined == NULL)
        al_out_of_memory("scenarios", (n_combined + 1) * sizeof *combined);
    struct al_scenario *scenario = &combined[n_combined++];
    *scenario = (struct al_scenario)SYSTEM_DEEP("", 0, MESSAGES, .workers = "");
    scenario->name = copy(name, strlen(name) + 1);
    scenario->threads = kept->config.workers + 1;
    scenario->data = copy(&system, sizeof system);
}

/* On an engine, since systems read the clock. */
static void add_all(void *topology)
{
    for_each_combination(&(struct combinations){.each = add, .starts = starts}, topology);
}

void systems_add_combinations(void)
{
    struct al_topology *topology; /* which the scenarios keep */
    struct al_error error;
    struct al_engine_result result;
    if (al_topology_load("node:2 l3:2 core:2 pu:1", &topology, &error) != 0)
        al_fatal("%s", error.text);
    al_engine_run(&(struct al_engine_config){0}, add_all, topology, &result);
    if (result.end != AL_ENGINE_DONE)
        al_fatal("%s", result.text);
    al_scenarios_add(combined, n_combined);
}
