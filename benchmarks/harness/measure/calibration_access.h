/* SPDX-License-Identifier: MIT */
#ifndef AL_CALIBRATION_ACCESS_H
#define AL_CALIBRATION_ACCESS_H

/*
 * The parameter `access` stands for the instructions around an access as well, so it is fitted, not
 * measured: it gets the value with which the simulator needs as long for send-static and executor
 * with one worker as the machine does, on the geometric mean of both by inverted and deque. All
 * times are those of runs of this program.
 */

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

enum { AL_ACCESS_CELLS = 4 }; /* send-static by inverted and deque, executor likewise */

struct al_access_fit {
    double value, low, high; /* ns; the range is that of the machine's iterations */
    /* for each message: the machine's, and with `value` */
    double ns[AL_ACCESS_CELLS], simulated_ns[AL_ACCESS_CELLS];
};

/* What the machine takes for each message, in no order. */
struct al_access_times {
    struct al_samples ns[AL_ACCESS_CELLS];
};

/* Add the times of nine iterations of each. machine: a machine file to run on instead of on this
 * machine, or NULL. A negative errno with a line in error if a run fails. */
__attribute__((warn_unused_result)) int
al_access_measure(const char *machine, struct al_access_times *times, struct al_error *error);

/* file: the machine's other parameters. Sorts the times. A negative errno with a line in error if a
 * run fails, or no value fits. */
__attribute__((warn_unused_result)) int al_access_fit(const char *file,
                                                      struct al_access_times *times,
                                                      struct al_access_fit *fit,
                                                      struct al_error *error);

#endif
