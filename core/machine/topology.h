/* SPDX-License-Identifier: MIT */
#ifndef AL_TOPOLOGY_H
#define AL_TOPOLOGY_H

/*
 * The machine: its processing units (PUs), the order in which workers take them, binding threads to
 * them, and what they share. Only topology*.c know hwloc. A PU is named by its OS index throughout.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

struct al_topology;

/*
 * Load a topology. spec: NULL for this machine (the part that the affinity mask and cgroup allow),
 * a file ending in .xml as `lstopo` writes it, or hwloc's synthetic description ("package:2 l3:2
 * core:4 pu:2"). Fails with a negative errno and a line in error. A malformed description that
 * crashes libhwloc or makes it loop fails with -EINVAL after at most 10 s, since a child process
 * loads it first. Free the topology with al_topology_free (NULL is fine). Sets environment
 * variables of hwloc, so no other thread may read the environment meanwhile.
 */
__attribute__((warn_unused_result)) int
al_topology_load(const char *spec, struct al_topology **topology, struct al_error *error);
void al_topology_free(struct al_topology *topology);
/*
 * Another reference, so that the topology outlives its owner's al_topology_free: it goes with the
 * last of them. References are not counted atomically: only the thread that loaded the topology may
 * call this, and al_topology_free. Others may use the topology as long as a reference is left.
 */
struct al_topology *al_topology_keep(const struct al_topology *topology);

/* The placement policies, for messages to people. */
#define AL_TOPOLOGY_POLICIES                                                                       \
    "close, spread, smt, package, fast, slow, none, or a list of PUs such as 0,2,4-7"
/* The names of the placement policies, ending with NULL. A list of PUs is valid too. */
extern const char *const al_topology_policies[];

/*
 * The order in which workers take PUs; n workers take the first n, so that each number of workers
 * extends the smaller ones.
 *   close   one PU of each core, core after core: fills an L3, its NUMA node, its package; then the
 *           second PU of each core, and so on (NULL means close)
 *   spread  one PU of each core, from each package in turn; SMT siblings last
 *   smt     all PUs of a core before the next core
 *   package one PU of each core of a package, then the second PUs, and so on, before the next
 *           package: the Cforall chapter's order on Intel, which uses hyper-threads before the
 *           second socket
 *   fast    as close, but only PUs of the fastest kind of core that the machine has (P cores)
 *   slow    likewise of the slowest kind (E cores); on a machine with one kind both are all PUs
 *   none    as close, but threads are not bound
 *   0,2-5   these PUs in this order
 * *pus is freed by the caller.
 */
__attribute__((warn_unused_result)) int al_topology_order(const struct al_topology *topology,
                                                          const char *policy, unsigned **pus,
                                                          size_t *n_pus, struct al_error *error);

/* Whether workers are to be bound: not under policy `none`, and not with another machine's
 * topology, where hwloc would report success and do nothing. */
bool al_topology_pins(const struct al_topology *topology, const char *policy);

/* Bind the calling thread to the PU. Returns what al_topology_seen returns. */
int al_topology_bind(const struct al_topology *topology, unsigned pu);

/* The PU, if the calling thread is bound to it alone and is seen there; else -1. Binding may be
 * denied, and a shrinking cpuset moves threads that were bound. */
int al_topology_seen(const struct al_topology *topology, unsigned pu);

/*
 * Move whole pages to the PU's NUMA node. Returns the OS index of the node that they are seen on
 * afterwards, whether or not moving was allowed, or -1 if they are on several or it is unknown.
 */
int al_topology_move_memory(const struct al_topology *topology, void *pages, size_t bytes,
                            unsigned pu);

size_t al_topology_n_pus(const struct al_topology *topology);
bool al_topology_is_this_machine(const struct al_topology *topology);
/* Covers structure, sizes and indices, so equal machines have equal hashes. */
uint64_t al_topology_hash(const struct al_topology *topology);
/* The spec given to al_topology_load, or "this machine". */
const char *al_topology_name(const struct al_topology *topology);

/* The kinds of parts of a machine that hold PUs, from small to large. */
enum al_part_kind { AL_PART_CORE, AL_PART_INSIDE, AL_PART_NODE, AL_PART_ABOVE };

struct al_part {
    uint64_t id; /* unique to the part */
    enum al_part_kind kind;
    unsigned first;   /* its first PU, counted from 0 in the tree's order */
    unsigned height;  /* greater for a part than for those inside it */
    const char *name; /* static: "core", "l2", "node", "package" … */
};

/* hwloc's numbers of the parts that hold a PU, for people; -1: there is none, or it is unknown. The
 * node is the one of al_topology_path. */
struct al_place {
    int core, l3, node, package;
};

/* The PU must be one of the topology's order. */
void al_topology_place(const struct al_topology *topology, unsigned pu, struct al_place *place);

/* How many kinds of cores the machine mixes, such as P and E cores; 1 also if it does not tell. */
size_t al_topology_n_kinds(const struct al_topology *topology);

/* The kind of a PU's core, from 0, and from slow to fast if hwloc can rank them; -1: the machine
 * has one kind only, or does not tell. */
int al_topology_kind(const struct al_topology *topology, unsigned pu);

/* Refuse a pin policy that needs the machine's kinds of cores from slow to fast if hwloc cannot
 * rank them: -EINVAL with a line in error. */
__attribute__((warn_unused_result)) int al_topology_kinds_ranked(const struct al_topology *topology,
                                                                 const char *policy,
                                                                 struct al_error *error);

/* What people call a kind, such as "IntelAtom", or "kind 0" if the system has no name for it. Each
 * kind of a machine has another name. */
struct al_kind_name {
    char text[64];
};
struct al_kind_name al_topology_kind_name(const struct al_topology *topology, int kind);

#define AL_PARTS_MOST 16

/*
 * The parts that the PU lies in, from small to large, each within the next: its core (the PU itself
 * if the machine reports no cores); inside its NUMA node the data caches, dies, packages and
 * groups; the node, which is always there; and larger parts up to but not including the machine. Of
 * several kinds of memory the first is the node. The node of a core without memory of its own is
 * the largest part below the machine in which no core has any, such as a package, and has its name.
 * -EINVAL: no such PU.
 */
__attribute__((warn_unused_result)) int al_topology_path(const struct al_topology *topology,
                                                         unsigned pu,
                                                         struct al_part parts[AL_PARTS_MOST],
                                                         size_t *n);

/* The machine's relative latencies between NUMA nodes, named by the ids of their parts: n rows of
 * n, from row to column; 10 is local by convention. -ENOENT: the machine does not report all of
 * them; -ENOMEM. */
__attribute__((warn_unused_result)) int al_topology_distances(const struct al_topology *topology,
                                                              const uint64_t *nodes, uint32_t n,
                                                              uint32_t *distances);

/* Print the tree of the machine, one object a line, and the policy's order. */
__attribute__((warn_unused_result)) int al_topology_print(const struct al_topology *topology,
                                                          const char *policy, FILE *file,
                                                          struct al_error *error);

/* Write hwloc's XML of the machine, in which each PU is named after its worker under the policy
 * ("worker 0") and has a shade for lstopo to draw. Fails with -EINVAL, -ENOMEM or -EIO and a line
 * in error. */
__attribute__((warn_unused_result)) int al_topology_export(const struct al_topology *topology,
                                                           const char *policy, FILE *file,
                                                           struct al_error *error);

#endif
