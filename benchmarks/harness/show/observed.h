/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_OBSERVED_H
#define AL_SHOW_OBSERVED_H

/* What `actorlab run --stats` prints of the machine, beside the counters of the runtime. */

#include <stdio.h>

struct al_handoff;

/* One line. */
void al_handoff_print(const struct al_handoff *handoff, FILE *file);

#endif
