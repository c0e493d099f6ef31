/* SPDX-License-Identifier: MIT */
#ifndef AL_SIMULATION_H
#define AL_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h"
#include "tests/support/tap.h"

/* Simulated times of cells, and what tests with them share. AL_TEST_DEEP=1 simulates more. */

enum noise { NORMAL, LOGNORMAL, BIMODAL, SLOW, NOISES };
extern const char *const noise_names[NOISES];

#define SPREAD                                                                                     \
    0.03 /* standard deviation of a cell's times, as a part of them, but for SLOW's slow */

bool simulation_is_deep(void);

/* Uniform on the open interval from 0 to 1; standard normal. */
double simulated_uniform(struct al_random *random);
double simulated_normal(struct al_random *random);

/*
 * A time whose undisturbed value is 1. NORMAL. LOGNORMAL: skewed, standardized to SPREAD. BIMODAL:
 * half of the times are slower by 6%. SLOW: normal, but two in ten are four times slower.
 */
double simulated_time(struct al_random *random, enum noise noise);

/* The median of such times. */
double simulated_median(enum noise noise);

/* A line of the table that docs/explanation/statistics.md shows: its cells, separated by '|'. */
__attribute__((format(printf, 1, 2))) void table_row(const char *format, ...);

/* Whether at most `most` of `trials` is plausible when `count` were seen: 3 standard errors. */
bool at_most(size_t count, size_t trials, double most);
bool at_least(size_t count, size_t trials, double least);

#endif
