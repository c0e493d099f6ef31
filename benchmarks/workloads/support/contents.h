/* SPDX-License-Identifier: MIT */
#ifndef AL_CONTENTS_H
#define AL_CONTENTS_H

/*
 * Self-checking contents of values and messages: every byte follows from two numbers, so that
 * whoever knows these recognises contents that are torn or belong elsewhere. Writing and checking
 * touch all bytes.
 */

#include <stdbool.h>
#include <string.h>

#include "benchmarks/workloads/benchmark.h"

/* The i-th word is the first word plus i times this, so that no two words are equal. */
#define AL_CONTENTS_STEP 0x9e3779b97f4a7c15u

static inline uint64_t al_contents_first(uint64_t a, uint64_t b)
{
    uint64_t mixed = a;
    mixed = al_random_split(&mixed) ^ b;
    return al_random_split(&mixed);
}

static inline void al_contents_write(unsigned char *to, size_t bytes, uint64_t a, uint64_t b)
{
    uint64_t word = al_contents_first(a, b);
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word, word += AL_CONTENTS_STEP)
        memcpy(to + i, &word, sizeof word);
    memcpy(to + i, &word, bytes - i);
}

static inline bool al_contents_are(const unsigned char *from, size_t bytes, uint64_t a, uint64_t b)
{
    uint64_t word = al_contents_first(a, b), differences = 0, found;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word, word += AL_CONTENTS_STEP) {
        memcpy(&found, from + i, sizeof found);
        differences |= found ^ word;
    }
    return differences == 0 && memcmp(from + i, &word, bytes - i) == 0;
}

static inline void al_contents_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#endif
