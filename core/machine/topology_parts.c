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
    case HWLOC_OBJ_CORE:
    case HWLOC_OBJ_PU: /* of a machine that reports no cores */
        return "core";
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

/* A part that stands for the node of its cores is another part than itself. hwloc's depths are
 * small, or, of memory, slightly below zero. */
#define STANDS_FOR_NODE ((uint64_t)1 << 62)

static struct al_part part_of(hwloc_obj_t object, enum al_part_kind kind, unsigned height)
{
    hwloc_obj_t first = object;
    while (first->first_child != NULL)
        first = first->first_child;
    return (struct al_part){id_of(object), kind, first->logical_index, height, name_of(object)};
}

hwloc_obj_t al_topology_core(hwloc_obj_t pu)
{
    hwloc_obj_t object = pu;
    while (object != NULL && object->type != HWLOC_OBJ_CORE)
        object = object->parent;
    return object != NULL ? object : pu;
}

/* The first NUMA node attached to an object, possibly behind a memory-side cache; or NULL. */
static hwloc_obj_t memory_of(hwloc_obj_t object)
{
    hwloc_obj_t memory = object->memory_first_child;
    while (memory != NULL && memory->type != HWLOC_OBJ_NUMANODE)
        memory = memory->memory_first_child;
    return memory;
}

/* The part that a NUMA node is attached to. */
static hwloc_obj_t holder_of(hwloc_obj_t node)
{
    hwloc_obj_t holder = node->parent;
    while (hwloc_obj_type_is_memory(holder->type))
        holder = holder->parent;
    return holder;
}

/* Whether a NUMA node is attached to a part of the machine that overlaps this one. */
static bool has_memory(const struct al_topology *topology, hwloc_obj_t part)
{
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL) {
        hwloc_obj_t holder = holder_of(node);
        if (holder->parent != NULL && hwloc_bitmap_intersects(holder->cpuset, part->cpuset))
            return true;
    }
    return false;
}

/* hwloc attaches nodes without PUs to the machine. So the machine's memory is nobody's own if any
 * of its parts has some. */
hwloc_obj_t al_topology_node(const struct al_topology *topology, hwloc_obj_t core)
{
    hwloc_obj_t node = NULL;
    for (hwloc_obj_t object = core; object != NULL && node == NULL; object = object->parent) {
        if (object->parent != NULL || !has_memory(topology, object))
            node = memory_of(object);
    }
    return node;
}

/* The largest part below the machine that holds the core and no memory. */
static hwloc_obj_t without_memory(const struct al_topology *topology, hwloc_obj_t core)
{
    hwloc_obj_t part = core;
    while (part->parent != NULL && part->parent->parent != NULL &&
           !has_memory(topology, part->parent))
        part = part->parent;
    return part;
}

/* Whether sharing it is a reason to place actors together. Sharing an instruction cache is no
 * reason. */
static bool holds_actors(hwloc_obj_t object)
{
    return hwloc_obj_type_is_dcache(object->type) || object->type == HWLOC_OBJ_DIE ||
           object->type == HWLOC_OBJ_PACKAGE || object->type == HWLOC_OBJ_GROUP;
}

int al_topology_path(const struct al_topology *topology, unsigned pu,
                     struct al_part parts[AL_PARTS_MOST], size_t *n)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    if (object == NULL)
        return -EINVAL;
    /* Begin at the core: memory attached to one of its PUs must not split it over two nodes. */
    hwloc_obj_t core = al_topology_core(object), node = al_topology_node(topology, core);
    hwloc_obj_t holder = node != NULL ? holder_of(node) : without_memory(topology, core);
    parts[0] = part_of(core, AL_PART_CORE, 0);
    *n = 1;
    unsigned height = 1;
    for (object = core; object != holder; object = object->parent, height++) {
        /* The last place is the node's. */
        if (object != core && holds_actors(object) && *n < AL_PARTS_MOST - 1)
            parts[(*n)++] = part_of(object, AL_PART_INSIDE, height);
    }
    parts[*n] = part_of(holder, AL_PART_NODE, height);
    if (node != NULL) {
        parts[*n].id = id_of(node);
        parts[*n].name = name_of(node);
    } else {
        parts[*n].id |= STANDS_FOR_NODE;
    }
    (*n)++;
    for (object = holder->parent; object != NULL && object->parent != NULL; object = object->parent)
        if (*n < AL_PARTS_MOST)
            parts[(*n)++] = part_of(object, AL_PART_ABOVE, ++height);
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
