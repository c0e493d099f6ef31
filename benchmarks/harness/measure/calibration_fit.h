/* SPDX-License-Identifier: MIT */
#ifndef AL_CALIBRATION_FIT_H
#define AL_CALIBRATION_FIT_H

/*
 * How many instructions a core executes at a time depends on the program, so the parameter
 * `instruction` is fitted, not measured: it gets the value with which the simulator needs as long
 * for send-static and executor with one worker as the machine does, on the geometric mean of both
 * by inverted and deque. All times are those of runs of this program.
 */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

enum { AL_FIT_CELLS = 4 }; /* send-static by inverted and deque, executor likewise */

struct al_fit {
    double value, low, high; /* ns; the range is that of the machine's iterations */
    /* for each message: the machine's, and with `value` */
    double ns[AL_FIT_CELLS], simulated_ns[AL_FIT_CELLS];
};

/* What the machine takes for each message, in no order. */
struct al_fit_times {
    struct al_samples ns[AL_FIT_CELLS];
};

/* Add the times of nine iterations of each. machine: a machine file to run on instead of on this
 * machine, or NULL. A negative errno with a line in error if a run fails. */
__attribute__((warn_unused_result)) int
al_fit_measure(const char *machine, struct al_fit_times *times, struct al_error *error);

/* file: the machine's other parameters. Sorts the times. A negative errno with a line in error if a
 * run fails, or no value fits. */
__attribute__((warn_unused_result)) int al_fit_run(const char *file, struct al_fit_times *times,
                                                   struct al_fit *fit, struct al_error *error);

#endif
