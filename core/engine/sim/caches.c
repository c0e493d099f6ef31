/* SPDX-License-Identifier: MIT */

/* The caches of all cores, empty at the begin of a run. */

#include <errno.h>
#include <stdlib.h>

#include "core/engine/sim/private.h"

int sim_caches_new(struct sim *sim)
{
    const struct al_machine *machine = sim->machine;
    sim->cores = calloc(machine->n_cores, sizeof *sim->cores);
    sim->l2 = calloc(machine->n_l2, sizeof *sim->l2);
    sim->l3 = calloc(machine->n_l3, sizeof *sim->l3);
    sim->l3_core = calloc(machine->n_l3, sizeof *sim->l3_core);
    sim->node_package = calloc(machine->n_nodes, sizeof *sim->node_package);
    if (sim->cores == NULL || sim->l2 == NULL || sim->l3 == NULL || sim->l3_core == NULL ||
        sim->node_package == NULL)
        return -ENOMEM;
    sim->cores_per_bit = (machine->n_cores + 63) / 64;
    sim->full_map = sim->cores_per_bit == 1 && machine->n_l2 == machine->n_cores;
    int code = 0;
    for (uint32_t i = 0; i < machine->n_cores && code == 0; i++) {
        code = tags_new(&sim->cores[i].l1, machine->l1);
        for (uint32_t k = 0; k < PENDING; k++)
            sim->cores[i].pending[k].line = NO_LINE;
        for (uint32_t k = 0; k < STREAMS; k++)
            sim->cores[i].streams[k] = NO_LINE - 1;
    }
    for (uint32_t i = 0; i < machine->n_l2 && code == 0; i++)
        code = tags_new(&sim->l2[i], machine->l2);
    for (uint32_t i = 0; i < machine->n_l3 && code == 0; i++)
        code = tags_new(&sim->l3[i], machine->l3);
    for (uint32_t i = machine->n_pus; i-- > 0;) { /* the first of each stays */
        sim->l3_core[machine->pus[i].l3] = machine->pus[i].core;
        sim->node_package[machine->pus[i].node] = machine->pus[i].package;
    }
    return code;
}

void sim_caches_free(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->machine->n_cores; i++)
        free(sim->cores[i].l1.entries);
    for (uint32_t i = 0; i < sim->machine->n_l2; i++)
        free(sim->l2[i].entries);
    for (uint32_t i = 0; i < sim->machine->n_l3; i++)
        free(sim->l3[i].entries);
    free(sim->cores);
    free(sim->l2);
    free(sim->l3);
    free(sim->l3_core);
    free(sim->node_package);
}
