/* SPDX-License-Identifier: MIT */
#ifndef AL_MATCHING_H
#define AL_MATCHING_H

#include <stdbool.h>

#include "benchmarks/harness/results/cells.h"
#include "core/option.h"

/* Which cell another is compared with. Several may fit; the one that differs in fewest keys is
 * taken, or none if there are several of these. */

struct al_match {
    const struct al_cell *base; /* or NULL */
    bool several;               /* which is why there is none */
    bool is_base;               /* the cell itself is one that others are compared with */
};

/*
 * By cell of the newer summary its own in the older one, whatever program and machine it was
 * measured with. An option that only one of them has does not matter: it was added later. `met`: by
 * cell of the older summary whether any fits it.
 */
void al_match_files(const struct al_summary *newer, const struct al_summary *older,
                    struct al_match *out, bool *met);

/*
 * By cell the one of the same summary that has all these values and otherwise differs only in what
 * comes with them: options; with a scheduler its victim heuristic, idle policy and placement; with
 * an engine or a machine what is known of that; with a binary what its defaults bring, and
 * parameters that only one of the two programs has. Cells that have the first of the values are
 * bases themselves.
 */
void al_match_within(const struct al_summary *summary, const struct al_setting *against,
                     size_t n_against, struct al_match *out);

#endif
