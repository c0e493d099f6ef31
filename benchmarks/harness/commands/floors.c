/* SPDX-License-Identifier: MIT */

/* `actorlab floors`: what a message costs at least on this machine, and how far strategies are from
 * it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/measure/floors.h"
#include "benchmarks/harness/show/floors.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/machine/topology.h"
#include "schedulers/registry.h"

#define REPEATS 31 /* of each step: all of them take about a second */
#define ROUNDS  5

/* Less than that needs no line that tells how far it is. */
#define PATIENCE_S 10

struct choices {
    const char *json, *strategies;
    uint64_t rounds;
};

#define AT(field) offsetof(struct choices, field)

static const struct al_argument arguments[] = {
    {"strategy", "NAMES", AL_ARGUMENT_NAME, AT(strategies),
     .help = "also run these strategies, separated by commas, with one worker, and compare them "
             "with the ring"},
    {"rounds", "N", AL_ARGUMENT_UINT, AT(rounds), .help = "how often to run each workload",
     .standard = AL_SHOWN(ROUNDS), .min = 1, .max = 100},
    {"json", "FILE", AL_ARGUMENT_FILE, AT(json),
     .help = "write JSON to FILE instead of printing tables; - is standard output"},
    {0},
};

/* The names between the commas, which are cut out of `names`. */
static int choose(char *names, struct al_floors *floors, struct al_error *error)
{
    for (char *name = names, *next; name != NULL; name = next) {
        next = strchr(name, ',');
        if (next != NULL)
            *next++ = '\0';
        if (floors->n_strategies == AL_FLOOR_STRATEGIES)
            return al_error_set(error, -EINVAL, "more than %d strategies", AL_FLOOR_STRATEGIES);
        const struct al_plugin *plugin = al_plugin_find(al_schedulers, "strategy", name, error);
        if (plugin == NULL)
            return -EINVAL;
        for (size_t i = 0; i < floors->n_strategies; i++) {
            if (floors->strategies[i] == plugin->name)
                return al_error_set(error, -EINVAL, "strategy '%s' is named twice", name);
        }
        floors->strategies[floors->n_strategies++] = plugin->name;
    }
    return 0;
}

static int show(const struct al_floors *floors, const char *path, struct al_error *error)
{
    if (path == NULL) {
        al_floors_print(floors, stdout);
        return AL_EXIT_OK;
    }
    json_t *json = al_floors_json(floors);
    if (strcmp(path, "-") == 0) {
        al_print_json(json);
        return AL_EXIT_OK;
    }
    int failed = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(json);
    if (failed == 0)
        return AL_EXIT_OK;
    al_error_set(error, -EIO, "could not write '%s'", path);
    return AL_EXIT_WRITE;
}

static int measure(struct al_floors *floors, const char *path, struct al_error *error)
{
    struct al_progress progress = {.began = time(NULL), .rounds = 1, .least_s = PATIENCE_S};
    struct al_topology *topology;
    struct al_calm calm;
    if (path != NULL && strcmp(path, "-") != 0 && !al_can_write(path, error))
        return AL_EXIT_WRITE;
    if (al_topology_load(NULL, &topology, error) != 0)
        return AL_EXIT_FAILED;
    floors->topology = topology;
    floors->argument = &progress;
    floors->progress = isatty(STDERR_FILENO) ? al_progress_show : NULL;
    al_calm_begin(&calm);
    int failed = al_floors_run(floors, error);
    double disturbed = al_calm_end(&calm);
    al_progress_end();
    int code = failed != 0 ? AL_EXIT_FAILED : show(floors, path, error);
    if (code == AL_EXIT_OK)
        al_warn_if_disturbed("floors", disturbed);
    al_topology_free(topology);
    return code;
}

static int floors_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    struct al_error error = {""};
    if (!al_arguments_read(&al_floors_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    struct al_floors floors = {.repeats = REPEATS, .rounds = choices.rounds};
    char *names = choices.strategies != NULL ? al_needed(strdup(choices.strategies)) : NULL;
    int code = AL_EXIT_USAGE;
    if (al_is_virtual)
        al_error_set(&error, -EINVAL, "a simulated machine has no floors; valid: actorlab floors");
    else if (choose(names, &floors, &error) == 0)
        code = measure(&floors, choices.json, &error);
    free(names);
    if (error.text[0] != '\0')
        al_refuse("floors", "%s", error.text);
    return code;
}

const struct al_command al_floors_command = {
    .name = "floors",
    .help = "measure what a message costs at least on this machine",
    .usage = "[--strategy NAMES] [--rounds N] [--json FILE]",
    .about =
        "Prints what the steps of a message cost, each alone, and what a message of each workload "
        "costs over one ring of envelopes, with one thread and no runtime: no strategy that queues "
        "envelopes in the order of their sends can do less. With --strategy it runs strategies "
        "with one worker in turn with the ring, and prints how many times as long they take. It "
        "takes some seconds, and about as many for each strategy, and needs an idle machine.",
    .arguments = arguments,
    .run = floors_main,
};
