/* SPDX-License-Identifier: MIT */

/* The parts of the machine that a PU lies in, and the distances between NUMA nodes. */

#include "core/machine/topology_private.h"

#include <errno.h>
#include <stdlib.h>

static const char *name_of(hwloc_obj_t object)
{
    static const char *const caches[] = {"l1", "l2", "l3", "l4", "l5"};
    switch (object->type) {
    case HWLOC_OBJ_PACKAGE:
        return "package";
    case HWLOC_OBJ_DIE:
        return "die";
    case HWLOC_OBJ_GROUP:
        return "group";
    case HWLOC_OBJ_NUMANODE:
        return "node";
    default:
        if (hwloc_obj_type_is_cache(object->type))
            return caches[object->attr->cache.depth - 1];
        return hwloc_obj_type_string(object->type);
    }
}

/* Not hwloc's gp_index, because an XML file may give several objects the same one. */
static uint64_t id_of(hwloc_obj_t object)
{
    return (uint64_t)(uint32_t)object->depth << 32 | object->logical_index;
}

static void add(struct al_part *parts, size_t *n, hwloc_obj_t object, enum al_part_kind kind,
                const char *name, unsigned height)
{
    if (*n < AL_PARTS_MOST)
        parts[(*n)++] = (struct al_part){id_of(object), kind, object->logical_index, height, name};
}

/* The first NUMA node attached to an object, possibly behind a memory-side cache; or NULL. */
static hwloc_obj_t memory_of(hwloc_obj_t object)
{
    hwloc_obj_t memory = object->memory_first_child;
    while (memory != NULL && memory->type != HWLOC_OBJ_NUMANODE)
        memory = memory->memory_first_child;
    return memory;
}

int al_topology_path(const struct al_topology *topology, unsigned pu,
                     struct al_part parts[AL_PARTS_MOST], size_t *n)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu), node = NULL;
    if (object == NULL)
        return -EINVAL;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, object);
    /* Begin at the core: memory attached to one of its PUs must not split it over two nodes. */
    if (core != NULL)
        object = core;
    *n = 0;
    add(parts, n, object, AL_PART_CORE, "core", 0);
    unsigned height = 0;
    for (; object->parent != NULL || node == NULL; object = object->parent) {
        height++;
        if (node != NULL) {
            add(parts, n, object, AL_PART_ABOVE, name_of(object), height);
        } else {
            /* Sharing an instruction cache is no reason to place actors together. */
            if (hwloc_obj_type_is_dcache(object->type))
                add(parts, n, object, AL_PART_CACHE, name_of(object), height);
            node = memory_of(object);
            if (node == NULL && object->parent == NULL)
                node = object; /* no memory anywhere above: take the machine for the node */
            if (node != NULL)
                add(parts, n, node, AL_PART_NODE, "node", height);
            if (object->parent == NULL)
                break;
        }
    }
    return 0;
}

/* Find the index of each node in the matrix; false if one is missing. */
static bool find_nodes(const struct hwloc_distances_s *matrix, const uint64_t *nodes, uint32_t n,
                       unsigned *places)
{
    for (uint32_t i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < matrix->nbobjs &&
               (matrix->objs[k] == NULL || id_of(matrix->objs[k]) != nodes[i]))
            k++;
        if (k == matrix->nbobjs)
            return false;
        places[i] = k;
    }
    return true;
}

int al_topology_distances(const struct al_topology *topology, const uint64_t *nodes, uint32_t n,
                          uint32_t *distances)
{
    struct hwloc_distances_s *matrices[8];
    unsigned n_matrices = sizeof matrices / sizeof *matrices, most = n_matrices;
    unsigned *places = malloc(n * sizeof *places);
    if (places == NULL)
        return -ENOMEM;
    if (hwloc_distances_get_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, &n_matrices, matrices,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0)
        n_matrices = 0;
    int code = -ENOENT;
    for (unsigned m = 0; m < n_matrices && m < most; m++) {
        if (code != 0 && find_nodes(matrices[m], nodes, n, places)) {
            code = 0;
            for (size_t i = 0; i < (size_t)n * n; i++) {
                hwloc_uint64_t value =
                    matrices[m]
                        ->values[(size_t)places[i / n] * matrices[m]->nbobjs + places[i % n]];
                distances[i] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
            }
        }
        hwloc_distances_release(topology->hwloc, matrices[m]);
    }
    free(places);
    return code;
}
