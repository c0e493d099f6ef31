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

/* Refuse matrices of distances in hwloc's XML that are not square, or negative: -EINVAL with a line
 * in error. */
__attribute__((warn_unused_result)) int
al_topology_check_matrices(const char *spec, const char *xml, struct al_error *error);

#endif
