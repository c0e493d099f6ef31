/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_CALIBRATION_H
#define AL_SHOW_CALIBRATION_H

/* What calibrating found, for people. */

#include <stdio.h>

#include "benchmarks/harness/measure/calibration.h"

/* How far a simulated machine may differ from its file. */
#define AL_CALIBRATION_TOLERANCE 0.10

/* Each parameter with its range, and the hand-offs between single pairs of PUs. */
void al_calibration_print(const struct al_calibration *calibration, FILE *out);

/*
 * Each parameter beside that of the machine that was simulated. Returns how many of those that were
 * measured differ by more than AL_CALIBRATION_TOLERANCE.
 */
size_t al_calibration_compare(const struct al_calibration *calibration,
                              const struct al_model *model, const struct al_machine *machine,
                              FILE *out);

#endif
