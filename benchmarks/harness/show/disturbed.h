/* SPDX-License-Identifier: MIT */
#ifndef AL_DISTURBED_H
#define AL_DISTURBED_H

#include <stdio.h>

#include "benchmarks/harness/measure/trial.h"

/* One line if a trial on this machine was disturbed so much that its time is not that of its
 * workload: docs/reference/noise.md. Nothing for a simulated one, nor without an iteration. */
void al_disturbed_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file);

#endif
