/* SPDX-License-Identifier: MIT */
#ifndef AL_RESAMPLED_RATIO_H
#define AL_RESAMPLED_RATIO_H

#include "benchmarks/harness/statistics/ratio.h"
#include "core/random.h"

/*
 * The Hodges-Lehmann estimate of resamples of one ratio's values. A resample has the pairs of the
 * ratio itself, each as often as its two values were drawn; so the pairs are sorted once, and a
 * resample's median is where the weights reach half of their sum.
 */
struct al_resampled_ratio;

/* NULL without memory. The ratio must stay where it is. */
struct al_resampled_ratio *al_resampled_ratio_new(const struct al_ratio *ratio);
void al_resampled_ratio_free(struct al_resampled_ratio *resampled);

/* The logarithm of the estimate of all values, as they are. */
double al_resampled_ratio_whole(struct al_resampled_ratio *resampled);

/* That of the next resample that `random` draws: of the pairs, or of both samples, above the line
 * first. */
double al_resampled_ratio_draw(struct al_resampled_ratio *resampled, struct al_random *random);

/* That of the values without the one at `place` of logs[sample]; it must not be the only one. */
double al_resampled_ratio_without(struct al_resampled_ratio *resampled, int sample, size_t place);

#endif
