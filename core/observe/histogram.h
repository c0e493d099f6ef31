/* SPDX-License-Identifier: MIT */
#ifndef AL_HISTOGRAM_H
#define AL_HISTOGRAM_H

/*
 * Latencies in constant memory: a log-linear histogram like HdrHistogram (G. Tene). Each value
 * below 64 has a bucket of its own. Above, each power of two is cut into 64 buckets, so that the
 * middle of a bucket is at most 1/128 = 0.8% from any value in it. All 64-bit values have a bucket.
 *
 * Each worker records cycles of the time-stamp counter, which is cheaper to read than a clock.
 * al_system_stop merges the histograms and reports the length of a cycle.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/worker.h"

#define AL_HISTOGRAM_BITS    6
#define AL_HISTOGRAM_LINEAR  (1u << AL_HISTOGRAM_BITS)
#define AL_HISTOGRAM_BUCKETS ((64 - AL_HISTOGRAM_BITS + 1) * AL_HISTOGRAM_LINEAR)

struct al_histogram {
    uint64_t n, sum, min, max; /* exact; min is UINT64_MAX while n is 0 */
    uint64_t counts[AL_HISTOGRAM_BUCKETS];
};

static inline uint32_t al_histogram_bucket(uint64_t value)
{
    if (value < AL_HISTOGRAM_LINEAR)
        return (uint32_t)value;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - AL_HISTOGRAM_BITS;
    return shift * AL_HISTOGRAM_LINEAR + (uint32_t)(value >> shift);
}

/* The smallest value of a bucket. */
static inline uint64_t al_histogram_low(uint32_t bucket)
{
    if (bucket < 2 * AL_HISTOGRAM_LINEAR)
        return bucket;
    uint32_t shift = bucket / AL_HISTOGRAM_LINEAR - 1;
    return (uint64_t)(bucket % AL_HISTOGRAM_LINEAR + AL_HISTOGRAM_LINEAR) << shift;
}

/* The largest value of a bucket. */
static inline uint64_t al_histogram_high(uint32_t bucket)
{
    return bucket + 1 < AL_HISTOGRAM_BUCKETS ? al_histogram_low(bucket + 1) - 1 : UINT64_MAX;
}

/* Add a value. One writer at a time. */
static inline void al_histogram_add(struct al_histogram *histogram, uint64_t value)
{
    histogram->counts[al_histogram_bucket(value)]++;
    histogram->n++;
    histogram->sum += value;
    if (value < histogram->min)
        histogram->min = value;
    if (value > histogram->max)
        histogram->max = value;
}

/* An empty histogram; free() it. Ends the program if there is no memory. */
struct al_histogram *al_histogram_new(void);
void al_histogram_merge(struct al_histogram *sum, const struct al_histogram *more);

/*
 * The q-quantile of the values, q from 0 to 1: the middle of its bucket, but never outside [min,
 * max]. 0 if there are no values.
 */
uint64_t al_histogram_quantile(const struct al_histogram *histogram, double q);

/* The present time in cycles, to be sent along with a message whose latency is to be recorded. */
static inline uint64_t al_latency_now(void)
{
    return al_cycles();
}

/* In a behaviour: record the time since `since`. Returns al_latency_now(). Only if the workload's
 * ops set `latencies`. */
static inline uint64_t al_latency_record(uint64_t since)
{
    uint64_t now = al_cycles();
    /* The counters of two cores may differ by a few cycles. */
    al_histogram_add(al_self()->latencies, now > since ? now - since : 0);
    return now;
}

#endif
