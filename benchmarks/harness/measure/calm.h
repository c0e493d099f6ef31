/* SPDX-License-Identifier: MIT */
#ifndef AL_CALM_H
#define AL_CALM_H

/* The noise gate of commands that measure by themselves; that of a sweep is described in
 * docs/reference/noise.md, whose rules these follow. */

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* What others may use of the PUs, and the number of their threads that run, as a share of them. */
#define AL_CALM_SHARE 0.02
/* Of each PU, below which /proc/stat cannot tell something from nothing. */
#define AL_CALM_TICKS 3
/* How long workers may wait for PUs: an interrupt or two. */
#define AL_CALM_WAITED_NS 1000000

/* Wait until the machine is calm, for at most so long. False with a line in error if it is not;
 * true if that is unknown. root is that of al_path. */
__attribute__((warn_unused_result)) bool al_calm_wait(const char *root, uint64_t patience_ns,
                                                      struct al_error *error);

struct al_calm {
    struct al_noise *noise;
};

/* Around a measurement: which share of the PUs' time others, and the host's other machines, used; 0
 * if that is unknown. */
void al_calm_begin(struct al_calm *calm);
double al_calm_end(struct al_calm *calm);

#endif
