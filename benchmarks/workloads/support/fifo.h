/* SPDX-License-Identifier: MIT */
#ifndef AL_FIFO_H
#define AL_FIFO_H

/* A queue of words in a ring that grows, of one actor. Begins as {0}. */

#include <string.h>

#include "benchmarks/workloads/benchmark.h"

struct al_fifo {
    uint64_t *words;
    size_t first, n, room; /* room: 0 or a power of two */
};

static inline void al_fifo_put(struct al_fifo *fifo, uint64_t word)
{
    if (fifo->n == fifo->room) {
        size_t room = fifo->room != 0 ? 2 * fifo->room : 4;
        uint64_t *words = al_allocate(room * sizeof *words);
        for (size_t i = 0; i < fifo->n; i++)
            words[i] = fifo->words[(fifo->first + i) & (fifo->room - 1)];
        al_free(fifo->words);
        *fifo = (struct al_fifo){.words = words, .n = fifo->n, .room = room};
    }
    fifo->words[(fifo->first + fifo->n++) & (fifo->room - 1)] = word;
}

/* Of a queue that is not empty. */
static inline uint64_t al_fifo_take(struct al_fifo *fifo)
{
    fifo->n--;
    return fifo->words[fifo->first++ & (fifo->room - 1)];
}

static inline void al_fifo_free(struct al_fifo *fifo)
{
    al_free(fifo->words);
}

/* A real number as a word, bit by bit, and back. */
static inline uint64_t al_bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static inline double al_real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

#endif
