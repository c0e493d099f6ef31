/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_COMMAND_H
#define AL_CHECK_COMMAND_H

/* The command line of `actorlab check`, which the program of scenarios reads, too
 * (tests/systematic/main.c). */

#include <stdbool.h>
#include <stdint.h>

enum al_check_memory { AL_CHECK_EACH, AL_CHECK_SC, AL_CHECK_TSO, AL_CHECK_C11 };
enum al_check_search {
    AL_CHECK_DPOR,
    AL_CHECK_ALL,
    AL_CHECK_BOUNDED,
    AL_CHECK_RANDOM,
    AL_CHECK_PCT
};
enum al_check_freed { AL_CHECK_POISON, AL_CHECK_REUSE };

struct al_check_choices {
    unsigned memory, search, freed; /* of these */
    uint64_t bound, seed, runs;
    double limit;                                  /* seconds */
    const char *save, *replay, *timeline, *resume; /* files; or NULL */
    bool list, deep;
};

#endif
