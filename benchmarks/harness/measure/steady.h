/* SPDX-License-Identifier: MIT */
#ifndef AL_STEADY_H
#define AL_STEADY_H

/*
 * Whether a series of iterations has reached a steady state: docs/reference/noise.md says why by
 * this rule. Any thread may call any of these.
 */

#include <stddef.h>
#include <stdint.h>

#define AL_STEADY_LEAST 8    /* with fewer iterations there is no verdict */
#define AL_STEADY_LEVEL 0.05 /* how often, at most, a series without a drift is called unsteady */
#define AL_STEADY_DRIFT 1.02 /* smaller drifts do not matter, however sure they are */

/* How many iterations `--warmup auto` looks at, and how many it runs at most. */
#define AL_WARMUP_LEAST 6
#define AL_WARMUP_MOST  20
/* A false alarm costs one more iteration here, so the test is less careful. Of three values against
 * three, the smallest p is 0.1, the next 0.2. */
#define AL_WARMUP_LEVEL 0.15

enum al_steady { AL_STEADY_UNKNOWN, AL_STEADY_NO, AL_STEADY_YES };

/* The second half of a series against the first; the middle one of an odd number is in neither. */
struct al_drift {
    double p;     /* two-sided, of the rank-sum test; exact */
    double ratio; /* second / first, by Hodges and Lehmann; below 1: the values fall */
};

/*
 * Of n positive values in the order in which they were measured. With more than 50, the medians of
 * 50 stretches stand for them. NAN for both if n < 2.
 */
struct al_drift al_drift(const uint64_t *values, size_t n);

/* Not steady: a drift that is significant at AL_STEADY_LEVEL and larger than AL_STEADY_DRIFT. */
enum al_steady al_steady(const uint64_t *time_ns, size_t n);

/*
 * Whether warm-up is over after these n iterations: the last AL_WARMUP_LEAST of them show no drift
 * at AL_WARMUP_LEVEL, or none that matters. Unknown with fewer.
 */
enum al_steady al_warm(const uint64_t *time_ns, size_t n);

#endif
