/* SPDX-License-Identifier: MIT */
#ifndef AL_LOCALITY_H
#define AL_LOCALITY_H

/*
 * Where workers stand to one another: for each worker, levels from small to large, each the set of workers in a
 * part of the machine. Source: LAS paper, section IV.B.1: a tree whose root is a place-holder for the system, below
 * it NUMA nodes and groups of them by distance, then shared caches, then cores. Made once from the topology;
 * never written afterwards, so any thread may read it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

struct al_locality;
struct al_topology;

/*
 *   core          if SMT or oversubscription puts several workers on it
 *   l2, l3 …      each cache within the node
 *   node          the NUMA node; not if the worker is alone there
 *   distance 21   all workers on nodes at most so far away; one level per distance of the machine's matrix
 *   package …     if the machine has no matrix: what its tree says
 *   root          all workers; always there, also if the level before is as large
 *
 * A part without more workers than the level before is no level. Of parts in a node with equal
 * workers, the node is the level.
 */
struct al_level {
    const char *name;
    bool local; /* within the worker's NUMA node, or the node itself; never the root */
    uint32_t n;
    const uint32_t *workers; /* sorted, with the worker itself */
};

/* pus: the OS index of each worker's PU; several workers may have the same. -EINVAL (no such PU), -ENOMEM with a
 * line in error. Free it with al_locality_free (NULL is fine). It keeps nothing of the topology. */
__attribute__((warn_unused_result)) int al_locality_new(const struct al_topology *topology,
                                                        const unsigned *pus, uint32_t n_workers,
                                                        struct al_locality **locality,
                                                        struct al_error *error);
void al_locality_free(struct al_locality *locality);

/* At least 1: the root is the last. */
uint32_t al_locality_n_levels(const struct al_locality *locality, uint32_t worker);
const struct al_level *al_locality_level(const struct al_locality *locality, uint32_t worker,
                                         uint32_t k);

/* The index of the first level of worker a that has worker b. */
uint32_t al_locality_distance(const struct al_locality *locality, uint32_t a, uint32_t b);

/* NUMA nodes that have workers, numbered from 0 in the order of the topology. */
uint32_t al_locality_n_nodes(const struct al_locality *locality);
uint32_t al_locality_node_of(const struct al_locality *locality, uint32_t worker);
const struct al_level *al_locality_node_workers(const struct al_locality *locality, uint32_t node);

/* As the machine's matrix says, by convention 10 for a node itself. Without a matrix 10, and 10 more for each level
 * above node a up to the first that has node b. */
uint32_t al_locality_node_distance(const struct al_locality *locality, uint32_t a, uint32_t b);

/* The names of all levels that any worker has, from small to large: "l3, node, distance 21, root". Cut short if
 * there is no room. */
void al_locality_describe(const struct al_locality *locality, char *text, size_t bytes);

#endif
