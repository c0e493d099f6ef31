/* SPDX-License-Identifier: MIT */
#ifndef AL_SAVINA_H
#define AL_SAVINA_H

/* What several of Savina's benchmarks have in common: its generator, and what actors compute. */

#include <math.h>

#include "benchmarks/workloads/support/hub.h"

/* Savina's generator of pseudo-random numbers from 0 to 65535, whose sequences are the suite's. */
struct al_savina_random {
    uint64_t value;
};

#define AL_SAVINA_NEXT(value) (((value)*1309 + 13849) & 65535)

static inline uint64_t al_savina_next(struct al_savina_random *random)
{
    random->value = AL_SAVINA_NEXT(random->value);
    return random->value;
}

static inline uint64_t al_savina_below(struct al_savina_random *random, uint64_t bound)
{
    return al_savina_next(random) % bound;
}

/* In (0, 1]. */
static inline double al_savina_real(struct al_savina_random *random)
{
    return 1.0 / (double)(al_savina_next(random) + 1);
}

/* java.util.Random, of which some of the suite's data come. */
struct al_java_random {
    uint64_t state;
};

static inline struct al_java_random al_java_random_of(uint64_t seed)
{
    return (struct al_java_random){seed ^ 0x5deece66du};
}

#define AL_JAVA_NEXT(state) (((state)*0x5deece66du + 0xb) & (((uint64_t)1 << 48) - 1))

/* Its next bits. */
static inline uint64_t al_java_bits(struct al_java_random *random, unsigned bits)
{
    random->state = AL_JAVA_NEXT(random->state);
    return random->state >> (48 - bits);
}

/* In [0, 1). */
static inline double al_java_real(struct al_java_random *random)
{
    uint64_t high = al_java_bits(random, 26);
    return (double)(high << 27 | al_java_bits(random, 27)) * 0x1p-53;
}

/*
 * What these take on the simulated machine, in cycles. Such numbers here and in the workloads are
 * the least of 300 runs on an EPYC (CPU family 25, model 17) with gcc 12 -O3, in a clock that takes
 * a chain of additions to be one cycle each.
 */
enum { AL_SINE_CYCLES = 33, AL_BUSY_CYCLES = 10, AL_LOG_CYCLES = 16 };

#define AL_SINE_ANGLE 37.2

/* What an actor of the fork-join benchmarks computes. Returns whether it is more than 0, as the
 * square of that sine is. The angle comes in the message: a compiler would compute the sine of a
 * constant itself. */
static inline bool al_sine_square(double angle)
{
    double sine = sin(angle), square = sine * sine;
    al_compute(AL_SINE_CYCLES);
    return square > 0;
}

/* Not inlined: a compiler would leave out what is not used. */
AL_UNREPORTED __attribute__((noinline, unused)) static uint64_t al_java_steps(uint64_t state,
                                                                              uint64_t times)
{
    for (uint64_t i = 0; i < times; i++)
        state = AL_JAVA_NEXT(state);
    return state;
}

AL_UNREPORTED __attribute__((noinline, unused)) static double
al_sum_logarithms(double term, uint64_t times, uint64_t value)
{
    for (uint64_t i = 0; i < times; i++) {
        value = AL_SAVINA_NEXT(value);
        term += log(1.0 / (double)(value + 1) + 0.01);
    }
    return term;
}

/* Where Savina calls Java's Math.random() in a loop: so many times two steps of its generator, each
 * of which waits for the one before. Returns the generator's state, which is to be kept. */
static inline uint64_t al_busy(uint64_t state, uint64_t times)
{
    al_compute(times * AL_BUSY_CYCLES);
    return al_java_steps(state, 2 * times);
}

/* Where Savina adds up logarithms of random numbers: to term, so many. */
static inline double al_add_logarithms(double term, uint64_t times, uint64_t seed)
{
    al_compute(times * AL_LOG_CYCLES);
    return al_sum_logarithms(term, times, seed);
}

#endif
