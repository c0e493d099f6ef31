/* SPDX-License-Identifier: MIT */

/* Averages of ratios: each resample against the ratio of its values. BCa against scipy is in
 * test_statistics.py. */

#include "benchmarks/harness/statistics/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/resampled_ratio.h"
#include "core/random.h"
#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define MOST 2000

/* A ratio and the values that it is made from, in its order of them. */
struct sample {
    double a[MOST], b[MOST];
    struct al_ratio ratio;
};

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Paired: the values below the line are 1, so that sorting keeps the pairs. */
static void make(struct al_random *random, bool paired, size_t n_a, size_t n_b, bool ties,
                 struct sample *out)
{
    for (size_t i = 0; i < n_a + n_b; i++) {
        double value = ties ? 98 + al_random_below(random, 4)
                            : 90 + 20 * (double)(al_random_next(random) >> 11) / 0x1p53;
        *(i < n_a ? &out->a[i] : &out->b[i - n_a]) = i >= n_a && paired ? 1 : value;
    }
    qsort(out->a, n_a, sizeof *out->a, compare_doubles);
    qsort(out->b, n_b, sizeof *out->b, compare_doubles);
    CHECK((paired ? al_ratio_paired(out->a, out->b, n_a, &out->ratio)
                  : al_ratio_independent(out->a, n_a, out->b, n_b, &out->ratio)) == 0,
          "out of memory");
}

/* The estimate of the values that the same random numbers draw. */
static double redrawn(const struct sample *sample, struct al_random *random)
{
    static double a[MOST], b[MOST];
    size_t n_a = sample->ratio.n[0], n_b = sample->ratio.n[1];
    bool paired = sample->ratio.paired;
    for (size_t i = 0; i < n_a; i++)
        a[i] = sample->a[al_random_below(random, (uint32_t)n_a)];
    for (size_t i = 0; i < n_b; i++)
        b[i] = paired ? 1 : sample->b[al_random_below(random, (uint32_t)n_b)];
    struct al_ratio r;
    CHECK((paired ? al_ratio_paired(a, b, n_a, &r) : al_ratio_independent(a, n_a, b, n_b, &r)) == 0,
          "out of memory");
    double estimate = r.estimate;
    al_ratio_release(&r);
    return estimate;
}

/* The estimate without one value. */
static double left_out(const struct sample *sample, int side, size_t place)
{
    static struct sample rest;
    size_t n[2] = {sample->ratio.n[0], sample->ratio.n[1]};
    memcpy(rest.a, sample->a, sizeof rest.a);
    memcpy(rest.b, sample->b, sizeof rest.b);
    double *values = side == 0 ? rest.a : rest.b;
    n[side]--;
    memmove(values + place, values + place + 1, (n[side] - place) * sizeof *values);
    struct al_ratio r;
    CHECK((sample->ratio.paired ? al_ratio_paired(rest.a, rest.b, n[0], &r)
                                : al_ratio_independent(rest.a, n[0], rest.b, n[1], &r)) == 0,
          "out of memory");
    double estimate = r.estimate;
    al_ratio_release(&r);
    return estimate;
}

static void test_resamples(bool paired, size_t n_a, size_t n_b, bool ties, size_t draws)
{
    static struct sample sample;
    struct al_random random, again;
    al_random_seed(&random, n_a, n_b);
    make(&random, paired, n_a, n_b, ties, &sample);
    struct al_resampled_ratio *resampled = al_resampled_ratio_new(&sample.ratio);
    CHECK(resampled != NULL, "out of memory");
    bool same = exp(al_resampled_ratio_whole(resampled)) == sample.ratio.estimate;
    al_random_seed(&random, 9, 1);
    al_random_seed(&again, 9, 1);
    double worst = 0;
    for (size_t r = 0; r < draws; r++)
        worst = fmax(
            worst,
            fabs(exp(al_resampled_ratio_draw(resampled, &random)) / redrawn(&sample, &again) - 1));
    for (int side = 0; side < (paired ? 1 : 2); side++) {
        size_t n = sample.ratio.n[side];
        for (size_t i = 0; n > 1 && i < n; i += 1 + n / 50)
            worst = fmax(worst, fabs(exp(al_resampled_ratio_without(resampled, side, i)) /
                                         left_out(&sample, side, i) -
                                     1));
    }
    check(same && worst == 0, "%s, %zu and %zu%s: resamples and jackknife have their own estimate",
          paired ? "paired" : "independent", n_a, n_b, ties ? ", ties" : "");
    al_resampled_ratio_free(resampled);
    al_ratio_release(&sample.ratio);
}

