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

#endif
