/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_MACHINE_H
#define AL_SHOW_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "core/error.h"

struct al_machine;
struct al_model;
struct al_topology;

/* A simulated machine for people and programs. */

/* "2 packages, 2 NUMA nodes, 8 dies, 32 L3s, 128 cores, 256 PUs": dies unless they are packages or
 * nodes, and L2s if cores share them. */
struct al_machine_parts {
    char text[160];
};
struct al_machine_parts al_machine_parts(const struct al_machine *machine);

/* Its parts, its caches, its hand-offs by class, and all parameters with their sources. */
void al_machine_print(const struct al_model *model, const struct al_machine *machine, FILE *file);

/* Likewise; NULL: there was no memory. */
json_t *al_machine_json(const struct al_model *model, const struct al_machine *machine);

/* Its parts, the hand-offs between all cores as a heat map, and all latencies, as SVG. */
void al_machine_draw(const struct al_model *model, const struct al_machine *machine, FILE *file);

/* The hand-offs of a class: how many pairs of cores it has, and their times in ps; for pairs of PUs
 * of a core, how many cores. */
struct al_machine_class {
    uint64_t pairs;
    uint32_t least, most;
};
struct al_machine_class al_machine_class(const struct al_machine *machine, unsigned key);

/* "2 packages, 8 nodes, 64 cores, 128 usable PUs", and how many of each kind if there are several.
 * An allocated string; NULL with a line in error. */
char *al_topology_text(const struct al_topology *topology, struct al_error *error);

#endif
