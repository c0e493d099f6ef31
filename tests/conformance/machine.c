/* SPDX-License-Identifier: MIT */

/* The conformance suite's cases on a simulated machine of 16 PUs: two sockets of two L3s. There a
 * seed changes less than on the random engine, and a few will do. */

#include "tests/conformance/conformance.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "benchmarks/harness/measure/child.h"
#include "core/engine/sim/sim.h"
#include "core/machine/model.h"
#include "core/machine/topology.h"
#include "tests/support/tap.h"

#define STEP_LIMIT   20000000
#define SEED_SECONDS 60

const struct repetition repetition = {"--seeds", 2, 20, 3, false};

bool takes_floods(const struct combination *combination)
{
    (void)combination;
    return false;
}

/* Loaded once, and kept until the end. */
static const struct al_machine *machine(void)
{
    static struct al_machine *kept;
    struct al_topology *topology;
    struct al_model *model;
    struct al_error error;
    char path[PATH_MAX];
    if (kept != NULL)
        return kept;
    /* The suite's mutants find it from their own folder. */
    CHECK(al_child_place("../conformance/two-sockets.xml", "two-sockets.xml", path, sizeof path,
                         &error) == 0,
          "%s", error.text);
    CHECK(al_topology_load(path, &topology, &error) == 0, "%s", error.text);
    CHECK(al_model_load(topology, &model, &error) == 0, "%s", error.text);
    kept = al_machine_new(model);
    CHECK(kept != NULL, "no memory");
    al_model_free(model);
    al_topology_free(topology);
    return kept;
}

static struct al_engine_result run_on(enum al_coroutine_backend backend, void (*function)(void *),
                                      struct job *job)
{
    struct al_sim_report report;
    struct al_sim_config sim = {.machine = machine(), .report = &report};
    struct al_engine_result result;
    alarm(SEED_SECONDS);
    al_engine_run(&(struct al_engine_config){.seed = job->config->seed,
                                             .backend = backend,
                                             .step_limit = STEP_LIMIT,
                                             .ops = &al_engine_sim,
                                             .model = &sim},
                  function, job, &result);
    alarm(0);
    CHECK(result.end == AL_ENGINE_DONE, "%s", result.text);
    return result;
}

void run_job(void (*function)(void *), struct job *job)
{
    run_on(AL_COROUTINE_FASTEST, function, job);
}

/* Run all seeds, and the first on both backends. False if it gave two hashes. */
bool run_case(const struct options *options, const struct scenario *scenario,
              const struct combination *combination)
{
    uint64_t n = options->one_seed ? 1 : options->n;
    for (uint64_t i = 0; i < n; i++) {
        struct al_config config = nth_config(options, combination, i, "with seed");
        struct job job = {scenario, &config, .large = false};
        struct al_engine_result once = run_on(AL_COROUTINE_FASTEST, run_scenario, &job);
        if (i > 0)
            continue;
        struct al_engine_result again = run_on(AL_COROUTINE_UCONTEXT, run_scenario, &job);
        if (once.hash != again.hash || once.steps != again.steps) {
            fprintf(stderr, "# seed %llu gave two runs, of %llu and %llu steps\n# %s",
                    (unsigned long long)config.seed, (unsigned long long)once.steps,
                    (unsigned long long)again.steps, replay);
            return false;
        }
    }
    return true;
}
