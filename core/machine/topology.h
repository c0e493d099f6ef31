/* SPDX-License-Identifier: MIT */
#ifndef AL_TOPOLOGY_H
#define AL_TOPOLOGY_H

/*
 * The machine: which processing units (PUs) there are, in what order to use them, and binding to
 * them. The only part that knows hwloc (topology*.c). A PU is named by its OS index throughout.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

struct al_topology;

/*
 * spec: NULL for this machine (what the affinity mask and cgroup allow), a file that ends in .xml as `lstopo` writes
 * it, or hwloc's synthetic description ("package:2 l3:2 core:4 pu:2"). Returns a negative errno with a line in error.
 * A child process loads a description first, because some malformed ones crash libhwloc or make it loop; that is
 * -EINVAL, after 10 s at most. Free the topology with al_topology_free (NULL is fine). It sets an environment variable
 * of hwloc, so no other thread may read the environment meanwhile.
 */
__attribute__((warn_unused_result)) int
al_topology_load(const char *spec, struct al_topology **topology, struct al_error *error);
void al_topology_free(struct al_topology *topology);

/* The same for people. */
#define AL_TOPOLOGY_POLICIES "close, spread, smt, package, none, or a list of PUs such as 0,2,4-7"
/* The names of the placement policies, ending with NULL; a list of PUs is valid too. */
extern const char *const al_topology_policies[];

/*
 * The order in which workers take PUs; n workers take the first n, so that each number of workers
 * extends the smaller ones.
 *   close   one PU of each core, core after core: fills an L3, its NUMA node, its package; then the
 *           second PU of each core, and so on (NULL means close)
 *   spread  one PU of each core, from each package in turn; SMT siblings last
 *   smt     all PUs of a core before the next core
 *   package one PU of each core of a package, then the second ones, and so on, before the next package: the order of
 *           the Cforall chapter's runs on Intel, which use hyper-threads before the second socket
 *   none    as close, but threads are not bound
 *   0,2-5   these PUs in this order
 * *pus is freed by the caller.
 */
__attribute__((warn_unused_result)) int al_topology_order(const struct al_topology *topology,
                                                          const char *policy, unsigned **pus,
                                                          size_t *n_pus, struct al_error *error);

/* Whether workers are to be bound: not under policy `none`, nor with a topology of another machine
 * (hwloc would report success and do nothing). */
bool al_topology_pins(const struct al_topology *topology, const char *policy);

/* Bind the calling thread to the PU. Returns as al_topology_seen. */
int al_topology_bind(const struct al_topology *topology, unsigned pu);

/* The PU, if the calling thread is bound to it alone and is seen there; else -1: binding may have been denied, and a
 * cpuset that shrinks moves threads that were bound. */
int al_topology_seen(const struct al_topology *topology, unsigned pu);

/*
 * Move whole pages to the NUMA node of the PU. Returns the OS index of the node that they are then seen on,
 * whether or not moving was allowed, or -1 if that cannot be told or they are on several.
 */
int al_topology_move_memory(const struct al_topology *topology, void *pages, size_t bytes,
                            unsigned pu);

size_t al_topology_n_pus(const struct al_topology *topology);
bool al_topology_is_this_machine(const struct al_topology *topology);
/* Of structure, sizes and indices: equal machines have equal hashes. */
uint64_t al_topology_hash(const struct al_topology *topology);
/* As it was given to al_topology_load, or "this machine". */
const char *al_topology_name(const struct al_topology *topology);

/* What a part of the machine that holds PUs is, from small to large. */
enum al_part_kind { AL_PART_CORE, AL_PART_CACHE, AL_PART_NODE, AL_PART_ABOVE };

struct al_part {
    uint64_t id; /* the same for the same part, and for no other */
    enum al_part_kind kind;
    unsigned index;   /* among the parts of its type, in the order of the tree */
    unsigned height;  /* more for the larger of two that lie in one another */
    const char *name; /* static: "core", "l2", "node", "package" … */
};

/* hwloc's numbers of what holds a PU, for people; -1: there is none, or it cannot be told. */
struct al_place {
    int core, l3, node, package;
};

/* The PU must be one of the topology's order. */
void al_topology_place(const struct al_topology *topology, unsigned pu, struct al_place *place);

#define AL_PARTS_MOST 16

/*
 * The parts that the PU lies in, from small to large, each within the next: its core (the PU itself, if the machine
 * tells no cores), the data caches within its NUMA node, the node (always there; of several kinds of memory
 * the first), and what is larger than the node: dies, packages, groups, but not the machine. -EINVAL:
 * no such PU.
 */
__attribute__((warn_unused_result)) int al_topology_path(const struct al_topology *topology,
                                                         unsigned pu,
                                                         struct al_part parts[AL_PARTS_MOST],
                                                         size_t *n);

/* The machine's latencies between NUMA nodes, which are given by the ids of their parts: n rows of n, from row to
 * column; 10 is local by convention. -ENOENT if the machine does not tell them all; -ENOMEM. */
__attribute__((warn_unused_result)) int al_topology_distances(const struct al_topology *topology,
                                                              const uint64_t *nodes, uint32_t n,
                                                              uint32_t *distances);

/* The tree of the machine, one object a line, and the order of the policy. */
__attribute__((warn_unused_result)) int al_topology_print(const struct al_topology *topology,
                                                          const char *policy, FILE *file,
                                                          struct al_error *error);

/* hwloc's XML of the machine, in which each PU of the policy's order is called "worker I", with a shade for lstopo to
 * draw. -EINVAL, -ENOMEM, -EIO with a line in error. */
__attribute__((warn_unused_result)) int al_topology_export(const struct al_topology *topology,
                                                           const char *policy, FILE *file,
                                                           struct al_error *error);

#endif
