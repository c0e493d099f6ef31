/* SPDX-License-Identifier: MIT */

/*
 * How often intervals hold the true value, on simulated times. Those of ranks have an exact
 * coverage whatever the distribution, which must come out; that of bootstrapped ones is only
 * measured.
 */

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/statistics/ratio.h"
#include "tests/harness/simulation.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST 64

enum procedure { MEDIAN, SIGNED_RANKS, RANK_SUM, PROCEDURES };
static const char *const names[PROCEDURES] = {"order statistics", "signed ranks", "rank sum"};

static void draw(struct al_random *random, enum noise noise, double factor, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = factor * simulated_time(random, noise);
}

/* The interval of one simulated sample, and the true value that it should hold. */
static struct al_interval simulate(struct al_random *random, enum procedure procedure,
                                   enum noise noise, size_t n, double level, double *truth)
{
    double a[MOST], b[MOST];
    struct al_interval interval;
    struct al_ratio ratio;
    *truth = procedure == MEDIAN ? simulated_median(noise) : 1.05;
    draw(random, noise, procedure == MEDIAN ? 1 : *truth, a, n);
    if (procedure == MEDIAN) {
        CHECK(al_order_median(a, n, level, &interval) == 0, "out of memory");
        return interval;
    }
    draw(random, noise, 1, b, n);
    for (size_t i = 0; i < n; i++) { /* the drift of a block, which its pair shares */
        double drift = procedure == SIGNED_RANKS ? exp(.05 * simulated_normal(random)) : 1;
        a[i] *= drift;
        b[i] *= drift;
    }
    CHECK((procedure == SIGNED_RANKS ? al_ratio_paired(a, b, n, &ratio)
                                     : al_ratio_independent(a, n, b, n, &ratio)) == 0,
          "out of memory");
    interval = al_ratio_interval(&ratio, level);
    al_ratio_release(&ratio);
    return interval;
}

/* Prints a row; how far the coverage is from the exact one, at most, is checked by the caller. */
static double coverage(enum procedure procedure, size_t n, double level, size_t samples)
{
    double covered[NOISES], achieved = 0, worst = 0;
    for (int noise = 0; noise < NOISES; noise++) {
        struct al_random random;
        al_random_seed(&random, 100 * n + (size_t)noise, procedure);
        size_t held = 0;
        for (size_t s = 0; s < samples; s++) {
            double truth;
            struct al_interval i = simulate(&random, procedure, (enum noise)noise, n, level,
                                            &truth);
            held += i.low <= truth && truth <= i.high;
            achieved = i.achieved;
        }
        covered[noise] = (double)held / (double)samples;
        worst = fmax(worst, fabs(covered[noise] - achieved));
    }
    table_row("%s, %g%% | %zu | %.1f | %.1f | %.1f | %.1f | %.1f", names[procedure], 100 * level, n,
              100 * achieved, 100 * covered[NORMAL], 100 * covered[LOGNORMAL],
              100 * covered[BIMODAL], 100 * covered[SLOW]);
    return worst;
}

static void test_ranks(void)
{
    static const size_t sizes[] = {5, 6, 8, 10, 15, 20, 30};
    bool deep = simulation_is_deep();
    size_t samples = deep ? 100000 : 2000;
    table_row("interval | n | says | normal | lognormal | bimodal | 2 of 10 slow");
    table_row("--- | --- | --- | --- | --- | --- | ---");
    for (int procedure = 0; procedure < PROCEDURES; procedure++) {
        double worst = 0;
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            if (!deep && procedure == RANK_SUM && sizes[k] > 15)
                continue; /* they take longest */
            worst = fmax(worst, coverage((enum procedure)procedure, sizes[k], .95, samples));
            if (deep && procedure != MEDIAN)
                worst = fmax(worst, coverage((enum procedure)procedure, sizes[k], .9, samples));
        }
        check(worst < (deep ? .005 : .02), "%s: coverage is within %.2f points of what it says",
              names[procedure], 100 * worst);
    }
}

