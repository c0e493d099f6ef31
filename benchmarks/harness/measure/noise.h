/* SPDX-License-Identifier: MIT */
#ifndef AL_NOISE_H
#define AL_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "core/error.h"
#include "core/system.h"

struct al_noise;

/*
 * What may have disturbed a trial. It is read before and after each measured iteration, never while
 * one is timed.
 */

/*
 * root is that of al_path and must outlive the result. Free with al_noise_free, which accepts NULL.
 */
struct al_noise *al_noise_new(const char *root);

/* Call before an iteration starts its workers. From the first call on, this thread and those that
 * it starts block SIGCONT, which therefore stays pending and shows that the process was stopped. */
void al_noise_begin(struct al_noise *noise);

/* Call when its workers have ended; the report says on which PUs they ran. */
void al_noise_end(struct al_noise *noise, const struct al_report *report);

/*
 * The sums over all iterations, with the keys of docs/reference/noise.md; null if there was no
 * iteration, or `noise` is NULL.
 */
json_t *al_noise_json(const struct al_noise *noise);

void al_noise_free(struct al_noise *noise);

/* The noise gate of commands that measure by themselves; that of a sweep is described in
 * docs/reference/noise.md, whose rules these follow. */

/* What others may use of the PUs, and the number of their threads that run, as a share of them. */
#define AL_CALM_SHARE 0.02
/* Of each PU, below which /proc/stat cannot tell something from nothing. */
#define AL_CALM_TICKS 3
/* How long workers may wait for PUs: an interrupt or two. */
#define AL_CALM_WAITED_NS 1000000

/* Wait until the machine is calm, for at most so long. False with a line in error if it is not;
 * true if that is unknown. root is that of al_path. */
__attribute__((warn_unused_result)) bool al_calm_wait(const char *root, uint64_t patience_ns,
                                                      struct al_error *error);

struct al_calm {
    struct al_noise *noise;
};

/* Around a measurement: which share of the PUs' time others, and the host's other machines, used; 0
 * if that is unknown. */
void al_calm_begin(struct al_calm *calm);
double al_calm_end(struct al_calm *calm);

#endif
