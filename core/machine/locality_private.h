/* SPDX-License-Identifier: MIT */
#ifndef AL_LOCALITY_PRIVATE_H
#define AL_LOCALITY_PRIVATE_H

/* What core/machine/locality.c and core/machine/locality_new.c share, and nobody else. */

#include "core/machine/locality.h"

/* Levels are shared: one per core, cache, node, and distance from a node. */
struct al_locality_step {
    struct al_level level;
    uint64_t rank; /* for the order of names: by kind, then by height or distance */
};

/* A worker's. */
struct al_locality_place {
    const struct al_locality_step **steps;
    uint32_t n_steps, node;
};

/* All that is kept is in blocks, so that it is freed at once. */
struct al_locality_block {
    struct al_locality_block *next;
    _Alignas(max_align_t) char data[];
};

struct al_locality {
    uint32_t n_workers, n_nodes;
    struct al_locality_place *places;
    const struct al_locality_step **nodes;
    uint32_t *distances; /* n_nodes rows of n_nodes; NULL: the machine has no matrix */
    struct al_locality_step root;
    struct al_locality_block *blocks;
};

#endif
