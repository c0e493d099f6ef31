/* SPDX-License-Identifier: MIT */
#ifndef AL_MODEL_H
#define AL_MODEL_H

/*
 * What the simulator knows of a machine: its parts, and what each step costs there. A machine file
 * is hwloc's XML of the machine, whose root object has one info attribute for each parameter:
 *
 *     <info name="actorlab.handoff.l3" value="25 ns [20, 30] proxy: core-to-core-latency, 7742"/>
 *
 * that is: the value, its unit, the range that it is known to lie in, the quality of the value, and
 * where it comes from. Two more attributes are "actorlab.title" and, of a machine that does not
 * exist, "actorlab.hypothetical" with the value "yes". A matrix of distances between cores with the
 * name "actorlab.handoff", in ps, gives single pairs other hand-offs than their class; an attribute
 * of the same name with the value "matrix" announces it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/machine/topology.h"

/* How a value is known. */
enum al_model_quality {
    AL_MODEL_MEASURED,  /* on this machine */
    AL_MODEL_PROXY,     /* on a similar one */
    AL_MODEL_ESTIMATED, /* by reasoning, or fitted */
};
extern const char *const al_model_qualities[]; /* in the order of the enum, ending with NULL */

/*
 * The parameters: X(identifier, name, unit, least, most, help). Times are of one operation without
 * contention. A hand-off takes a line that another core has just written, by a compare-and-swap; of
 * the hand-offs, and of the memories, a machine file has those that its topology has pairs for: the
 * class of a pair is the smallest part that contains both (`node` stands for every part between L3
 * and package: nodes, dies, groups; but a node that is a whole package is the package).
 */
