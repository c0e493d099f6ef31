/* SPDX-License-Identifier: MIT */
#include "core/machine/topology_private.h"

#include <stdlib.h>

struct al_topology *al_topology_keep(const struct al_topology *topology)
{
    struct al_topology *kept = (struct al_topology *)topology;
    kept->further_users++;
    return kept;
}

void al_topology_free(struct al_topology *topology)
{
    if (topology == NULL)
        return;
    if (topology->further_users > 0) {
        topology->further_users--;
        return;
    }
    hwloc_topology_destroy(topology->hwloc);
    free(topology->name);
    free(topology);
}

size_t al_topology_n_pus(const struct al_topology *topology)
{
    int n = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU);
    return n > 0 ? (size_t)n : 0;
}

bool al_topology_is_this_machine(const struct al_topology *topology)
{
    return hwloc_topology_is_thissystem(topology->hwloc) != 0;
}

const char *al_topology_name(const struct al_topology *topology)
{
    return topology->name;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

static uint64_t hash_object(hwloc_obj_t object, uint64_t hash)
{
    hash = mix(hash, object->type);
    hash = mix(hash, object->os_index);
    if (hwloc_obj_type_is_cache(object->type))
        hash = mix(hash, object->attr->cache.size);
    hash = mix(hash, object->arity);
    for (unsigned i = 0; i < object->arity; i++)
        hash = hash_object(object->children[i], hash);
    for (hwloc_obj_t node = object->memory_first_child; node != NULL; node = node->next_sibling)
        hash = mix(hash, node->os_index);
    return hash;
}

uint64_t al_topology_hash(const struct al_topology *topology)
{
    return hash_object(hwloc_get_root_obj(topology->hwloc), 0xcbf29ce484222325u);
}

static int number_of(hwloc_obj_t object)
{
    return object != NULL ? (int)object->logical_index : -1;
}

void al_topology_place(const struct al_topology *topology, unsigned pu, struct al_place *place)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    *place = (struct al_place){
        .core = number_of(hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, object)),
        .l3 = number_of(hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_L3CACHE, object)),
        .node = number_of(al_topology_node(topology, al_topology_core(object))),
        .package = number_of(
            hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, object))};
}
