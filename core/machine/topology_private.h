/* SPDX-License-Identifier: MIT */
#ifndef AL_TOPOLOGY_PRIVATE_H
#define AL_TOPOLOGY_PRIVATE_H

/* Shared by core/machine/topology*.c, and private to them. */

#include <hwloc.h>

#include "core/machine/topology.h"

struct al_topology {
    hwloc_topology_t hwloc;
    char *name;
    unsigned further_users; /* references beside the first */
};

/* Whether this machine has the PU, allowed to this process or not. */
bool al_topology_exists_here(unsigned pu);

/* The core of a PU; the PU itself if the machine reports no cores. */
hwloc_obj_t al_topology_core(hwloc_obj_t pu);

/* The NUMA node of a core: the first of the nearest part that has one; NULL: there is none. */
hwloc_obj_t al_topology_node(const struct al_topology *topology, hwloc_obj_t core);

/* Refuse matrices of distances in hwloc's XML that are not square, or negative: -EINVAL with a line
 * in error. */
__attribute__((warn_unused_result)) int
al_topology_check_matrices(const char *spec, const char *xml, struct al_error *error);

#endif