#define AL_MODEL_PARAMETERS(X)                                                                     \
    X(ACCESS, "access", "ns", 0, 1e3, "an access to the own L1, beyond its instruction")           \
    X(INSTRUCTION, "instruction", "ns", 0, 1e3, "an instruction, its operands in the own L1")      \
    X(L1_HIT, "l1.hit", "ns", 0, 1e3, "until a load from the own L1 has its value")                \
    X(L2_HIT, "l2.hit", "ns", 0, 1e4, "a load from the L2, beyond one from the L1")                \
    X(L3_HIT, "l3.hit", "ns", 0, 1e4, "a load from the L3, beyond one from the L1")                \
    X(MEMORY_NODE, "memory.node", "ns", 0, 1e5, "a load from the memory of the own node")          \
    X(MEMORY_PACKAGE, "memory.package", "ns", 0, 1e5, "of another node of the package")            \
    X(MEMORY_MACHINE, "memory.machine", "ns", 0, 1e5, "of another package")                        \
    X(HANDOFF_CORE, "handoff.core", "ns", 0, 1e5, "a hand-off between two PUs of a core")          \
    X(HANDOFF_L2, "handoff.l2", "ns", 0, 1e5, "between two cores that share an L2")                \
    X(HANDOFF_L3, "handoff.l3", "ns", 0, 1e5, "between two cores that share an L3")                \
    X(HANDOFF_NODE, "handoff.node", "ns", 0, 1e5, "within a part of a package, but not an L3")     \
    X(HANDOFF_PACKAGE, "handoff.package", "ns", 0, 1e5, "within a package, but no part of it")     \
    X(HANDOFF_MACHINE, "handoff.machine", "ns", 0, 1e5, "between two packages")                    \
    X(HANDOFF_AWAY, "handoff.away", "ns", 0, 1e5,                                                  \
      "added beyond an L3, if the line's home is in another package")                              \
    X(READ, "read", "%", 0, 1e3, "a load of a line that another core wrote, of a hand-off")        \
    X(INVALIDATE, "invalidate", "%", 0, 1e3, "a write to a line that others read, of a hand-off")  \
    X(LINE_BUSY, "line.busy", "ns", 0, 1e4, "how long a read keeps a line from the next core")     \
    X(LINE_KEPT, "line.kept", "%", 0, 100, "how long a core keeps a wanted line, of a hand-off")   \
    X(STREAM, "stream", "%", 0, 100, "a miss in a sequence of lines, of one alone")                \
    X(OVERLAP, "overlap", "%", 0, 100, "a miss that others overlap, of one alone")                 \
    X(STORE_BUFFER, "store.buffer", "entries", 1, 1024, "stores that a core waits for at most")    \
    X(LOCKED, "locked", "ns", 0, 1e4, "a locked instruction on a line in the own L1")              \
    X(LOCKED_AMID, "locked.amid", "ns", 0, 1e4, "what one adds to other instructions around it")   \
    X(FENCE, "fence", "ns", 0, 1e4, "a full fence with nothing to wait for")                       \
    X(PAUSE, "pause", "ns", 0, 1e4, "a pause instruction")                                         \
    X(YIELD, "yield", "ns", 0, 1e6, "a yield with nobody to yield to")                             \
    X(CLOCK, "clock", "ns", 0, 1e5, "reading the clock")                                           \
    X(COUNTER, "counter", "ns", 0, 1e4, "reading the time-stamp counter")                          \
    X(FREQUENCY, "frequency", "MHz", 1, 1e5, "of the time-stamp counter")                          \
    X(SLEEP_SLACK, "sleep.slack", "ns", 0, 1e9, "how much longer a sleep takes")                   \
    X(PARK, "park", "ns", 0, 1e7, "falling asleep on a futex")                                     \
    X(PARK_REFUSED, "park.refused", "ns", 0, 1e7, "a call whose word has changed already")         \
    X(WAKE, "wake", "ns", 0, 1e7, "for each sleeper that a call wakes, to the waker")              \
    X(WAKE_NOBODY, "wake.nobody", "ns", 0, 1e7, "a call that finds no sleeper")                    \
    X(WAKE_LATENCY, "wake.latency", "ns", 0, 1e8, "from the waker's call until the sleeper runs")  \
    X(IDLE_POLL, "idle.poll", "ns", 0, 1e10, "how long a PU has nothing to run before it halts")   \
    X(WAKE_HALTED, "wake.halted", "ns", 0, 1e7, "as wake, of a sleeper whose PU has halted")       \
    X(WAKE_HALTED_LATENCY, "wake.halted.latency", "ns", 0, 1e8, "likewise, as wake.latency")       \
    X(THREAD_START, "thread.start", "ns", 0, 1e9, "starting a thread")                             \
    X(SWITCH, "switch", "ns", 0, 1e7, "switching from thread to thread on one PU")                 \
    X(SLICE, "slice", "ns", 1e3, 1e9, "how long a thread keeps a PU that others want")             \
    X(PAGE_FAULT, "page.fault", "ns", 0, 1e7, "the first touch of a page; 0: all are there")       \
    X(MALLOC, "malloc", "ns", 0, 1e5, "malloc from the thread's cache")                            \
    X(FREE, "free", "ns", 0, 1e5, "free to the thread's cache")                                    \
    X(MALLOC_FLUSH, "malloc.flush", "ns", 0, 1e5,                                                  \
      "a block that a full cache gives back, or takes")                                            \
    X(SMT, "smt", "%", 1, 100, "speed of each of two PUs of a core that both run, of one alone")   \
    X(CORES_ALL, "cores.all", "%", 1, 100,                                                         \
      "speed of each core while all of its package run, of one alone")                             \
    X(MEMORY_BANDWIDTH, "memory.bandwidth", "GB/s", 0, 1e5,                                        \
      "of the memory of a node, or 0 for no limit")

#define AL_MODEL_ID(id, name, unit, least, most, help) AL_MODEL_##id,
enum al_model_key { AL_MODEL_PARAMETERS(AL_MODEL_ID) AL_MODEL_KEYS };
#undef AL_MODEL_ID

struct al_model_parameter {
    const char *name, *unit, *help;
    double least, most;
};
extern const struct al_model_parameter al_model_parameters[AL_MODEL_KEYS];

