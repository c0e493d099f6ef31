/* SPDX-License-Identifier: MIT */
#ifndef AL_FILTERBANK_H
#define AL_FILTERBANK_H

/* The actors of filterbank; filterbank.c says what they do. */

#include "benchmarks/workloads/savina/savina.h"
#include "benchmarks/workloads/support/fifo.h"

struct value {
    struct al_message message;
    double value;
};

struct tagged {
    struct al_message message;
    uint32_t channel;
    double value;
};

struct sum {
    struct al_message message;
    double value;
};

struct next {
    struct al_message message;
};

struct collected {
    struct al_message message;
    double values[]; /* of each channel */
};

enum kind { BANK, DELAY, FILTER, SAMPLER, DELAY_AGAIN, FILTER_AGAIN, TAGGER, STAGES };

/* A stage of a branch. */
struct stage {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    enum kind kind;
    uint32_t channel;
    double *ring; /* of delays and filters */
    uint64_t at, n;
    bool full;
    uint64_t digest; /* of what a sampler has had, in this order */
};

struct source {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t current;
};

struct producer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left;
};

struct splitter {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

struct integrator {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t working;        /* channels that have not ended */
    struct al_fifo *waiting; /* values of each channel that wait for those of others */
    uint32_t empty;          /* channels of which none waits */
};

struct combiner {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

struct sink {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    double *sums;
    uint64_t n;
};

/* Read-only while the actors run. */
struct state {
    struct stage *stages;    /* of each channel, one behind another */
    double *coefficients[2]; /* of both filters; of each channel */
    uint64_t values, columns;
    uint32_t channels;
    struct al_go go;
    struct al_done done;
    struct next next;
    struct producer producer;
    struct source source;
    struct splitter splitter;
    struct integrator integrator;
    struct combiner combiner;
    struct sink sink;
};

static inline struct stage *branch(const struct state *state, uint32_t channel)
{
    return &state->stages[channel * STAGES];
}

/* The values of the source are 0, 1, ..., again and again. */
enum { SOURCE_VALUES = 1000 };

static inline double source_value(uint64_t i)
{
    return (double)(i % SOURCE_VALUES);
}

static inline const double *coefficients_of(const struct state *state, int filter, uint32_t channel)
{
    return state->coefficients[filter] + channel * state->columns;
}

/* Add a value to the digest of a sequence. */
static inline uint64_t digest_with(uint64_t digest, double value)
{
    return (digest ^ al_bits_of(value)) * 0x9e3779b97f4a7c15u;
}

/* The sum of the ring's values times the coefficients, from the last one on. */
double al_filterbank_sum(const double *ring, const double *coefficients, uint64_t n);

/* Create the actors, and ask the producer for the first value. */
void al_filterbank_start(void *state);

#endif
