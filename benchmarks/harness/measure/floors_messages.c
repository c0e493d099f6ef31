/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/floors.h: workloads over the ring, which is a program of its
 * own (benchmarks/peers/ring), and by strategies. Each run is a process with one worker. Rounds go
 * over all of them, so that what changes on the machine meanwhile hits all alike.
 */

#include "benchmarks/harness/measure/floors.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/measure/calibration.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/places.h"
#include "benchmarks/harness/text/json.h"

#define ITERATIONS    "3"
#define SETTINGS_MOST 8

const struct al_floor_workload al_floor_workloads[AL_FLOOR_WORKLOADS] = {
    {"send-static", "sends=2000000"}, {"send-dynamic", "sends=1000000"},
    {"executor", "rounds=1"},         {"repeat", "rounds=30"},
    {"balance-one", "rounds=1"},      {"balance-multi", "rounds=1"},
    {"big", "pings=10000"},           {"bang", "messages=15000"},
    {"logm", "terms=100000"},         {"pubsub", "messages=150"},
};

static int find_ring(char path[PATH_MAX], struct al_error *error)
{
    int code = al_child_place(AL_RING_BUILT, AL_RING_INSTALLED, path, PATH_MAX, error);
    if (code != 0 || access(path, X_OK) == 0)
        return code;
    return al_error_set(error, -ENOENT,
                        "there is no " AL_RING_BUILT
                        " beside this program, nor %s; `ninja -C build "
                        "peers` builds the first",
                        path);
}

/* Run a workload once, by the ring or, if there is one, by a strategy. */
static int run(const struct al_floor_workload *workload, char *ring, const char *strategy,
               struct al_samples *ns, struct al_error *error)
{
    char size[100], *place = NULL, *command[24 + 2 * SETTINGS_MOST];
    size_t n = 0;
    snprintf(size, sizeof size, "%s", workload->size);
    if (strategy != NULL) {
        char *words[] = {
            "/proc/self/exe", "run", (char *)workload->name, "--scheduler", (char *)strategy,
            "--json",         "-",   "--no-hardware"};
        memcpy(command, words, sizeof words);
        n = sizeof words / sizeof *words;
    } else {
        command[n++] = ring;
        command[n++] = (char *)workload->name;
    }
    char *words[] = {"--workers", "1", "--iterations", ITERATIONS, "--warmup", "1"};
    memcpy(command + n, words, sizeof words);
    n += sizeof words / sizeof *words;
    for (char *word = strtok_r(size, " ", &place); word != NULL;
         word = strtok_r(NULL, " ", &place)) {
        command[n++] = "--set";
        command[n++] = word;
    }
    command[n] = NULL;
    struct al_error problem = {""};
    int code = al_child_times(command, ns, &problem);
    if (code != 0)
        al_error_set(error, code, "cannot run %s by %s: %s", workload->name,
                     strategy != NULL ? strategy : "the ring", problem.text);
    return code;
}

size_t al_floors_message_steps(const struct al_floors *floors)
{
    return floors->rounds * AL_FLOOR_WORKLOADS * (1 + floors->n_strategies);
}

int al_floors_messages(struct al_floors *floors, size_t n_steps, struct al_error *error)
{
    char ring[PATH_MAX];
    int code = find_ring(ring, error);
    if (code != 0)
        return code;
    size_t n_runners = 1 + floors->n_strategies;
    struct al_samples(*ns)[1 + AL_FLOOR_STRATEGIES] = al_needed(
        calloc(AL_FLOOR_WORKLOADS, sizeof *ns));
    for (size_t i = 0; i < floors->rounds * AL_FLOOR_WORKLOADS * n_runners && code == 0; i++) {
        size_t w = i / n_runners % AL_FLOOR_WORKLOADS, k = i % n_runners;
        if (floors->progress != NULL)
            floors->progress(floors->argument, i, n_steps, al_floor_workloads[w].name);
        code = run(&al_floor_workloads[w], ring, k > 0 ? floors->strategies[k - 1] : NULL,
                   &ns[w][k], error);
    }
    for (size_t w = 0; w < AL_FLOOR_WORKLOADS; w++) {
        for (size_t k = 0; k < n_runners; k++)
            floors->message_ns[w][k] = al_samples_quantile(&ns[w][k], AL_CALIBRATION_ALONE);
    }
    free(ns);
    return code;
}
