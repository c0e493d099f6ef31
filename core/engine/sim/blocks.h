/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_BLOCKS_H
#define AL_SIM_BLOCKS_H

/* What the simulated machine's allocator is made of; see memory.c. */

#include <stdint.h>

#define CLASSES     40 /* of blocks in slabs */
#define ALL_CLASSES 120

struct free_block {
    struct free_block *next;
};

struct bin {
    struct free_block *first;
    uint32_t n;
    void *lock; /* a line in the simulated memory; NULL: none yet */
};

/* An allocator's page. */
struct page {
    uint8_t class;       /* 1 + size class of the blocks in it; 0: none, or part of a large run */
    uint8_t home;        /* 1 + node of the first touch */
    uint16_t core;       /* whose arena it is in */
    uint32_t pages : 31; /* of a large run that begins here; of a class: blocks in use */
    uint32_t there : 1;  /* the kernel has given it */
};

#endif
