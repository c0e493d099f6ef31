/* SPDX-License-Identifier: MIT */
#ifndef AL_CALIBRATE_CONTENTION_H
#define AL_CALIBRATE_CONTENTION_H

/* The part of `actorlab calibrate` that measures contention. */

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/machine/topology.h"

struct al_contention_choices {
    const char *out, *against; /* files; or NULL */
    bool simulated;
    uint64_t repeats; /* 0: as usual */
};

/* Measure this machine, or simulate that of the topology; print, and write what was asked for.
 * Returns an exit code, with a line in error. */
int al_contention_command(const struct al_contention_choices *choices,
                          const struct al_topology *topology, const char *title,
                          struct al_error *error);

#endif
