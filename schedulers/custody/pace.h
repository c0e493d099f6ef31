/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_PACE_H
#define AL_CUSTODY_PACE_H

/* What messages cost a worker, and so how many it delivers between two looks around (run.c). */

#include <stdint.h>

/* The owner's. */
struct al_pace {
    uint32_t credit, quantum; /* messages until it looks around; of how many that is the rest */
    uint64_t since;           /* cycles: when it began this quantum */
    uint64_t cost16;          /* cycles that a message takes, times 16 */
    uint64_t least16;         /* the least of these lately */
    uint64_t mean16;          /* their mean lately, without interruptions */
    uint64_t n_quanta;
};

#endif
