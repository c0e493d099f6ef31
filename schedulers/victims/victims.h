/* SPDX-License-Identifier: MIT */
#ifndef AL_VICTIMS_H
#define AL_VICTIMS_H

/* The victim heuristics, each in the file of its name. A strategy names its own here. */

#include "core/plugin/victim.h"

extern const struct al_victim_ops al_victim_none;
extern const struct al_victim_ops al_victim_random;
extern const struct al_victim_ops al_victim_longest;
extern const struct al_victim_ops al_victim_longest_sampled;
extern const struct al_victim_ops al_victim_longest_queue;
extern const struct al_victim_ops al_victim_last_success;
extern const struct al_victim_ops al_victim_round_robin;
extern const struct al_victim_ops al_victim_nearest;
extern const struct al_victim_ops al_victim_hierarchical;

#endif
