/* SPDX-License-Identifier: MIT */
#ifndef AL_SIMULATED_TEXT_H
#define AL_SIMULATED_TEXT_H

/* What people are told of a simulated trial. */

#include <stdio.h>

#include "benchmarks/harness/measure/trial.h"

/* ", simulated on 2 x AMD EPYC 7662 (hypothetical, 1 parameter overridden)"; nothing if native. */
void al_simulated_on_print(const struct al_trial *trial, FILE *file);

/* A line for --stats; nothing if native. */
void al_simulated_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

/* A line if the starting thread was busy for so long that it may decide the result. */
void al_simulated_note_print(const struct al_trial *trial, const struct al_outcome *outcome,
                             FILE *file);

#endif
