/* SPDX-License-Identifier: MIT */

/* `actorlab list`: every plug-in with its options, from their own tables. */

#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/record.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/results/palette.h"
#include "benchmarks/harness/results/quiet.h"
#include "benchmarks/harness/results/schema.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/machine/topology.h"
#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"

static const char *const type_names[] = {
    [AL_OPTION_UINT] = "uint",
    [AL_OPTION_REAL] = "real",
    [AL_OPTION_ENUM] = "enum",
};

static const char *const sleeps_names[] = {
    [AL_SLEEPS_BY_POLICY] = "policy",
    [AL_SLEEPS_OWN] = "own",
    [AL_SLEEPS_EITHER] = "either",
};

/* Which victim heuristic and idle policy are the strategy's own, and which others it takes. */
static void print_choices(const struct al_plugin *plugin)
{
    const struct al_scheduler_ops *ops = AL_OPS(plugin, al_scheduler_ops);
    if (ops->steals)
        printf("    victim %s (or any)", ops->victim->plugin.name);
    else
        printf("    does not steal");
    if (ops->sleeps == AL_SLEEPS_OWN)
        printf("; sleeps in its own way\n");
    else
        printf("; idle %s (or any%s)\n", ops->idle->plugin.name,
               ops->sleeps == AL_SLEEPS_BY_POLICY ? " but own" : "");
}

/* What a workload is for, and its sizes. */
static void print_sizes(const struct al_plugin *plugin)
{
    const struct al_benchmark_ops *ops = AL_OPS(plugin, al_benchmark_ops);
    printf("    stresses %s\n    --size small: %s\n", ops->stresses, ops->small);
    if (ops->paper != NULL)
        printf("    --size paper: %s\n", ops->paper);
    if (ops->sim != NULL)
        printf("    --size sim: %s\n", ops->sim);
}

/* print_more: NULL, or prints further lines below the help of each. */
static void print_plugins(const char *title, const struct al_plugin *const *registry,
                          void (*print_more)(const struct al_plugin *plugin))
{
    printf("%s\n", title);
    for (size_t i = 0; registry[i] != NULL; i++) {
        printf("  %-15s %s\n", registry[i]->name, registry[i]->help);
        if (print_more != NULL)
            print_more(registry[i]);
        size_t n = al_options_count(registry[i]);
        for (size_t k = 0; k < n; k++) {
            const struct al_option *option = &registry[i]->options[k];
            printf("    %-19s = %-9s %s (", option->name, option->standard, option->help);
            if (option->type == AL_OPTION_ENUM) {
                for (size_t c = 0; option->choices[c] != NULL; c++)
                    printf("%s%s", c > 0 ? ", " : "", option->choices[c]);
            } else {
                printf("%.10g to %.10g", option->min, option->max);
            }
            printf(")\n");
        }
    }
    putchar('\n');
}

static json_t *plugins_json(const struct al_plugin *const *registry)
{
    json_t *array = json_array();
    for (size_t i = 0; registry[i] != NULL; i++) {
        json_t *options = json_array();
        size_t n = al_options_count(registry[i]);
        for (size_t k = 0; k < n; k++) {
            const struct al_option *option = &registry[i]->options[k];
            json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "type",
                                      type_names[option->type], "default", option->standard, "help",
                                      option->help);
            if (option->type == AL_OPTION_ENUM) {
                json_t *choices = json_array();
                for (size_t c = 0; option->choices[c] != NULL; c++)
                    json_array_append_new(choices, json_string(option->choices[c]));
                json_object_set_new(entry, "choices", choices);
            } else {
                json_object_set_new(entry, "min", json_real(option->min));
                json_object_set_new(entry, "max", json_real(option->max));
            }
            json_array_append_new(options, entry);
        }
        json_array_append_new(array, json_pack("{s:s, s:s, s:o}", "name", registry[i]->name, "help",
                                               registry[i]->help, "options", options));
    }
    return array;
}