/* Of the median, by the bootstrap, with one seed: held, and what it says. */
static void bootstrapped_median(enum al_interval_kind kind, size_t n, size_t samples,
                                size_t resamples)
{
    double covered[NOISES], achieved = 0;
    for (int noise = 0; noise < NOISES; noise++) {
        struct al_random random;
        al_random_seed(&random, 100 * n + (size_t)noise, kind);
        struct al_bootstrap *bootstrap = al_bootstrap_new(resamples, .95, 1);
        CHECK(bootstrap != NULL, "out of memory");
        size_t held = 0;
        for (size_t s = 0; s < samples; s++) {
            double values[MOST], truth = simulated_median((enum noise)noise);
            struct al_interval i;
            draw(&random, (enum noise)noise, 1, values, n);
            CHECK(al_bootstrap_interval(bootstrap, values, n, kind, NULL, &i) == 0, "no memory");
            held += i.low <= truth && truth <= i.high;
            achieved += i.achieved / (double)samples / NOISES;
        }
        al_bootstrap_free(bootstrap);
        covered[noise] = (double)held / (double)samples;
    }
    bool sane = true;
    for (int noise = 0; noise < NOISES; noise++)
        sane &= covered[noise] > .8 && covered[noise] < .995;
    table_row("median, %s | %zu | %.1f | %.1f | %.1f | %.1f | %.1f",
              kind == AL_BCA ? "BCa" : "percentile", n, 100 * achieved, 100 * covered[NORMAL],
              100 * covered[LOGNORMAL], 100 * covered[BIMODAL], 100 * covered[SLOW]);
    check(sane, "bootstrapped medians, n=%zu: coverage measured", n);
}

/* Of the geometric mean of the ratios of six workloads. */
static void bootstrapped_average(size_t n, size_t samples, size_t resamples)
{
    enum { WORKLOADS = 6 };
    double covered[NOISES];
    for (int noise = 0; noise < NOISES; noise++) {
        struct al_random random;
        al_random_seed(&random, 100 * n + (size_t)noise, 9);
        size_t held = 0;
        for (size_t s = 0; s < samples; s++) {
            struct al_ratio ratios[WORKLOADS];
            const struct al_ratio *pointers[WORKLOADS];
            struct al_interval i;
            for (size_t w = 0; w < WORKLOADS; w++) {
                double a[MOST], b[MOST];
                draw(&random, (enum noise)noise, 1.05, a, n);
                draw(&random, (enum noise)noise, 1, b, n);
                CHECK(al_ratio_paired(a, b, n, &ratios[w]) == 0, "out of memory");
                pointers[w] = &ratios[w];
            }
            CHECK(al_ratio_average(pointers, WORKLOADS, resamples, .95, s, &i) == 0, "no memory");
            held += i.low <= 1.05 && 1.05 <= i.high;
            for (size_t w = 0; w < WORKLOADS; w++)
                al_ratio_release(&ratios[w]);
        }
        covered[noise] = (double)held / (double)samples;
    }
    bool sane = true;
    for (int noise = 0; noise < NOISES; noise++)
        sane &= covered[noise] > .8 && covered[noise] < .995;
    table_row("average of six, %s | %zu | not known | %.1f | %.1f | %.1f | %.1f",
              n >= AL_BCA_FROM ? "BCa" : "percentile", n, 100 * covered[NORMAL],
              100 * covered[LOGNORMAL], 100 * covered[BIMODAL], 100 * covered[SLOW]);
    check(sane, "averages, n=%zu: coverage measured", n);
}

static void test_bootstrap(void)
{
    bool deep = simulation_is_deep();
    size_t samples = deep ? 20000 : 400, resamples = deep ? 2000 : 400;
    static const size_t sizes[] = {5, 10, 15, 20, 30};
    for (size_t k = 0; k < 5; k++) {
        bootstrapped_median(AL_PERCENTILE, sizes[k], samples, 10000);
        if (sizes[k] >= AL_BCA_FROM)
            bootstrapped_median(AL_BCA, sizes[k], samples, 10000);
    }
    for (size_t k = 1; k < 5; k++)
        bootstrapped_average(sizes[k], samples / (deep ? 8 : 2), resamples);
}

int main(void)
{
    test_ranks();
    test_bootstrap();
    return tap_done(&tap);
}
