/* SPDX-License-Identifier: MIT */
#ifndef AL_RANDOM_H
#define AL_RANDOM_H

#include <stdint.h>

/*
 * xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. Every generator belongs to
 * one thread and is seeded from the configuration, so that a run can be repeated.
 */
struct al_random {
    uint64_t state[4];
};

static inline uint64_t al_random_split(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Different streams of one seed are independent: pass the worker's number as the stream. */
static inline void al_random_seed(struct al_random *random, uint64_t seed, uint64_t stream)
{
    uint64_t s = al_random_split(&seed) ^ stream * 0xd1342543de82ef95u;
    for (int i = 0; i < 4; i++)
        random->state[i] = al_random_split(&s);
}

static inline uint64_t al_random_next(struct al_random *random)
{
    uint64_t *s = random->state;
    uint64_t product = s[1] * 5;
    uint64_t result = ((product << 7) | (product >> 57)) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform on [0, bound), without bias (Lemire, 2019). bound must not be 0. */
static inline uint32_t al_random_below(struct al_random *random, uint32_t bound)
{
    uint64_t product = (uint64_t)(uint32_t)(al_random_next(random) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t reject = -bound % bound;
        while ((uint32_t)product < reject)
            product = (uint64_t)(uint32_t)(al_random_next(random) >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

#endif
