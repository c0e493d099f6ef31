/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_FLOORS_H
#define AL_SHOW_FLOORS_H

/* What a message costs at least: for people, and for programs (docs/reference/floors.md). */

#include <jansson.h>
#include <stdio.h>

#include "benchmarks/harness/measure/floors.h"

void al_floors_print(const struct al_floors *floors, FILE *out);

/* A new object. */
json_t *al_floors_json(const struct al_floors *floors);

#endif
