/* SPDX-License-Identifier: MIT */

/* Binding threads to PUs, and moving memory to their NUMA nodes. */

#include "core/machine/topology_private.h"

#include <string.h>

bool al_topology_pins(const struct al_topology *topology, const char *policy)
{
    return al_topology_is_this_machine(topology) && (policy == NULL || strcmp(policy, "none") != 0);
}

int al_topology_bind(const struct al_topology *topology, unsigned pu)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        return -1;
    hwloc_bitmap_only(set, pu);
    int code = hwloc_set_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
    return code == 0 ? al_topology_seen(topology, pu) : -1;
}

int al_topology_seen(const struct al_topology *topology, unsigned pu)
{
    hwloc_bitmap_t only = hwloc_bitmap_alloc(), set = hwloc_bitmap_alloc();
    int seen = -1;
    if (only != NULL && set != NULL) {
        hwloc_bitmap_only(only, pu);
        if (hwloc_get_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD) == 0 &&
            hwloc_bitmap_isequal(set, only) &&
            hwloc_get_last_cpu_location(topology->hwloc, set, HWLOC_CPUBIND_THREAD) == 0 &&
            hwloc_bitmap_isequal(set, only))
            seen = (int)pu;
    }
    hwloc_bitmap_free(only);
    hwloc_bitmap_free(set);
    return seen;
}

int al_topology_move_memory(const struct al_topology *topology, void *pages, size_t bytes,
                            unsigned pu)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    hwloc_bitmap_t seen = hwloc_bitmap_alloc();
    int node = -1;
    if (object != NULL && seen != NULL) {
        hwloc_obj_t own = al_topology_node(topology, al_topology_core(object));
        /* With one node there is nothing to move. Moving may be denied, so look where the pages
         * are. */
        if (own != NULL && hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE) > 1)
            (void)hwloc_set_area_membind(topology->hwloc, pages, bytes, own->nodeset,
                                         HWLOC_MEMBIND_BIND,
                                         HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE);
        if (hwloc_get_area_memlocation(topology->hwloc, pages, bytes, seen,
                                       HWLOC_MEMBIND_BYNODESET) == 0 &&
            hwloc_bitmap_weight(seen) == 1)
            node = hwloc_bitmap_first(seen);
    }
    hwloc_bitmap_free(seen);
    return node;
}
