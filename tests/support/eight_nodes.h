/* SPDX-License-Identifier: MIT */
#ifndef AL_EIGHT_NODES_H
#define AL_EIGHT_NODES_H

/* A system of sixteen workers on a machine of eight NUMA nodes, which is started again for each
 * seed. */

#include <unistd.h>

#include "core/machine/topology.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

/* Two PUs of each node: workers 2k and 2k + 1 are on node k. They are another machine's, so no
 * worker is bound. */
#define PUS       "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29"
#define N_WORKERS 16

struct job {
    const struct al_topology *topology;
    const char *scheduler, *placement; /* placement: the option of las, or NULL */
    uint64_t seed;
};

/* Without stealing, so that an actor runs where it was put. */
static inline struct al_system *start_system(const struct job *job)
{
    struct al_setting setting = {"placement", job->placement};
    struct al_config config = {.workers = N_WORKERS,
                               .seed = job->seed,
                               .oversubscribe = true,
                               .pin = PUS,
                               .topology = job->topology,
                               .settings = &setting,
                               .n_settings = job->placement != NULL};
    choose_prompt(&config, job->scheduler, "none");
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    return system;
}

/* spec: the file of that machine. */
static inline struct al_topology *load_eight_nodes(const char *spec)
{
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    return topology;
}

static inline void run_rounds(void (*function)(void *), struct job job, uint64_t rounds)
{
    for (job.seed = 0; job.seed < rounds; job.seed++) {
        alarm(120);
        run_seed(job.seed, function, &job);
    }
}

#endif
