/* SPDX-License-Identifier: MIT */
#ifndef AL_SHOW_CONTENTION_H
#define AL_SHOW_CONTENTION_H

/* What the experiments of measure/contention.h found: for people, and as a file that can be sent
 * to others (docs/how-to/calibrating.md). */

#include <jansson.h>
#include <stdio.h>

#include "benchmarks/harness/measure/contention.h"
#include "core/error.h"

/* An experiment by so many threads: what an operation takes, of all together. */
struct al_contention_point {
    char name[32]; /* the experiment's; with thinking, followed by "-think" */
    uint32_t threads;
    double ns, low, high; /* median; 10th and 90th percentile */
};

struct al_contention_points {
    struct al_contention_point *all;
    size_t n;
};

void al_contention_add(struct al_contention_points *points, const char *name, bool thinks,
                       uint32_t threads, const struct al_samples *ns);
void al_contention_free(struct al_contention_points *points);

/* {"title", "engine", "points": [{"name", "threads", "ns", "low", "high"}]}. A new reference. */
json_t *al_contention_json(const struct al_contention_points *points, const char *title,
                           const char *engine);

/* Read such a file; "low" and "high" may be missing. -EINVAL with a line in error. Free in any
 * case. */
__attribute__((warn_unused_result)) int
al_contention_read(const char *path, struct al_contention_points *points, struct al_error *error);

/* A table. Of those that `other` has, too, with its values, the errors of `points`, and below how
 * large they are on average; NULL: there are no others. False if `other` has none of them. */
bool al_contention_print(const struct al_contention_points *points,
                         const struct al_contention_points *other, FILE *out);

#endif
