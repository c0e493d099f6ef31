/* SPDX-License-Identifier: MIT */
#ifndef AL_NORMAL_H
#define AL_NORMAL_H

/* The standard normal distribution. Any thread may call any of these. */

/* The z with P(Z < z) = p; ±infinity at 1 and 0. */
double al_normal_quantile(double p);

/* P(Z < z) */
double al_normal_below(double z);

#endif
