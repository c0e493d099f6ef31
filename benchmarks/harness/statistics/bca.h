/* SPDX-License-Identifier: MIT */
#ifndef AL_BCA_H
#define AL_BCA_H

#include <stddef.h>

/* The bias-corrected and accelerated bootstrap interval (Efron, 1987). */

/* z0, from how many of the replicates lie below the estimate, and how many are equal to it. All on
 * one side would be infinitely biased: half a replicate is as far as they can tell. */
double al_bca_bias(size_t less, size_t equal, size_t replicates);

/* Which quantile of the replicates is taken in place of the one at normal score z. */
double al_bca_quantile(double bias, double acceleration, double z);

#endif