/* With whether a heuristic may name nobody. */
static json_t *victims_json(void)
{
    json_t *array = plugins_json(al_victims);
    for (size_t i = 0; al_victims[i] != NULL; i++)
        json_object_set_new(json_array_get(array, i), "declines",
                            json_boolean(AL_OPS(al_victims[i], al_victim_ops)->declines));
    return array;
}

/* With what a strategy is by default, whether it has any use for a victim heuristic, and which idle
 * policies it takes. */
static json_t *schedulers_json(void)
{
    json_t *array = plugins_json(al_schedulers);
    for (size_t i = 0; al_schedulers[i] != NULL; i++) {
        const struct al_scheduler_ops *ops = AL_OPS(al_schedulers[i], al_scheduler_ops);
        json_object_update_new(json_array_get(array, i),
                               json_pack("{s:s, s:s, s:b, s:s}", "victim", ops->victim->plugin.name,
                                         "idle", ops->idle->plugin.name, "steals", ops->steals,
                                         "sleeps", sleeps_names[ops->sleeps]));
    }
    return array;
}

static json_t *benchmarks_json(void)
{
    json_t *array = plugins_json(al_benchmarks);
    for (size_t i = 0; al_benchmarks[i] != NULL; i++) {
        const struct al_benchmark_ops *ops = AL_OPS(al_benchmarks[i], al_benchmark_ops);
        json_object_update_new(json_array_get(array, i),
                               json_pack("{s:s, s:s, s:s?, s:s?, s:b, s:s?}", "stresses",
                                         ops->stresses, "small", ops->small, "paper", ops->paper,
                                         "sim", ops->sim, "latencies", ops->latencies, "judged_by",
                                         ops->judged_by));
    }
    return array;
}

static int print_json(void)
{
    struct al_error error;
    struct al_topology *topology;
    if (al_topology_load(NULL, &topology, &error) != 0) {
        al_refuse("list", "%s", error.text);
        return AL_EXIT_FAILED;
    }
    json_t *policies = json_array();
    for (size_t i = 0; al_topology_policies[i] != NULL; i++)
        json_array_append_new(policies, json_string(al_topology_policies[i]));
    json_t *all = json_pack(
        "{s:i, s:{s:i, s:i, s:i, s:i, s:f}, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
        "schema_version", AL_SCHEMA_VERSION, "limits", "workers", AL_WORKERS_MOST, "twin_seed",
        AL_TWIN_SEED, "noise_ticks", AL_CALM_TICKS, "waited_ns", AL_CALM_WAITED_NS, "quiet_within",
        AL_QUIET_WITHIN, "benchmarks", benchmarks_json(), "schedulers", schedulers_json(),
        "victims", victims_json(), "idle", plugins_json(al_idles), "pin", policies, "pus",
        (json_int_t)al_topology_n_pus(topology), "palette", al_palette_json(), "environment",
        al_environment(topology));
    al_topology_free(topology);
    al_print_json(all);
    return AL_EXIT_OK;
}

struct choices {
    bool json;
};

static const struct al_argument arguments[] = {
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print JSON, with the environment of this machine and the constants that scripts use"},
    {0},
};

static int list_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_list_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.json)
        return print_json();
    puts("NAME = DEFAULT; set with --set NAME=VALUE\n");
    print_plugins("Workloads (actorlab run WORKLOAD)", al_benchmarks, print_sizes);
    print_plugins("Strategies (--scheduler)", al_schedulers, print_choices);
    print_plugins("Victim heuristics (--victim)", al_victims, NULL);
    print_plugins("Idle policies (--idle)", al_idles, NULL);
    return AL_EXIT_OK;
}

const struct al_command al_list_command = {
    .name = "list",
    .help = "list workloads, strategies, victim heuristics and idle policies",
    .usage = "[options]",
    .about = "Lists workloads, strategies, victim heuristics and idle policies, with the options "
             "and defaults of each.",
    .arguments = arguments,
    .run = list_main,
};
