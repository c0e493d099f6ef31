/* SPDX-License-Identifier: MIT */
#ifndef AL_NOISE_H
#define AL_NOISE_H

/*
 * What may have disturbed a trial. It is read before and after each measured iteration, never while
 * one is timed.
 */

#include <jansson.h>

#include "core/system.h"

struct al_noise;

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

#endif
