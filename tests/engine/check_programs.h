/* SPDX-License-Identifier: MIT */
#ifndef CHECK_PROGRAMS_H
#define CHECK_PROGRAMS_H

/* Programs of a few operations on a few words, for the checker to run. */

#include "core/engine/check/search.h"

enum word_operation {
    END,
    LOAD,
    LOAD_ACQUIRE,
    STORE,
    STORE_RELEASE,
    EXCHANGE,
    EXCHANGE_ACQ_REL,
    CAS, /* from 0 */
    CAS_ACQ_REL,
    ADD,
    ADD_ACQ_REL,
    FENCE,
    LIGHT,
    MEMBARRIER,
    LOCK, /* the word is a spinlock */
    UNLOCK,
    AWAIT,        /* the value, in a loop */
    AWAIT_EITHER, /* the value, or one in the next word */
    PARK,         /* while the word has the value */
    PARK_FOR,
    UNPARK,
    CHOOSE, /* among so many, and store which */
    OPERATIONS,
};

enum { WORDS = 3, STEPS = 8 };

struct step {
    enum word_operation operation;
    unsigned word;
    uint32_t value;
};

struct program {
    const char *name;
    struct step steps[CHECK_THREADS][STEPS]; /* of each thread, to END */
    unsigned threads;
};

/* Search a program. vain_looks, steps: as in struct al_scenario. */
struct check_result search_program(const struct program *program,
                                   const struct check_options *options, unsigned vain_looks,
                                   unsigned steps);
/* Print it, a line for each thread. */
void print_program(const struct program *program);

#endif
