/* SPDX-License-Identifier: MIT */
#ifndef AL_NAMES_H
#define AL_NAMES_H

#include <stddef.h>

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/keys.h"

/*
 * What tables call the strategies of cells: "inverted shards=4". Keys that all share, or that
 * follow from others, are left out.
 */

struct al_names {
    struct al_keys keys;
    struct al_parts parts;
    const struct al_cell *cells;
    size_t n;
};

/* Of all cells, which must outlive them. `order` (an object, or NULL) names keys that come first.
 */
void al_names_make(const struct al_summary *summary, const json_t *order, struct al_names *out);

/* The name of one of these cells, for a terminal. The caller frees it. */
char *al_names_of(const struct al_names *names, const struct al_cell *cell);

/* In which key the names differ if it is one, else "strategy". */
const char *al_names_head(const struct al_names *names);

void al_names_release(struct al_names *names);

#endif
