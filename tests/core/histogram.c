/* SPDX-License-Identifier: MIT */

/* The latency histogram: its buckets cover all values without gaps, its quantiles are within 1% of
 * those of the sorted values, and a system's histogram sums those of its workers. */

#include "core/observe/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/tap.h"

static void test_buckets(struct tap *tap)
{
    bool tiled = true, close = true;
    for (uint32_t i = 0; i < AL_HISTOGRAM_BUCKETS; i++) {
        uint64_t low = al_histogram_low(i), high = al_histogram_high(i);
        tiled &= low <= high && al_histogram_bucket(low) == i && al_histogram_bucket(high) == i;
        tiled &= i == 0 ? low == 0 : low == al_histogram_high(i - 1) + 1;
        double middle = (double)low + (double)(high - low) / 2;
        close &= (double)high - middle <= 0.01 * (double)low || high == low;
    }
    tap_ok(tap, tiled && al_histogram_high(AL_HISTOGRAM_BUCKETS - 1) == UINT64_MAX,
           "buckets tile all 64-bit values");
    tap_ok(tap, close, "the middle of a bucket is within 1%% of what is in it");
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#define VALUES 20000

/* Values of all magnitudes: each has a random number of random bits. */
static void test_quantiles(struct tap *tap)
{
    static const double parts[] = {0, 0.0001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.99999, 1};
    static uint64_t values[VALUES];
    bool good = true, merged = true;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct al_histogram *all = al_histogram_new(),
                            *halves[2] = {al_histogram_new(), al_histogram_new()};
        struct al_random random;
        al_random_seed(&random, seed, 0);
        uint64_t sum = 0;
        uint32_t n = 1 + al_random_below(&random, VALUES);
        for (uint32_t i = 0; i < n; i++) {
            values[i] = al_random_next(&random) >> al_random_below(&random, 64);
            sum += values[i];
            al_histogram_add(all, values[i]);
            al_histogram_add(halves[i % 2], values[i]);
        }
        qsort(values, n, sizeof *values, compare);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            double rank = ceil(parts[k] * n);
            uint64_t exact = values[rank < 1 ? 0 : (uint32_t)rank - 1];
            double found = (double)al_histogram_quantile(all, parts[k]);
            good &= fabs(found - (double)exact) <= 0.01 * (double)exact;
        }
        good &= all->n == n && all->sum == sum && all->min == values[0] &&
                all->max == values[n - 1];
        al_histogram_merge(halves[0], halves[1]);
        for (uint32_t i = 0; i < AL_HISTOGRAM_BUCKETS; i++)
            merged &= halves[0]->counts[i] == all->counts[i];
        merged &= halves[0]->n == all->n && halves[0]->sum == all->sum &&
                  halves[0]->min == all->min && halves[0]->max == all->max;
        free(all);
        free(halves[0]);
        free(halves[1]);
    }
    tap_ok(tap, good, "quantiles are within 1%% of the sorted values'");
    tap_ok(tap, merged, "merged halves are the whole");
    struct al_histogram *empty = al_histogram_new();
    tap_ok(tap, al_histogram_quantile(empty, 0.5) == 0, "no values: 0");
    free(empty);
}

#define NAP_NS 2000000

struct napper {
    struct al_actor actor;
};

struct nap {
    struct al_message message;
    uint64_t since;
};

AL_ACTOR(napper)
AL_MESSAGE(nap)

AL_BEHAVIOUR(napper, nap, self, msg)
{
    al_sleep_ns(NAP_NS);
    al_latency_record(msg->since);
    return AL_FINISHED;
}

static void test_system(struct tap *tap)
{
    enum { ACTORS = 8, WORKERS = 2 };
    struct napper actors[ACTORS];
    struct nap naps[ACTORS];
    struct al_system *system;
    struct al_report report;
    struct al_error error;
    struct al_config config = {
        .workers = WORKERS, .latencies = true, .oversubscribe = true, .pin = "none"};
    choose_plugins(&config, NULL, NULL, NULL);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    uint64_t began_ns = al_clock_ns();
    for (int i = 0; i < ACTORS; i++) {
        al_actor_init(napper, &actors[i]);
        al_message_init(nap, &naps[i], AL_NODELETE)->since = al_latency_now();
        al_send(napper, nap, &actors[i], &naps[i]);
    }
    CHECK(al_system_stop(system, &report) == 0, "not received");
    double elapsed_ns = (double)(al_clock_ns() - began_ns);
    tap_ok(tap,
           report.latencies->n == ACTORS &&
               (double)report.latencies->min * report.ns_per_cycle > 0.9 * NAP_NS &&
               (double)report.latencies->max * report.ns_per_cycle < 1.1 * elapsed_ns,
           "all workers' latencies are in the report, in a unit that is right");
    al_report_free(&report);
}

int main(void)
{
    struct tap tap = {0};
    test_buckets(&tap);
    test_quantiles(&tap);
    test_system(&tap);
    return tap_done(&tap);
}
