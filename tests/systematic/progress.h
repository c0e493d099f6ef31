/* SPDX-License-Identifier: MIT */
#ifndef SYSTEMATIC_PROGRESS_H
#define SYSTEMATIC_PROGRESS_H

/* How far somebody is who draws executions of many scenarios, kept in a file: a pass draws so many
 * of each, and the next pass draws others. */

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/check.h"
#include "core/error.h"

struct progress {
    const char *path; /* NULL: it is not kept */
    char *what;       /* what is searched, in the words of the command line */
    uint64_t seed;    /* of this pass */
    uint64_t done;    /* searches of it */
};

/* Begin, or go on where the file says. 0, or a negative errno with a line in error: it cannot be
 * read, or is of another search. */
__attribute__((warn_unused_result)) int progress_load(struct progress *progress,
                                                      const struct al_check_choices *choices,
                                                      const struct al_parsed *parsed,
                                                      struct al_error *error);
/* Another search is done. */
__attribute__((warn_unused_result)) int progress_save(const struct progress *progress,
                                                      struct al_error *error);
void progress_free(struct progress *progress);

#endif
