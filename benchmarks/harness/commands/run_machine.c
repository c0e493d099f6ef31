/* SPDX-License-Identifier: MIT */

/* Where `actorlab run` runs: this machine, or one that is simulated. */

#include "benchmarks/harness/commands/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/machines.h"
#include "benchmarks/harness/measure/simulated.h"

int al_run_topology(const struct al_run *run, char **spec, struct al_error *error)
{
    *spec = NULL;
    if (run->machine != NULL)
        return al_machine_path(run->machine, spec, error);
    if (run->topology == NULL || (*spec = strdup(run->topology)) != NULL)
        return 0;
    return al_error_set(error, -ENOMEM, "no memory for the topology's name");
}

/* By default, one worker for each PU of the order. */
static int choose_workers(struct al_config *config, const struct al_topology *topology,
                          struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, config->pin, &pus, &n, error);
    if (code != 0)
        return code;
    free(pus);
    if (config->workers == 0)
        config->workers = n < AL_WORKERS_MOST ? (uint32_t)n : AL_WORKERS_MOST;
    return 0;
}

int al_run_model(struct al_run *run, const struct al_topology *topology, struct al_model **model,
                 struct al_error *error)
{
    struct al_trial *trial = &run->trial;
    *model = NULL;
    if (run->machine == NULL)
        return 0;
    trial->machine = run->machine_name = al_simulated_name(run->machine);
    if (trial->machine == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the machine's name");
    int code = al_model_load(topology, model, error);
    for (size_t i = 0; i < run->model.n && code == 0; i++)
        code = al_model_set(*model, run->model.all[i].key, run->model.all[i].value, error);
    trial->model = *model;
    trial->config.simulated = true;
    return code == 0 ? choose_workers(&trial->config, topology, error) : code;
}
