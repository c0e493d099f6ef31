/* SPDX-License-Identifier: MIT */

/* The caches of all cores, empty at the begin of a run. */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/engine/sim/private.h"

/* The entries of all tags in one piece: few of them are used, and those through huge pages. */
static int new_tags(struct sim *sim)
{
    const struct al_machine *machine = sim->machine;
    size_t l1 = tags_entries(machine->l1), l2 = tags_entries(machine->l2),
           l3 = tags_entries(machine->l3);
    sim->tag_bytes = (machine->n_cores * l1 + machine->n_l2 * l2 + machine->n_l3 * l3) *
                     sizeof *sim->tags;
    if (sim->tag_bytes == 0)
        return 0;
    uint64_t *entries = sim->tags = sim_reserve(sim->tag_bytes);
    if (entries == NULL)
        return -ENOMEM;
    (void)madvise(entries, sim->tag_bytes, MADV_HUGEPAGE); /* without, it is a little slower */
    for (uint32_t i = 0; i < machine->n_l3; i++, entries += l3)
        tags_init(&sim->l3[i], machine->l3, entries);
    for (uint32_t i = 0; i < machine->n_l2; i++, entries += l2)
        tags_init(&sim->l2[i], machine->l2, entries);
    for (uint32_t i = 0; i < machine->n_cores; i++, entries += l1)
        tags_init(&sim->cores[i].l1, machine->l1, entries);
    return 0;
}

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
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        sim->cores[i].number = i;
        sim->cores[i].parts = &machine->pus[machine->core_pu[i]];
        sim->cores[i].bit = (uint64_t)1 << i / sim->cores_per_bit;
        for (uint32_t k = 0; k < PENDING; k++)
            sim->cores[i].pending[k].line = NO_LINE;
        for (uint32_t k = 0; k < STREAMS; k++)
            sim->cores[i].streams[k] = NO_LINE - 1;
    }
    for (uint32_t i = machine->n_pus; i-- > 0;) { /* the first of each stays */
        sim->l3_core[machine->pus[i].l3] = machine->pus[i].core;
        sim->node_package[machine->pus[i].node] = machine->pus[i].package;
    }
    return new_tags(sim);
}

void sim_caches_free(struct sim *sim)
{
    if (sim->tag_bytes != 0)
        munmap(sim->tags, sim->tag_bytes);
    free(sim->cores);
    free(sim->l2);
    free(sim->l3);
    free(sim->l3_core);
    free(sim->node_package);
}
