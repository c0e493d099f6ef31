/* SPDX-License-Identifier: MIT */
#ifndef AL_SCHEDULE_H
#define AL_SCHEDULE_H

/*
 * Open load: when the requests of one sender are due, whatever has become of earlier ones. A sender
 * that is late sends what was due meanwhile as soon as it can, and latencies count from when a
 * request was due, so that waiting for a slow system does not hide how slow it is (coordinated
 * omission).
 */

#include <errno.h>

#include "benchmarks/workloads/support/distribution.h"

/* Gaps that are exponentially distributed; equal, after a first one that is drawn between 0 and a
 * whole one; or as equal between bursts of several requests at once. */
enum al_arrivals { AL_POISSON, AL_FIXED, AL_BURSTS };

#define AL_ARRIVALS_CHOICES                                                                        \
    {                                                                                              \
        "poisson", "fixed", "bursts", NULL                                                         \
    }

/* Of one sender, which alone touches it while the actors run. */
struct al_schedule {
    double gap_ns; /* between two requests, on average; 0: the load is not open */
    double due;    /* when the next one is due, on al_clock_ns; 0: it has not begun */
    double last;   /* when the latest was that has been taken */
    enum al_arrivals arrivals;
    uint64_t burst, in_row; /* of AL_BURSTS; of a burst, how many have been taken */
    struct al_random random;
};

/* For check_parameters: whether so many requests, `rate` in a second, come to an end. */
static inline int al_schedule_check(double requests, double rate, struct al_error *error)
{
    const double days = 10, day_s = 86400;
    if (requests <= rate * days * day_s)
        return 0;
    return al_error_set(error, -EINVAL, "%g requests take %.3g days at %g in a second; valid: %g",
                        requests, requests / rate / day_s, rate, days);
}

static inline bool al_schedule_is_open(const struct al_schedule *schedule)
{
    return schedule->gap_ns > 0;
}

static inline double al_schedule_gap(struct al_schedule *schedule)
{
    if (schedule->arrivals == AL_POISSON)
        return schedule->gap_ns * al_distribution_draw(AL_EXPONENTIAL, &schedule->random);
    if (schedule->arrivals == AL_FIXED)
        return schedule->gap_ns;
    if (++schedule->in_row < schedule->burst)
        return 0;
    schedule->in_row = 0;
    return schedule->gap_ns * (double)schedule->burst;
}

/* Draw when the first request is due. Returns whether it had not been drawn yet. */
static inline bool al_schedule_begin(struct al_schedule *schedule)
{
    if (schedule->due != 0)
        return false;
    bool poisson = schedule->arrivals == AL_POISSON;
    double share = poisson ? al_distribution_draw(AL_EXPONENTIAL, &schedule->random)
                           : al_random_real(&schedule->random);
    uint64_t at_once = schedule->arrivals == AL_BURSTS ? schedule->burst : 1;
    schedule->due = (double)al_clock_ns() + share * schedule->gap_ns * (double)at_once;
    return true;
}

/* Take the next request, which is due. Returns when it was, as al_latency_now(). */
static inline uint64_t al_schedule_take(struct al_schedule *schedule)
{
    schedule->last = schedule->due;
    schedule->due += al_schedule_gap(schedule);
    return al_latency_at((uint64_t)schedule->last);
}

#endif
