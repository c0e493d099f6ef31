/* SPDX-License-Identifier: MIT */
#ifndef AL_TOPOLOGY_TEXT_H
#define AL_TOPOLOGY_TEXT_H

#include "core/error.h"

struct al_topology;

/* "2 packages, 8 nodes, 64 cores, 128 usable PUs", and how many of each kind if there are several.
 * An allocated string; NULL with a line in error. */
char *al_topology_text(const struct al_topology *topology, struct al_error *error);

#endif