struct al_model_value {
    double value, low, high; /* low <= value <= high */
    enum al_model_quality quality;
    char *source; /* owned by the model; NULL: the topology has no use for this parameter */
    bool overridden;
    double given; /* the file's value */
};

struct al_model {
    const struct al_topology *topology; /* whose machine this is; not owned */
    char *title;                        /* "2 x AMD EPYC 7662", or the file's name */
    bool hypothetical;                  /* no such machine exists */
    struct al_model_value values[AL_MODEL_KEYS];
    uint64_t *handoff; /* the file's matrix in ps, between cores in the topology's order, 0 on the
                          diagonal; NULL: it has none */
    double jitter;     /* percent by which the costs of a run differ from these, by its seed */
};

#define AL_MODEL_JITTER 2 /* unless set */

/* Which parameters a machine file of this topology has; it must have these and no others. */
void al_model_needs(const struct al_topology *topology, bool needs[AL_MODEL_KEYS]);

/* The class of hand-offs between two PUs, by their OS indices, which the topology must have. */
enum al_model_key al_model_handoff_class(const struct al_topology *topology, unsigned pu,
                                         unsigned other);

/* The class of memory that a PU's loads of its own node, or of another PU's, are from. */
enum al_model_key al_model_memory_class(const struct al_topology *topology, unsigned pu,
                                        unsigned other);

/*
 * Read the parameters of a topology that was loaded from a machine file. -EINVAL with a line in
 * error if a parameter that it needs is missing, or a value is malformed or out of range, or a key
 * is unknown. Free with al_model_free.
 */
__attribute__((warn_unused_result)) int
al_model_load(const struct al_topology *topology, struct al_model **model, struct al_error *error);
void al_model_free(struct al_model *model);

/* Override a parameter by the user's value, in its unit, or "jitter", by percent. Of a class of
 * hand-offs, the pairs in the file's matrix change by the same factor. -EINVAL with a line in error
 * that names the valid ones. */
__attribute__((warn_unused_result)) int al_model_set(struct al_model *model, const char *name,
                                                     const char *value, struct al_error *error);

/* Covers topology and values, not sources. */
uint64_t al_model_hash(const struct al_model *model);

/*
 * Write a machine file: the topology with these values, but those that it has no use for, and
 * without a matrix. -EINVAL with a line in error if al_model_load would refuse it; -ENOMEM, -EIO.
 */
__attribute__((warn_unused_result)) int
al_model_write(const struct al_topology *topology,
               const struct al_model_value values[AL_MODEL_KEYS], const char *title, FILE *file,
               struct al_error *error);

/* A cache level: one of these for each instance that the PUs share. */
struct al_cache_size {
    uint32_t sets, ways; /* lines of 64 bytes; 0: there is none */
};

/*
 * The parts that a PU lies in, numbered from 0 in the topology's order. A machine without L2s has
 * one for each core in these numbers, and one without L3s has one for each L2. A die is the largest
 * part of a package that is no cache; the package, if it has none.
 */
struct al_pu_parts {
    unsigned os_index;
    uint32_t core, l2, l3, node, die, package;
};

/* The machine as the simulator needs it: plain arrays, times in picoseconds. */
struct al_machine {
    uint32_t n_pus, n_cores, n_l2, n_l3, n_nodes, n_dies, n_packages;
    struct al_pu_parts *pus; /* in the order of their OS index */
    uint32_t *core_pu;       /* for each core, the place in pus of its first PU */
    uint32_t *handoff;       /* n_cores x n_cores: from the row's core to the column's; the
                                 diagonal is between two PUs of the core */
    uint8_t *classes;        /* likewise: enum al_model_key */
    uint32_t *memory;        /* n_nodes x n_nodes: load by the row's node from the column's */
    struct al_cache_size l1, l2, l3;
    uint64_t ps[AL_MODEL_KEYS]; /* values: ns as ps, GB/s as MB/s, the others as they are, rounded
                                 */
};

/* NULL: no memory. Free with al_machine_free. */
struct al_machine *al_machine_new(const struct al_model *model);
void al_machine_free(struct al_machine *machine);

#endif
