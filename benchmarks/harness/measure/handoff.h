/* SPDX-License-Identifier: MIT */
#ifndef AL_HANDOFF_H
#define AL_HANDOFF_H

/*
 * The hand-off probe: how long a cache line takes from the PU of worker 0 to those of other
 * workers. A host may move a virtual machine's cores apart, which makes everything that two workers
 * share two to four times as slow, and nothing else in a record shows it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "benchmarks/harness/results/schema.h"
#include "core/system.h"

/*
 * Nanoseconds after which the probe gives a PU up, and how many such limits it takes to give up the
 * rest. Where someone else's thread keeps a PU busy, several of its time slices of some 4 ms pass
 * until both threads of the probe run at once.
 */
#define AL_HANDOFF_LIMIT_NS 50000000u
#define AL_HANDOFF_LIMITS   4

struct al_handoff {
    bool known; /* whether there was anything to measure */
    unsigned from;
    size_t n;
    unsigned to[AL_HANDOFF_MOST];
    double
        ns[AL_HANDOFF_MOST]; /* one way; NAN: no answer in time, whether or not the threads ended */
    double median_ns;        /* of those that are known; NAN: none */
    uint64_t took_ns;        /* the whole probe */
};

/*
 * The PUs to probe for workers that take these PUs, which are in the order of
 * al_topology_order: those of workers 1 to n_workers - 1, or AL_HANDOFF_MOST of them, evenly spread
 * from the first to the last; with one worker, the next PU of the order. Returns how many; 0: there
 * is no other.
 */
size_t al_handoff_choose(const unsigned *pus, size_t n_pus, uint32_t n_workers,
                         unsigned to[AL_HANDOFF_MOST]);

/*
 * Probe before the workers of this configuration, which has a topology, are started. Not known if
 * its workers are not bound (policy `none`, or another machine's topology), if there is no second
 * PU, or if the first one cannot be bound to. Takes less than a millisecond for each PU,
 * unless somebody else keeps one of them busy.
 */
void al_handoff_probe(const struct al_config *config, uint32_t n_workers,
                      struct al_handoff *handoff);

/* The probe between given PUs, with another limit: for tests. */
void al_handoff_between(const struct al_topology *topology, unsigned from, const unsigned *to,
                        size_t n, uint64_t limit_ns, struct al_handoff *handoff);

/* The key `handoff` of a record. */
json_t *al_handoff_json(const struct al_handoff *handoff);

#endif