/* Three ratios: the quantiles of the products of the resamples' estimates, each drawn by itself. */
static void test_average(void)
{
    enum { RESAMPLES = 999 };
    static struct sample samples[3];
    static double product[RESAMPLES];
    const struct al_ratio *ratios[3];
    struct al_random random;
    al_random_seed(&random, 2, 0);
    for (size_t s = 0; s < 3; s++) {
        make(&random, s != 1, 8 + s, s == 1 ? 12 : 8 + s, false, &samples[s]);
        ratios[s] = &samples[s].ratio;
    }
    for (size_t s = 0; s < 3; s++) {
        al_random_seed(&random, 77, s);
        for (size_t r = 0; r < RESAMPLES; r++)
            product[r] = (s > 0 ? product[r] : 0) + log(redrawn(&samples[s], &random)) / 3;
    }
    al_median(product, RESAMPLES);
    struct al_interval i;
    bool made = al_ratio_average(ratios, 3, RESAMPLES, .9, 77, &i) == 0;
    double middle = cbrt(ratios[0]->estimate * ratios[1]->estimate * ratios[2]->estimate);
    check(made && fabs(i.median / middle - 1) < 1e-14 && i.n == 3 && isnan(i.achieved) &&
              fabs(log(i.low) - al_quantile(product, RESAMPLES, .05)) < 1e-14 &&
              fabs(log(i.high) - al_quantile(product, RESAMPLES, .95)) < 1e-14 && !i.degenerate,
          "an average of three: geometric mean, quantiles of independent resamples");
    check(al_ratio_average(ratios, 0, 10, .9, 1, &i) == -EINVAL &&
              al_ratio_average(ratios, 3, 0, .9, 1, &i) == -EINVAL &&
              al_ratio_average(ratios, 3, 10, 1, 1, &i) == -EINVAL &&
              al_ratio_average(ratios, 3, 10, NAN, 1, &i) == -EINVAL,
          "nothing to average, no resamples and no level are refused");
    for (size_t s = 0; s < 3; s++)
        al_ratio_release(&samples[s].ratio);
}

/* Constant data, with few values and with as many as BCa takes. */
static void test_degenerate(void)
{
    bool ok = true;
    for (size_t n = 1; n <= 30; n++) {
        double a[30], b[30];
        for (size_t i = 0; i < n; i++) {
            a[i] = 3333333;
            b[i] = 777777;
        }
        struct al_ratio r[2];
        struct al_interval i;
        CHECK(al_ratio_paired(a, b, n, &r[0]) == 0 && al_ratio_independent(a, n, b, n, &r[1]) == 0,
              "out of memory");
        const struct al_ratio *ratios[] = {&r[0], &r[1]};
        ok &= al_ratio_average(ratios, 2, 500, .95, 1, &i) == 0 && i.degenerate &&
              i.low == i.median && i.high == i.median && fabs(i.median / (a[0] / b[0]) - 1) < 1e-14;
        al_ratio_release(&r[0]);
        al_ratio_release(&r[1]);
    }
    check(ok, "constant data: an interval without width");
}

int main(void)
{
    for (size_t n = 1; n <= 40; n += n < 12 ? 1 : 7) {
        test_resamples(true, n, n, n % 3 == 0, 300);
        test_resamples(false, n, 1 + n * 7 % 25, n % 3 == 1, 300);
    }
    test_resamples(true, 1500, 1500, false, 3);
    test_resamples(false, 1200, 1300, false, 3);
    test_average();
    test_degenerate();
    return tap_done(&tap);
}
