/* SPDX-License-Identifier: MIT */

/* Which classes of hand-offs and memories a machine has, and which parameters it needs for them. */

#include <string.h>

#include "core/machine/model_private.h"
#include "core/machine/topology_private.h"

/* The type of the objects that are cores here. */
static hwloc_obj_type_t core_type(const struct al_topology *topology)
{
    return hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
                                                                         : HWLOC_OBJ_PU;
}

uint32_t al_model_n_cores(const struct al_topology *topology)
{
    return (uint32_t)hwloc_get_nbobjs_by_type(topology->hwloc, core_type(topology));
}

hwloc_obj_t al_model_nth_core(const struct al_topology *topology, uint32_t i)
{
    return hwloc_get_obj_by_type(topology->hwloc, core_type(topology), i);
}

static hwloc_obj_t above(const struct al_topology *topology, hwloc_obj_t object,
                         hwloc_obj_type_t type)
{
    return hwloc_get_ancestor_obj_by_type(topology->hwloc, type, object);
}

/* Whether both lie in one object of this type. */
static bool share(const struct al_topology *topology, hwloc_obj_t a, hwloc_obj_t b,
                  hwloc_obj_type_t type)
{
    hwloc_obj_t part = above(topology, a, type);
    return part != NULL && part == above(topology, b, type);
}

enum al_model_key al_model_class(const struct al_topology *topology, hwloc_obj_t core,
                                 hwloc_obj_t other)
{
    if (core == other)
        return AL_MODEL_HANDOFF_CORE;
    if (share(topology, core, other, HWLOC_OBJ_L2CACHE))
        return AL_MODEL_HANDOFF_L2;
    if (share(topology, core, other, HWLOC_OBJ_L3CACHE))
        return AL_MODEL_HANDOFF_L3;
    hwloc_obj_t package = above(topology, core, HWLOC_OBJ_PACKAGE);
    if (package != above(topology, other, HWLOC_OBJ_PACKAGE))
        return AL_MODEL_HANDOFF_MACHINE;
    /* A machine that reports no packages is one. */
    hwloc_obj_t whole = package != NULL ? package : hwloc_get_root_obj(topology->hwloc);
    hwloc_obj_t common = hwloc_get_common_ancestor_obj(topology->hwloc, core, other);
    return hwloc_bitmap_isequal(common->cpuset, whole->cpuset) ? AL_MODEL_HANDOFF_PACKAGE
                                                               : AL_MODEL_HANDOFF_NODE;
}

enum al_model_key al_model_handoff_class(const struct al_topology *topology, unsigned pu,
                                         unsigned other)
{
    return al_model_class(topology,
                          al_topology_core(hwloc_get_pu_obj_by_os_index(topology->hwloc, pu)),
                          al_topology_core(hwloc_get_pu_obj_by_os_index(topology->hwloc, other)));
}

static enum al_model_key memory_class(const struct al_topology *topology, hwloc_obj_t core,
                                      hwloc_obj_t other)
{
    if (al_topology_node(topology, core) == al_topology_node(topology, other))
        return AL_MODEL_MEMORY_NODE;
    return above(topology, core, HWLOC_OBJ_PACKAGE) == above(topology, other, HWLOC_OBJ_PACKAGE)
               ? AL_MODEL_MEMORY_PACKAGE
               : AL_MODEL_MEMORY_MACHINE;
}

enum al_model_key al_model_memory_class(const struct al_topology *topology, unsigned pu,
                                        unsigned other)
{
    return memory_class(topology,
                        al_topology_core(hwloc_get_pu_obj_by_os_index(topology->hwloc, pu)),
                        al_topology_core(hwloc_get_pu_obj_by_os_index(topology->hwloc, other)));
}

void al_model_needs(const struct al_topology *topology, bool needs[AL_MODEL_KEYS])
{
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        needs[key] = key < AL_MODEL_L2_HIT || key > AL_MODEL_HANDOFF_AWAY;
    needs[AL_MODEL_L2_HIT] = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_L2CACHE) > 0;
    needs[AL_MODEL_L3_HIT] = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_L3CACHE) > 0;
    needs[AL_MODEL_CORES_ALL] = false;
    uint32_t n = al_model_n_cores(topology);
    for (uint32_t i = 0; i < n; i++) {
        hwloc_obj_t core = al_model_nth_core(topology, i);
        for (uint32_t k = 0; k < i; k++) {
            hwloc_obj_t other = al_model_nth_core(topology, k);
            enum al_model_key class = al_model_class(topology, core, other);
            needs[class] = true;
            needs[AL_MODEL_CORES_ALL] |= class != AL_MODEL_HANDOFF_MACHINE;
            needs[memory_class(topology, core, other)] = true;
        }
        if (hwloc_bitmap_weight(core->cpuset) > 1)
            needs[AL_MODEL_HANDOFF_CORE] = true;
    }
    needs[AL_MODEL_MEMORY_NODE] = true;
    needs[AL_MODEL_SMT] = needs[AL_MODEL_HANDOFF_CORE];
    needs[AL_MODEL_HANDOFF_AWAY] = needs[AL_MODEL_HANDOFF_MACHINE] &&
                                   (needs[AL_MODEL_HANDOFF_NODE] ||
                                    needs[AL_MODEL_HANDOFF_PACKAGE]);
}
