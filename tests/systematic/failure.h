/* SPDX-License-Identifier: MIT */
#ifndef SYSTEMATIC_FAILURE_H
#define SYSTEMATIC_FAILURE_H

/* A failure that the checker has found: printed, as a timeline, and as a file from which it can be
 * made again. */

#include <stdio.h>

#include "core/engine/check/schedule.h"
#include "core/engine/check/search.h"
#include "core/error.h"

/* What was searched. */
struct searched {
    const struct al_scenario *scenario;
    const struct check_model *model;
    bool reuse; /* as in struct check_options */
};

extern const struct check_model *const failure_models[3];

void failure_print(const struct check_result *result, FILE *out);
/* In the format that Chrome and Perfetto open: a row for each thread, a microsecond for each step,
 * and arrows from writes to reads. 0, or a negative errno with a line in error. */
__attribute__((warn_unused_result)) int failure_timeline(const char *path,
                                                         const struct searched *searched,
                                                         const struct check_result *result,
                                                         struct al_error *error);
/* Save a failure's schedule, and read it. 0, or a negative errno with a line in error. */
__attribute__((warn_unused_result)) int failure_save(const char *path,
                                                     const struct searched *searched,
                                                     const struct check_result *result,
                                                     struct al_error *error);
__attribute__((warn_unused_result)) int failure_load(const char *path, struct searched *searched,
                                                     struct check_schedule *schedule,
                                                     struct al_error *error);

#endif
