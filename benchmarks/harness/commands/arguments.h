/* SPDX-License-Identifier: MIT */
#ifndef AL_ARGUMENTS_H
#define AL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* Values of command-line options: true, or false after one line on stderr that says what would be right. `option` is
 * without its dashes. */

/* An integer from min to max, in full. */
bool al_argument_integer(const char *command, const char *option, const char *given, uint64_t min,
                         uint64_t max, uint64_t *out);

/* The fewest bootstrap resamples that make sense: both ends of a 95% interval then lie on the third value from outside,
 * and not on the outermost. */
#define AL_RESAMPLES_LEAST 100

/* A number greater than 0 and less than 1. */
bool al_argument_share(const char *command, const char *option, const char *given, double *out);

/* A number of percent, 0 to 10000. */
bool al_argument_percent(const char *command, const char *option, const char *given, double *out);

/* Whether it is UTF-8, as all that a record or JSON names must be; else -EINVAL with a line in error. NULL is fine. */
__attribute__((warn_unused_result)) int al_argument_text(const char *option, const char *given,
                                                         struct al_error *error);

#endif
