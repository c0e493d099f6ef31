/* SPDX-License-Identifier: MIT */
#ifndef AL_MEASURING_H
#define AL_MEASURING_H

/* What commands that measure for some time share. */

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "core/error.h"

/* How far such a command is: in one of so many rounds, each of as many steps. */
struct al_progress {
    time_t began;
    size_t step;  /* the last that was shown, counted over all rounds */
    time_t at;    /* when it was first shown */
    bool at_most; /* there may be fewer steps */
    size_t round, rounds;
    double least_s; /* say nothing if all of it takes less */
    bool alike;     /* the steps take equally long, so one of them is enough for an estimate */
};

/* Show what is measured, and how much longer it takes if all steps take as long as those that have
 * ended. For a terminal; may be called several times within a step. argument is a struct
 * al_progress. */
void al_progress_show(void *argument, size_t step, size_t n_steps, const char *what);

/* Remove the line again. */
void al_progress_end(void);

/* Whether a file can be written, which is tried before anything is measured, not after. False with
 * a line in error. */
__attribute__((warn_unused_result)) bool al_can_write(const char *path, struct al_error *error);

/* Say on stderr that others used this share of the PUs meanwhile, if it was too much. */
void al_warn_if_disturbed(const char *command, double share);

#endif
