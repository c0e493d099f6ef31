/* SPDX-License-Identifier: MIT */

/*
 * workloads: some, small, with their own check of the answer; savina: that suite's and ours, tiny,
 * as their protocols have more ways to end than the others'. (tests/command/test_workloads.py runs
 * all.)
 */

#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "core/plugin/scheduler.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define SHARE 4 /* of the seeds: one in so many runs a workload */

static void run_workload(const struct al_config *config, const char *name,
                         const struct al_setting *settings, size_t n)
{
    struct al_error error = {""};
    const struct al_plugin *plugin = al_plugin_find(al_benchmarks, "workload", name, &error);
    CHECK(plugin != NULL, "%s", error.text);
    const struct al_benchmark_ops *ops = AL_OPS(plugin, al_benchmark_ops);
    struct al_selection selection = {.plugin = plugin};
    CHECK(al_options_parse(&(struct al_selection *){&selection}, 1, settings, n, &error) == 0, "%s",
          error.text);
    void *state = ops->prepare(selection.values, config->seed);
    struct al_config with_latencies = *config;
    with_latencies.latencies = ops->latencies;
    struct al_system *system = start_system(&with_latencies);
    ops->start(state);
    stop_system(system);
    CHECK(ops->check(state, &error) == 0, "%s: %s", name, error.text);
    ops->release(state);
}

void run_workloads(const struct al_config *config, bool large)
{
    const char *sends = large ? "20000" : "50";
    run_workload(config, "send-static", &(struct al_setting){"sends", sends}, 1);
    run_workload(config, "send-dynamic", &(struct al_setting){"sends", sends}, 1);
    run_workload(config, "executor",
                 (struct al_setting[]){{"actors", large ? "200" : "12"},
                                       {"group", large ? "20" : "4"},
                                       {"rounds", large ? "20" : "3"},
                                       {"batch", "2"}},
                 4);
}

static const struct tiny {
    const char *name;
    struct al_setting settings[6];
} tinies[] = {
    {"pingpong", {{"pings", "5"}}},
    {"count", {{"increments", "20"}}},
    {"fjthrput", {{"actors", "3"}, {"sends", "4"}, {"sources", "2"}}},
    {"fjcreate", {{"actors", "6"}, {"creators", "2"}}},
    {"threadring", {{"actors", "3"}, {"hops", "7"}}},
    {"chameneos", {{"creatures", "4"}, {"meetings", "5"}}},
    {"fib", {{"n", "6"}}},
    {"bndbuffer",
     {{"buffer", "4"}, {"producers", "2"}, {"consumers", "3"}, {"items", "4"}, {"cost", "0"}}},
    {"philosopher", {{"philosophers", "3"}, {"meals", "2"}}},
    {"barber", {{"customers", "5"}, {"seats", "2"}, {"production", "1"}, {"haircut", "1"}}},
    {"cigsmok", {{"rounds", "5"}, {"smokers", "3"}}},
    {"banking", {{"accounts", "10"}, {"transfers", "12"}}},
    {"quicksort", {{"values", "60"}, {"threshold", "12"}}},
    {"radixsort", {{"values", "6"}, {"bits", "4"}}},
    {"bitonicsort", {{"values", "4"}}},
    {"sieve", {{"numbers", "40"}, {"primes", "3"}}},
    {"recmatmul", {{"n", "4"}, {"block", "4"}, {"actors", "2"}}},
    {"sor", {{"n", "3"}, {"rounds", "3"}}},
    {"piprecision", {{"digits", "3"}, {"actors", "2"}}},
    {"filterbank", {{"values", "8"}, {"columns", "3"}, {"channels", "2"}}},
    {"facloc", {{"points", "12"}, {"alpha", "0.1"}}},
    {"astar", {{"size", "3"}, {"actors", "2"}, {"threshold", "2"}}},
    {"uct", {{"nodes", "13"}, {"children", "3"}}},
    {"bystander", {{"bystanders", "3"}, {"ns", "100"}}},
    {"outside",
     {{"actors", "2"},
      {"bursts", "3"},
      {"gap", "1000"},
      {"busy", "1"},
      {"turns", "2"},
      {"ns", "100"}}},
    {"overload", {{"senders", "2"}, {"parcels", "4"}, {"work", "0"}, {"bytes", "9"}}},
    {"population", {{"actors", "5"}, {"messages", "2"}}},
    {"race", {{"actors", "5"}, {"turns", "20"}, {"work", "10"}}},
    {"synthetic", {{"actors", "4"}, {"messages", "30"}, {"trees", "2"}, {"hot", "1"}}},
};

/* Whether the strategy may let an actor that is ready wait for ever: a single worker of mercury
 * runs its newest actors first, and so two that ask each other in vain. */
static bool starves(const struct al_config *config)
{
    return strcmp(config->scheduler->plugin.name, "mercury") == 0 && config->workers == 1;
}

/* All of them, or where cases are many those whose turn it is with this seed; a case that has one
 * seed runs the same ones always. */
void run_savina(const struct al_config *config, bool large)
{
    size_t apart = large ? 1 : SHARE;
    for (size_t i = config->seed % apart; i < sizeof tinies / sizeof tinies[0]; i += apart) {
        const struct tiny *tiny = &tinies[i];
        size_t n = 0;
        while (n < sizeof tiny->settings / sizeof tiny->settings[0] &&
               tiny->settings[n].key != NULL)
            n++;
        if (strcmp(tiny->name, "philosopher") != 0 || !starves(config))
            run_workload(config, tiny->name, tiny->settings, n);
    }
}
