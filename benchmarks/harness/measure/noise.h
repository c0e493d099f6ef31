/* SPDX-License-Identifier: MIT */
#ifndef AL_NOISE_H
#define AL_NOISE_H

/* What may have disturbed a trial: read before and after each measured iteration, never while it is timed. */

#include <jansson.h>

#include "core/system.h"

struct al_noise;

/* root as al_path has it; it must outlive the result. Free it with al_noise_free (NULL is fine). */
struct al_noise *al_noise_new(const char *root);

/* An iteration is about to start its workers. */
void al_noise_begin(struct al_noise *noise);

/* Its workers have ended; the report says on which PUs they were. */
void al_noise_end(struct al_noise *noise, const struct al_report *report);

/* The sums over all iterations, as docs/reference/noise.md lists them; null if there was none. */
json_t *al_noise_json(const struct al_noise *noise);

void al_noise_free(struct al_noise *noise);

#endif
