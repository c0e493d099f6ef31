/* SPDX-License-Identifier: MIT */
#ifndef AL_FORESEE_H
#define AL_FORESEE_H

/* Whether a command line of `actorlab run` could begin, without running it. */

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct al_topology;

/*
 * Loads a topology, or finds one that was loaded before; it stays the finder's. spec may be NULL:
 * this machine.
 */
typedef int al_topology_finder(void *finder, const char *spec, const struct al_topology **topology,
                               struct al_error *error);

/* What is known of a run before it begins. */
struct al_foreseen {
    /* Of a run that simulates one, what its record would say of it, but for the hash of the
     * program; else NULL. */
    json_t *machine;
    unsigned doubts;    /* likewise: al_doubts, as far as they can be foreseen */
    bool with_messages; /* asked: count the messages, too */
    uint64_t messages;  /* 0: not asked, or that depends on where its actors are placed */
};

/*
 * Would `actorlab run` with these words, "run" the first, begin its trial? 0, or a negative errno
 * with the line that it would print. It modifies the words. It does not ask whether there is enough
 * memory.
 */
__attribute__((warn_unused_result)) int al_run_foresee(int argc, char **argv,
                                                       al_topology_finder *find, void *finder,
                                                       struct al_foreseen *foreseen,
                                                       struct al_error *error);

#endif
