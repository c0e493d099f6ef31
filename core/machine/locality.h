/* SPDX-License-Identifier: MIT */
#ifndef AL_LOCALITY_H
#define AL_LOCALITY_H

/*
 * How near workers are to one another: for each worker, levels from small to large, each the set of
 * workers in one part of the machine. Source: LAS paper, section IV.B.1, whose tree has the system
 * as its root, below it groups of NUMA nodes by distance, then nodes, shared caches and cores.
 * Built once from the topology and never written afterwards, so any thread may read it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

struct al_locality;
struct al_topology;

/*
 *   core          if SMT or oversubscription puts several workers on it
 *   l2, package … each cache, die, package and group within the node
 *   node          the NUMA node, unless the worker is alone there; of cores without memory, the
 *                 largest part of the machine whose cores have none, under its own name
 *   distance 21   all workers on nodes up to this distance; one level for each distance in the
 *                 machine's matrix, if it has all nodes
 *   package …     the larger parts in the machine's tree, if it has no matrix
 *   root          all workers; always there, even if the level before is as large
 *
 * A part with no more workers than the level before it is skipped. If a part of a node has all the
 * workers of the node, the node is the level.
 */
struct al_level {
    const char *name;
    bool local; /* the worker's NUMA node or a part of it; never the root */
    uint32_t n;
    const uint32_t *workers; /* sorted; includes the worker itself */
};

/* pus: the OS index of each worker's PU; several workers may share one. Fails with -EINVAL (no such
 * PU) or -ENOMEM and a line in error. Free the result with al_locality_free (NULL is fine). It
 * keeps no reference to the topology. */
__attribute__((warn_unused_result)) int al_locality_new(const struct al_topology *topology,
                                                        const unsigned *pus, uint32_t n_workers,
                                                        struct al_locality **locality,
                                                        struct al_error *error);
void al_locality_free(struct al_locality *locality);

/* At least 1; the last level is the root. */
uint32_t al_locality_n_levels(const struct al_locality *locality, uint32_t worker);
const struct al_level *al_locality_level(const struct al_locality *locality, uint32_t worker,
                                         uint32_t k);

/* The index of worker a's smallest level that includes worker b. */
uint32_t al_locality_distance(const struct al_locality *locality, uint32_t a, uint32_t b);

/* The NUMA nodes that have workers, numbered from 0 in the topology's order. */
uint32_t al_locality_n_nodes(const struct al_locality *locality);
uint32_t al_locality_node_of(const struct al_locality *locality, uint32_t worker);
const struct al_level *al_locality_node_workers(const struct al_locality *locality, uint32_t node);

/* From the machine's matrix, where by convention a node is 10 from itself. Without a matrix it is
 * 10, and 10 more for each level above node a up to the first that includes node b. */
uint32_t al_locality_node_distance(const struct al_locality *locality, uint32_t a, uint32_t b);

/* The names of all levels that any worker has, from small to large: "l3, node, distance 21, root".
 * Truncated to fit `bytes`. */
void al_locality_describe(const struct al_locality *locality, char *text, size_t bytes);

#endif
