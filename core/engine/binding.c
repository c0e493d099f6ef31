/* SPDX-License-Identifier: MIT */

/* Binding tasks of a virtual engine to its PUs; what core/machine/topology_binding.c is
 * for threads. */

#include <string.h>

#include "core/engine/engine.h"
#include "core/machine/topology.h"

bool al_topology_pins(const struct al_topology *topology, const char *policy)
{
    (void)topology;
    return policy == NULL || strcmp(policy, "none") != 0;
}

int al_topology_bind(const struct al_topology *topology, unsigned pu)
{
    (void)topology;
    return al_engine_place(pu);
}

int al_topology_seen(const struct al_topology *topology, unsigned pu)
{
    (void)topology;
    return al_engine_place(pu);
}

int al_topology_move_memory(const struct al_topology *topology, void *pages, size_t bytes,
                            unsigned pu)
{
    (void)topology;
    al_engine_move(pages, bytes, pu);
    return -1; /* its node is not one of this machine's */
}
