/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_JITTER_H
#define AL_SIM_JITTER_H

#include <stdint.h>

#include "core/machine/model.h"

/* A copy of the machine, of which each cost differs by up to so many percent. NULL: no memory. */
struct al_machine *sim_jittered(const struct al_machine *machine, double percent, uint64_t seed);
void sim_jittered_free(struct al_machine *machine);

#endif
