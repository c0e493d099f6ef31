/* SPDX-License-Identifier: MIT */
#ifndef AL_LOCALITY_PRIVATE_H
#define AL_LOCALITY_PRIVATE_H

/* Shared by core/machine/locality.c and core/machine/locality_build.c, and private to them. */

#include "core/machine/locality.h"

/* A level that any number of workers share: one per core, cache, node, and distance from a node. */
struct al_locality_step {
    struct al_level level;
    uint64_t rank; /* orders names: by kind, then by height or distance */
};

/* The levels of one worker, from small to large, and its node. */
struct al_locality_place {
    const struct al_locality_step **steps;
    uint32_t n_steps, node;
};

/* Everything is allocated in blocks of one list, which al_locality_free frees. */
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

/* For qsort and bsearch over numbers of workers or distances. */
static inline int al_compare_u32(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

#endif
